// Captured frames of the card as a pcapng file.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "base/units.h"
#include "card/register_bus.h"
#include "wire/pcapng.h"

namespace plumbline::session {

// A file with one interface per tester port that appears, in picoseconds of card time. The card
// delivers sent and received frames in two streams; within a trial they are written in the order of
// their timestamps. For this, frames of the latest kReorderWindow of card time are held back. Every
// write leaves a complete file.
class CaptureFile {
 public:
  // A frame may be delivered after others whose timestamps are up to this much larger. Five times
  // the card's delivery time (bench/card/card_trial.cc): 2.5 MB per direction at 100 Gb/s.
  static constexpr Picoseconds kReorderWindow = microseconds(100);
  // Limit of the memory, whatever the timestamps; the earliest frames are written beyond it.
  static constexpr std::size_t kMaxBufferedFrames = std::size_t{1} << 16U;  // frames

  // Throws Error(kUsage) when the file cannot be created, and as write().
  explicit CaptureFile(const std::string& file);
  // Writes the frames that are held back, if the disk has room.
  ~CaptureFile();
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;

  // `trial` is written as a comment to the first frame of each trial. Throws Error(kTester) when
  // the disk is full.
  void write(const card::CapturedFrame& frame, const std::string& trial);
  // Writes the frames that are held back: the trial is over. All frames so far are then in the
  // file. Throws as write().
  void endTrial();
  // A frame that was never on a wire: sent by `port` at `time`.
  void write(std::uint32_t port, Picoseconds time, const std::vector<std::uint8_t>& bytes,
             const std::string& comment);

  // Frames in the file, without those held back.
  [[nodiscard]] std::uint64_t packets() const { return writer_->packets(); }

 private:
  void writeEarliest();
  std::uint32_t interfaceOf(std::uint32_t port);

  OutputFile file_;
  std::optional<wire::PcapngWriter> writer_;
  std::vector<std::optional<std::uint32_t>> interfaces_;  // by port
  std::multimap<Picoseconds, card::CapturedFrame> held_;  // of trial_, by timestamp
  std::string trial_;
  bool trial_named_ = false;  // a frame of trial_ has been written
};

}  // namespace plumbline::session
