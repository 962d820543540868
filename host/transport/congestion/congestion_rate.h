// Interface of rate-based congestion control: the sending rate of a RoCEv2 queue pair.
//
// An algorithm is a class in a file of its own, shared by all queue pairs of a host, and a state
// per queue pair, which begins with its first CNP; before that a queue pair sends at line rate. If
// the algorithm starts below line rate, the state is there from the beginning. RoceProtocol uses
// the members of RateAlgorithm only. To add one: the class, its factors in RoceSpec, and
// RateControl as one of both. Window-based control has an interface of its own
// (congestion_window.h).
#pragma once

#include <concepts>
#include <cstdint>

#include "base/units.h"
#include "transport/congestion/dcqcn.h"

namespace plumbline::transport {

// initial(): the state before the first CNP, used only if startsBelowLine(). firstCnp(): the state
// right after a queue pair's first CNP. onSent(): a frame of `bytes` has begun to leave. advance():
// timers expire up to and including `now`. paidAt(): when the rate permits the next frame after
// bytes that began to leave at `start`, if no CNP comes before.
template <typename T>
concept RateAlgorithm = requires(const T& algorithm, typename T::State& state, Picoseconds now,
                                 std::int64_t bytes) {
  { algorithm.startsBelowLine() } -> std::same_as<bool>;
  { algorithm.initial() } -> std::same_as<typename T::State>;
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
