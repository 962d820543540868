// The card's access to memory that it shares with the host, for a register bus that provides such
// memory: captures, and long lists of register accesses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "card/capture_ring.h"
#include "card/device_buffer.h"
#include "card/register_bus.h"
#include "card/register_loader.h"

namespace plumbline::card {

// Allocates memory on first use, and detects the card's DMA then. Not thread-safe.
class CardDma {
 public:
  // `bus`: single accesses to the card; must outlive it.
  CardDma(RegisterBus& bus, BufferSource memory);

  // As RegisterBus::accessAll(): executed by the card itself if it supports this, there are many,
  // and none is of block core or mac.
  std::vector<std::uint32_t> accessAll(std::span<const RegisterAccess> accesses);
  // As of RegisterBus.
  void startCapture();
  void stopCapture();
  std::vector<CapturedFrame> readCaptured();

  // Frees the memory, which the card must not use any more. Throws as stopCapture().
  void release();

 private:
  [[nodiscard]] bool present();

  RegisterBus& bus_;
  BufferSource memory_;
  std::optional<bool> present_;
  std::unique_ptr<RegisterLoader> loader_;
  std::unique_ptr<CaptureRing> ring_;
  bool capturing_ = false;
};

}  // namespace plumbline::card
