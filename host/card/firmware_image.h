// Images of firmware for the card's control processor (firmware/interface.h, docs/firmware.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "firmware/interface.h"

namespace plumbline::card {

struct FirmwareImage {
  firmware::ImageHeader header{};
  std::vector<std::uint32_t> words;  // all of it, header included
};

// "1.2.3" of a version as the header has it.
std::string firmwareVersionText(std::uint32_t version);
// "1.2" of the interface.
std::string interfaceVersionText(std::uint32_t version);

// The image in `bytes`. Throws Error(kUsage) with the reason, and `name` as the place, for what is
// no image, is cut short or damaged, and for one whose interface or register map this program does
// not know.
FirmwareImage parseFirmwareImage(std::span<const std::uint8_t> bytes, const std::string& name);

// The header in the first words of a processor's memory, where an image was loaded. Throws
// Error(kUnsupported) when there is none, or one of another interface.
firmware::ImageHeader parseLoadedHeader(std::span<const std::uint32_t> words,
                                        std::uint32_t memory_bytes);

// Throws Error(kTester) unless `words`, the first of a shared block, were written by firmware whose
// interface this program knows.
void checkShared(std::span<const std::uint32_t> words);

// The shared block as its words. Throws Error(kTester) when there is too little of it, or the
// firmware has not written it.
firmware::Shared parseShared(std::span<const std::uint32_t> words);

// The entries of a shared block's log that are still there, oldest first.
std::vector<firmware::LogEntry> logOf(const firmware::Shared& shared);
// An entry in words, without its time.
std::string describe(const firmware::LogEntry& entry);
// "ready", or what the state is.
std::string stateName(std::uint32_t state);

}  // namespace plumbline::card
