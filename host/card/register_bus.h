// The interface between the card's driver and the access to its registers (Verilated, XRT, …).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace plumbline::card {

// A frame that the card captured at a port, with the card's own timestamp.
struct CapturedFrame {
  std::uint32_t port = 0;
  bool sent = false;      // direction: sent by the card, else received
  Picoseconds timestamp;  // card time of the reference point (docs/card.md)
  bool fcs_ok = true;
  bool icrc_checked = false;  // an ICRC was expected in this frame
  bool icrc_ok = true;
  std::vector<std::uint8_t> bytes;  // with FCS
};

// One access in a list of them.
struct RegisterAccess {
  static RegisterAccess read(std::uint32_t offset) { return {offset, 0, true}; }
  static RegisterAccess write(std::uint32_t offset, std::uint32_t value) {
    return {offset, value, false};
  }

  std::uint32_t offset = 0;  // [bytes], a multiple of 4
  std::uint32_t value = 0;   // of a write
  bool reads = false;

  bool operator==(const RegisterAccess&) const = default;
};

// 32-bit register access to one card. Not thread-safe; one owner.
class RegisterBus {
 public:
  virtual ~RegisterBus() = default;

  // `offset` in bytes, a multiple of 4. Errors of the bus throw Error(kTester).
  virtual std::uint32_t read(std::uint32_t offset) = 0;
  virtual void write(std::uint32_t offset, std::uint32_t value) = 0;

  // Executes `accesses` in order; for many of them a bus may have a faster way. Returns the results
  // of the reads, in order. After an error some of them have been executed.
  virtual std::vector<std::uint32_t> accessAll(std::span<const RegisterAccess> accesses) {
    std::vector<std::uint32_t> answers;
    for (const RegisterAccess& one : accesses) {
      if (one.reads) {
        answers.push_back(read(one.offset));
      } else {
        write(one.offset, one.value);
      }
    }
    return answers;
  }

  // Lets card time pass. On hardware it sleeps; a simulated card runs its clock. Returns after at
  // least `duration`.
  virtual void wait(Picoseconds duration) = 0;

  // From now on captured frames of the ports are delivered to readCaptured(); earlier ones are
  // discarded. Throws Error(kUnsupported) when captures cannot reach the host, Error(kTester)
  // without memory for them. Does nothing where captures are always delivered.
  virtual void startCapture() {}
  virtual void stopCapture() {}
  // Takes the frames delivered since the last call. Throws Error(kTester) for invalid capture data.
  virtual std::vector<CapturedFrame> readCaptured() = 0;
};

}  // namespace plumbline::card
