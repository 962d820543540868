// Plain streams: frames sent by a clock without regard to the network. For the tester card's
// streams, and for loads that only a simulated host can send.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/units.h"
#include "fabric/engine/packet.h"

namespace plumbline::transport {

// Frames at a constant rate from start to end. A background load is one of these, or Poisson.
struct ConstantRate {
  Fraction rate;  // of the host's link, preamble and minimum gap included (L1)
};
// `bursts` bursts of `frames` frames at minimum gap plus `extra_gap`, their starts `interval`
// apart.
struct FrameBursts {
  std::uint32_t frames = 1;
  Bytes extra_gap{0};
  std::uint32_t bursts = 1;
  Picoseconds interval{};
};
// `rate` for `on`, then silence for `off`, repeated from start to end.
struct OnOffRate {
  Fraction rate;
  Picoseconds on{};
  Picoseconds off{};
};
// Exponentially distributed gaps from start to end; `rate` on average.
struct PoissonRate {
  Fraction rate;
};

struct PlainStream {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Bytes frame{64};  // including FCS, 64 to 9216
  std::uint8_t priority = 3;
  bool ect = true;
  bool trimmable = false;
  std::uint32_t qps = 1;  // in round robin, each with its own source port; 1 to 4096
  std::variant<ConstantRate, FrameBursts, OnOffRate, PoissonRate> load = ConstantRate{};
  Picoseconds start{};
  Picoseconds end{};        // no frame is due from here on; FrameBursts: ignored
  std::uint32_t group = 0;  // latencies of streams of one group are counted together
};

// All streams of a simulation; a stream's number is its index. Immutable.
class StreamPlan {
 public:
  // `rate`: of every host's link. Throws Error(kUsage), naming the stream, for values outside the
  // ranges above, a stream from a host to itself, and a rate outside (0, 1].
  StreamPlan(std::vector<PlainStream> streams, BitRate rate);

  [[nodiscard]] const std::vector<PlainStream>& streams() const { return streams_; }
  [[nodiscard]] BitRate rate() const { return rate_; }
  // Index of the stream among those of its receiver.
  [[nodiscard]] std::uint32_t row(std::uint32_t stream) const { return rows_[stream]; }

 private:
  std::vector<PlainStream> streams_;
  BitRate rate_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace plumbline::transport
