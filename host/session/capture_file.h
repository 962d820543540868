// Frames that the card captured, as a pcapng file.
#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "card/register_bus.h"
#include "wire/pcapng.h"

namespace plumbline::session {

// A file with one interface per tester port that appears, in picoseconds of card time. Every write
// leaves a complete file behind.
class CaptureFile {
 public:
  // Throws Error(kUsage) when the file cannot be made.
  explicit CaptureFile(const std::string& file);

  // `trial` is written as a comment to the first frame of each trial. Throws Error(kTester) when
  // the disk is full.
  void write(const card::CapturedFrame& frame, const std::string& trial);
  // A frame that was never on a wire: sent by `port` at `time`.
  void write(std::uint32_t port, Picoseconds time, const std::vector<std::uint8_t>& bytes,
             const std::string& comment);

  [[nodiscard]] std::uint64_t packets() const { return writer_->packets(); }

 private:
  std::uint32_t interfaceOf(std::uint32_t port);

  std::ofstream stream_;
  std::optional<wire::PcapngWriter> writer_;
  std::vector<std::optional<std::uint32_t>> interfaces_;  // by port
  std::string last_trial_;
};

}  // namespace plumbline::session
