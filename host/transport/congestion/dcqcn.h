// DCQCN's reaction point: the rate of one QP from its CNPs, its bytes and time (Zhu et al.,
// "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015; QCN, IEEE 802.1Qau).
#pragma once

#include <cstdint>

#include "base/units.h"
#include "transport/roce/roce_spec.h"

namespace plumbline::transport {

// State of a QP from its first CNP on, or from the beginning with a max_rate below line rate. A QP
// without one sends at line rate.
struct DcqcnState {
  double current = 0;  // Rc [bit/s]
  double target = 0;   // Rt [bit/s]
  double alpha = 0;
  Picoseconds alpha_at;     // next expiry of the alpha timer
  Picoseconds increase_at;  // next expiry of the increase timer
  Picoseconds cut_at;       // last cut
  std::int64_t bytes = 0;   // since the byte counter last expired
  std::uint32_t byte_stage = 0;
  std::uint32_t time_stage = 0;
};
static_assert(sizeof(DcqcnState) == 64);

// The rules, shared by all QPs of a host: a RateAlgorithm (congestion_rate.h). Timers cause no
// events; the state catches up when it is read, with every expiry at its own time. A timer that
// expires at the instant of a CNP or a packet acts first.
class DcqcnRules {
 public:
  using State = DcqcnState;

  // `spec` is validated. `line` is the host's link rate.
  DcqcnRules(const DcqcnSpec& spec, BitRate line);

  // Whether QPs are slower than the line before their first CNP, and so need initial().
  [[nodiscard]] bool startsBelowLine() const { return starts_below_line_; }
  // The state of a QP before its first CNP: max_rate, and no timer runs.
  [[nodiscard]] DcqcnState initial() const;
  // The state right after a QP's first CNP.
  [[nodiscard]] DcqcnState firstCnp(Picoseconds now) const;
  void onCnp(DcqcnState& state, Picoseconds now) const;
  // A frame of `bytes` has begun to leave.
  void onSent(DcqcnState& state, std::int64_t bytes, Picoseconds now) const;

  // Lets timers expire up to and including `now`.
  void advance(DcqcnState& state, Picoseconds now) const;
  // When the rate permits the next frame after `wire_bytes` (frame with preamble and gap) that
  // began to leave at `start`: the first time t >= start with t - start >= wire_bytes / Rc(t), if
  // no CNP comes before.
  [[nodiscard]] Picoseconds paidAt(const DcqcnState& state, Picoseconds start,
                                   std::int64_t wire_bytes) const;

 private:
  void cut(DcqcnState& state, Picoseconds now) const;
  void restart(DcqcnState& state, Picoseconds now) const;
  void increase(DcqcnState& state) const;
  void expireIncreaseTimer(DcqcnState& state, Picoseconds now) const;
  [[nodiscard]] bool saturated(const DcqcnState& state) const {
    return state.current >= max_rate_ && state.target >= max_rate_;
  }

  DcqcnSpec spec_;
  double min_rate_;
  double max_rate_;
  bool starts_below_line_;
};

}  // namespace plumbline::transport
