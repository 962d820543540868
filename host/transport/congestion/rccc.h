// RCCC, the receiver-credit congestion control of UET: the destination paces the total of its
// sources (docs/model/uet.md). Counters are cumulative, in units of 256 bytes; on the wire they
// have 24 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "fabric/engine/ring.h"
#include "transport/uet/uet_spec.h"
#include "transport/uet/uet_wire.h"

namespace plumbline::transport {

// The source's account with one destination.
class RcccSource {
 public:
  RcccSource() = default;
  // Starts with `max_window` bytes of speculative credit. Unspent credit never exceeds this, but
  // for less than a unit, to which requests are rounded up.
  // `credit`: cumulative credit that the destination gave earlier.
  RcccSource(std::int64_t max_window, std::uint32_t credit)
      : unspent_(max_window), max_window_(max_window), credit_(credit) {}

  [[nodiscard]] bool maySend() const { return unspent_ > 0; }
  // The last packet may overdraw the account; the next grant covers it.
  void spend(std::int64_t bytes) { unspent_ -= bytes; }
  // After the destination's first grant or NACK, or a retransmission timeout, speculative credit
  // must not be used any more.
  void stopSpeculating();
  // Cumulative credit from the destination.
  void onCredit(std::uint32_t credit);

  // The credit_target to request. `backlog`: bytes to be sent or retransmitted. `mtu`: the least
  // request before the destination has answered. `limit`: NSCC's limit, if it is used as well.
  // `sharers`: destinations that share the NIC now, this one among them. With a backlog, credit up
  // to the target permits at least one packet.
  [[nodiscard]] std::uint32_t target(std::int64_t backlog, std::int64_t mtu,
                                     std::optional<std::int64_t> limit,
                                     std::uint32_t sharers) const;

  [[nodiscard]] std::int64_t unspent() const { return unspent_; }
  [[nodiscard]] std::uint32_t credit() const { return credit_; }
  [[nodiscard]] bool speculating() const { return speculating_; }

 private:
  std::int64_t unspent_ = 0;     // bytes
  std::int64_t max_window_ = 0;  // bytes
  std::uint32_t credit_ = 0;     // last cumulative credit received, 24 bits
  bool speculating_ = true;
};

// The destination: grants credit to its sources in turn, at the rate of its own link.
class RcccPacer {
 public:
  // One grant gives at most `grant` bytes; grants of g bytes are g·8 / (rate·pace) apart.
  RcccPacer(BitRate rate, Bytes grant, Fraction pace);

  // `source` requests credit up to cumulative `target`. `renew`: it has waited long, so that credit
  // may have been lost; its total credit is sent again. `source` indices are small.
  void request(std::uint32_t source, std::uint32_t target, bool renew);

  struct Grant {
    std::uint32_t source = 0;
    std::uint32_t credit = 0;  // cumulative, 24 bits
    std::uint32_t bytes = 0;   // by which it grows
  };
  // The grant that is due at `now`, if any.
  std::optional<Grant> next(Picoseconds now);
  // When the next one is due; kNever without requests.
  [[nodiscard]] Picoseconds nextAt() const { return active_.empty() ? fabric::kNever : next_at_; }

  // From a grant of `bytes` to the next: rounded up to a picosecond.
  [[nodiscard]] Picoseconds spacing(std::int64_t bytes) const;

 private:
  struct Source {
    std::uint32_t target = 0;   // highest requested, 24 bits
    std::uint32_t granted = 0;  // cumulative, 24 bits
    bool listed = false;        // in active_
    bool renew = false;
  };

  BitRate rate_;
  Fraction pace_;
  std::int32_t grant_;  // units of 256 bytes
  Picoseconds next_at_{};
  std::vector<Source> sources_;
  fabric::Ring<std::uint32_t> active_;  // in turn
};

}  // namespace plumbline::transport
