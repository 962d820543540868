// The seam of rate-based congestion control: at which rate a queue pair of RoCEv2 sends.
//
// An algorithm is a class of its own file, shared by all queue pairs of a host, and a state of each
// queue pair, which begins with its first CNP; before that a queue pair sends at line rate.
// RoceProtocol knows no more of it than RateAlgorithm says. To add one: the class, its factors in
// RoceSpec, and RateControl as one of both. Window-based control has a seam of its own
// (congestion_window.h).
#pragma once

#include <concepts>
#include <cstdint>

#include "base/units.h"
#include "transport/congestion/dcqcn.h"

namespace plumbline::transport {

// firstCnp(): the state right after a queue pair's first CNP. onSent(): a frame of so many bytes
// has begun to leave. advance(): timers expire up to and including `now`. paidAt(): when bytes on
// the wire that began to leave at `start` have been paid for, if no CNP comes before.
template <typename T>
concept RateAlgorithm = requires(const T& algorithm, typename T::State& state, Picoseconds now,
                                 std::int64_t bytes) {
  { algorithm.firstCnp(now) } -> std::same_as<typename T::State>;
  algorithm.onCnp(state, now);
  algorithm.onSent(state, bytes, now);
  algorithm.advance(state, now);
  { algorithm.paidAt(state, now, bytes) } -> std::same_as<Picoseconds>;
  { state.current } -> std::convertible_to<double>;  // bit/s
};

using RateControl = DcqcnRules;
static_assert(RateAlgorithm<RateControl>);

}  // namespace plumbline::transport
