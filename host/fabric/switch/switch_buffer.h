// Who may put a frame into a switch's memory, and who must be asked to pause.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/paged_memory.h"
#include "fabric/engine/packet.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

// Accounting of one switch's buffer (docs/fabric-model.md has the equations).
//
// Lossy frames belong to their output: with `buffer_per_port`, a port takes a frame while all of
// its bytes fit; with a shared buffer, bytes of a port up to its reserve are free of charge, those
// above count as shared, and a queue may grow to alpha times what is free of the shared part.
//
// Lossless (PFC) frames belong to the input and priority they came by. They count as shared until
// their input is above xoff or the shared part is full, and to that input's headroom from then on.
//
// A frame counts with its whole length from admission until its last bit has left.
class SwitchBuffer {
 public:
  // What one output has in the buffer [bytes]; it keeps this itself, with the rest of its state.
  struct Account {
    std::int64_t bytes = 0;  // waiting or leaving
    std::int64_t lossy = 0;  // of these
    std::int64_t most = 0;   // that `bytes` ever was
  };

  SwitchBuffer(const SwitchSpec& spec, std::uint32_t ports);

  // Would the output take a lossy frame now? `queued` are the bytes of its priority.
  // Counting frames that have left already only ever turns a yes into a no.
  [[nodiscard]] bool fits(const Account& out, std::int64_t queued, std::int64_t length) const {
    if (!is_shared_) return out.lossy + length <= per_port_;
    const std::int64_t more = sharedOf(out.lossy + length) - sharedOf(out.lossy);
    if (more == 0) return true;
    return queued + length <= threshold(alpha_) && shared_used_ + more <= shared_;
  }
  void chargeOutput(Account& out, std::int64_t length) {
    if (is_shared_) shared_used_ += sharedOf(out.lossy + length) - sharedOf(out.lossy);
    out.lossy += length;
    chargeAlways(out, length);
  }
  void releaseOutput(Account& out, std::int64_t length) {
    if (is_shared_) shared_used_ -= sharedOf(out.lossy) - sharedOf(out.lossy - length);
    out.lossy -= length;
    out.bytes -= length;
  }

  // For an output all of whose frames are lossy, while surelyFits(): how many bytes it may have,
  // and that it has so many now and never had more than `most`.
  [[nodiscard]] std::int64_t limit() const { return is_shared_ ? INT64_MAX : per_port_; }
  void settle(Account& out, std::int64_t bytes, std::int64_t most) {
    if (is_shared_) shared_used_ += sharedOf(bytes) - sharedOf(out.lossy);
    out = {.bytes = bytes, .lossy = bytes, .most = most};
  }

  [[nodiscard]] bool isShared() const { return is_shared_; }
  // As long as no more than `arriving` bytes come, would every output that has room of its own take
  // every lossy frame, in whatever order they come?
  [[nodiscard]] bool surelyFits(std::int64_t arriving) const;
  // Lossless bytes of that one of these priorities which has most of the input.
  [[nodiscard]] std::int64_t fullest(std::uint32_t input, PriorityMask priorities) const;
  // And would no frame lift an input above xoff that has no more than `length` with all that come?
  [[nodiscard]] bool surelyBelowXoff(std::int64_t length, std::int64_t arriving) const {
    return length <= xoff(shared_used_ + arriving);
  }

  // Lossless frame of `length` from an input: would it lift the input above xoff (or find no shared
  // memory)? Counting frames that have left only ever turns a no into a yes.
  [[nodiscard]] bool overXoff(std::uint32_t input, unsigned priority, std::int64_t length) const;
  [[nodiscard]] bool sharedFull(std::int64_t length) const {
    return is_shared_ && shared_used_ + length > shared_;
  }
  [[nodiscard]] bool belowXon(std::uint32_t input, unsigned priority) const;
  [[nodiscard]] bool pausing(std::uint32_t input, unsigned priority) const {
    return inputs_[input * 8 + priority].pausing;
  }
  void setPausing(std::uint32_t input, unsigned priority, bool pausing) {
    inputs_[input * 8 + priority].pausing = pausing;
  }
  // To the shared part, or to the headroom; false when that is full.
  bool chargeInput(std::uint32_t input, unsigned priority, std::int64_t length, bool headroom);
  void releaseInput(std::uint32_t input, unsigned priority, std::int64_t length);

  // Frames that need nobody's leave at the output: lossless ones, and those on CBFC channels, whose
  // room is what credits stand for.
  static void chargeAlways(Account& out, std::int64_t length) {
    out.bytes += length;
    out.most = std::max(out.most, out.bytes);
  }
  static void releaseAlways(Account& out, std::int64_t length) { out.bytes -= length; }

 private:
  struct Input {
    std::int64_t shared = 0;
    std::int64_t headroom = 0;
    bool pausing = false;
  };

  [[nodiscard]] std::int64_t sharedOf(std::int64_t lossy) const {
    return lossy > reserve_ ? lossy - reserve_ : 0;
  }
  [[nodiscard]] std::int64_t threshold(std::int64_t alpha) const {
    return threshold(alpha, shared_used_);
  }
  [[nodiscard]] std::int64_t threshold(std::int64_t alpha, std::int64_t used) const {
    return used >= shared_ ? 0 : (shared_ - used) * alpha >> kAlphaBits;
  }
  [[nodiscard]] std::int64_t xoff(std::int64_t used) const {
    return pfc_alpha_ == 0 ? xoff_ : threshold(pfc_alpha_, used);
  }

  // Alphas are kept in units of 1/4096: a product with any buffer size fits 64 bits.
  static constexpr unsigned kAlphaBits = 12;
  static std::int64_t fixedAlpha(Fraction alpha);

  bool is_shared_ = false;
  std::int64_t per_port_ = 0;
  std::int64_t shared_ = 0;  // bytes that reserves and headrooms leave
  std::int64_t shared_used_ = 0;
  std::int64_t reserve_ = 0;
  std::int64_t alpha_ = 0;
  std::int64_t xoff_ = 0;
  std::int64_t xon_ = 0;
  std::int64_t pfc_alpha_ = 0;  // 0 = static thresholds
  std::int64_t headroom_ = 0;
  PagedVector<Input> inputs_;  // [input][priority]
};

inline bool SwitchBuffer::overXoff(std::uint32_t input, unsigned priority,
                                   std::int64_t length) const {
  const Input& in = inputs_[input * 8 + priority];
  if (sharedFull(length)) return true;
  return in.shared + in.headroom + length > xoff(shared_used_);
}

inline bool SwitchBuffer::belowXon(std::uint32_t input, unsigned priority) const {
  const Input& in = inputs_[input * 8 + priority];
  const std::int64_t xon =
      pfc_alpha_ == 0 ? xon_ : std::max<std::int64_t>(xoff(shared_used_) - (xoff_ - xon_), 0);
  return in.headroom == 0 && in.shared <= xon;
}

inline bool SwitchBuffer::chargeInput(std::uint32_t input, unsigned priority, std::int64_t length,
                                      bool headroom) {
  Input& in = inputs_[input * 8 + priority];
  if (headroom) {
    if (in.headroom + length > headroom_) return false;
    in.headroom += length;
  } else {
    in.shared += length;
    if (is_shared_) shared_used_ += length;
  }
  return true;
}

inline void SwitchBuffer::releaseInput(std::uint32_t input, unsigned priority,
                                       std::int64_t length) {
  Input& in = inputs_[input * 8 + priority];
  const std::int64_t from_headroom = std::min(in.headroom, length);
  in.headroom -= from_headroom;
  in.shared -= length - from_headroom;
  if (is_shared_) shared_used_ -= length - from_headroom;
}

}  // namespace plumbline::fabric
