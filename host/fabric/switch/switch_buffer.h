// Admission of frames to a switch's buffer, and the thresholds of PFC.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/paged_memory.h"
#include "fabric/engine/packet.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

// Accounting of one switch's buffer (docs/model/switch.md has the equations).
//
// Lossy frames are charged to their egress port. With `buffer_per_port`, a port takes a frame if
// all its bytes then fit. With a shared buffer, the bytes of a port up to its reserve are not
// shared, those above it are, and a queue may grow to alpha times the free part of the shared
// buffer.
//
// Lossless (PFC) frames are charged to the ingress port and priority that they arrived at. They
// count as shared until their ingress port is above xoff or the shared part is full, and as
// headroom of that port from then on.
//
// A frame counts with its whole length from admission until its last bit has left.
class SwitchBuffer {
 public:
  // Bytes of one egress port, which keeps this with the rest of its state.
  struct Account {
    std::int64_t bytes = 0;  // waiting or in transmission
    std::int64_t lossy = 0;  // of these
    std::int64_t peak = 0;   // highest `bytes` so far
  };

  SwitchBuffer(const SwitchSpec& spec, std::uint32_t ports);

  // Whether the port takes a lossy frame now. `queued`: bytes of its priority. If frames that have
  // left are still counted, the result may be false instead of true, never the reverse.
  [[nodiscard]] bool fits(const Account& port, std::int64_t queued, std::int64_t length) const {
    if (!is_shared_) return fitsPort(port.lossy, length);
    const std::int64_t more = sharedOf(port.lossy + length) - sharedOf(port.lossy);
    if (more == 0) return true;
    return queued + length <= threshold(alpha_) && shared_used_ + more <= shared_;
  }
  void chargeEgress(Account& port, std::int64_t length) {
    if (is_shared_) shared_used_ += sharedOf(port.lossy + length) - sharedOf(port.lossy);
    port.lossy += length;
    chargeAlways(port, length);
  }
  void releaseEgress(Account& port, std::int64_t length) {
    if (is_shared_) shared_used_ -= sharedOf(port.lossy) - sharedOf(port.lossy - length);
    port.lossy -= length;
    port.bytes -= length;
  }

  // The same for a port with `lossy` bytes whose frames are all lossy, while certainlyFits().
  [[nodiscard]] bool fitsPort(std::int64_t lossy, std::int64_t length) const {
    return lossy + length <= port_limit_;
  }
  // Such a port now has `bytes`, and never had more than `peak`.
  void settle(Account& port, std::int64_t bytes, std::int64_t peak) {
    if (is_shared_) shared_used_ += sharedOf(bytes) - sharedOf(port.lossy);
    port = {.bytes = bytes, .lossy = bytes, .peak = peak};
  }

  [[nodiscard]] bool isShared() const { return is_shared_; }
  // Whether the shared part has room for every lossy frame if at most `arriving` bytes arrive, in
  // any order.
  [[nodiscard]] bool certainlyFits(std::int64_t arriving) const;
  // Lossless bytes of the ingress port: of the one of these priorities that has most.
  [[nodiscard]] std::int64_t fullest(std::uint32_t ingress, PriorityMask priorities) const;
  // Whether no frame lifts an ingress port above xoff that has at most `length` bytes with all that
  // arrive.
  [[nodiscard]] bool certainlyBelowXoff(std::int64_t length, std::int64_t arriving) const {
    return length <= xoff(shared_used_ + arriving);
  }

  // Whether a lossless frame of `length` bytes lifts its ingress port above xoff, or finds no
  // shared memory. If frames that have left are still counted, the result may be true instead of
  // false, never the reverse.
  [[nodiscard]] bool overXoff(std::uint32_t ingress, unsigned priority, std::int64_t length) const;
  [[nodiscard]] bool sharedFull(std::int64_t length) const {
    return is_shared_ && shared_used_ + length > shared_;
  }
  [[nodiscard]] bool belowXon(std::uint32_t ingress, unsigned priority) const;
  [[nodiscard]] bool pausing(std::uint32_t ingress, unsigned priority) const {
    return ingress_[ingress * 8 + priority].pausing;
  }
  void setPausing(std::uint32_t ingress, unsigned priority, bool pausing) {
    ingress_[ingress * 8 + priority].pausing = pausing;
  }
  // To the shared part, or to the headroom; false when that is full.
  bool chargeIngress(std::uint32_t ingress, unsigned priority, std::int64_t length, bool headroom);
  void releaseIngress(std::uint32_t ingress, unsigned priority, std::int64_t length);

  // Frames without a limit at the egress port: lossless ones, and those of CBFC channels, for which
  // credits reserve the room.
  static void chargeAlways(Account& port, std::int64_t length) {
    port.bytes += length;
    port.peak = std::max(port.peak, port.bytes);
  }
  static void releaseAlways(Account& port, std::int64_t length) { port.bytes -= length; }

 private:
  struct Ingress {
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
  std::int64_t port_limit_ = INT64_MAX;  // bytes of a port, without a shared buffer
  std::int64_t shared_ = 0;              // bytes: total without reserves and headrooms
  std::int64_t shared_used_ = 0;
  std::int64_t reserve_ = 0;
  std::int64_t alpha_ = 0;
  std::int64_t xoff_ = 0;
  std::int64_t xon_ = 0;
  std::int64_t pfc_alpha_ = 0;  // 0 = static thresholds
  std::int64_t headroom_ = 0;
  PagedVector<Ingress> ingress_;  // [ingress][priority]
};

inline bool SwitchBuffer::overXoff(std::uint32_t ingress, unsigned priority,
                                   std::int64_t length) const {
  const Ingress& in = ingress_[ingress * 8 + priority];
  if (sharedFull(length)) return true;
  return in.shared + in.headroom + length > xoff(shared_used_);
}

inline bool SwitchBuffer::belowXon(std::uint32_t ingress, unsigned priority) const {
  const Ingress& in = ingress_[ingress * 8 + priority];
  const std::int64_t xon =
      pfc_alpha_ == 0 ? xon_ : std::max<std::int64_t>(xoff(shared_used_) - (xoff_ - xon_), 0);
  return in.headroom == 0 && in.shared <= xon;
}

inline bool SwitchBuffer::chargeIngress(std::uint32_t ingress, unsigned priority,
                                        std::int64_t length, bool headroom) {
  Ingress& in = ingress_[ingress * 8 + priority];
  if (headroom) {
    if (in.headroom + length > headroom_) return false;
    in.headroom += length;
  } else {
    in.shared += length;
    if (is_shared_) shared_used_ += length;
  }
  return true;
}

inline void SwitchBuffer::releaseIngress(std::uint32_t ingress, unsigned priority,
                                         std::int64_t length) {
  Ingress& in = ingress_[ingress * 8 + priority];
  const std::int64_t from_headroom = std::min(in.headroom, length);
  in.headroom -= from_headroom;
  in.shared -= length - from_headroom;
  if (is_shared_) shared_used_ -= length - from_headroom;
}

}  // namespace plumbline::fabric
