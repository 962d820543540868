// Sources of requests: arrival processes, lengths, shared prefixes, and traces.
//
// Random numbers are integers from seeded streams; gamma, lognormal and Zipf use the C library's
// log(), exp() and pow(), so that they are the same on machines with the same C library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "base/units.h"
#include "serving/request.h"
#include "serving/stored_trace.h"
#include "serving/trace_reader.h"

namespace plumbline::serving {

enum class ArrivalKind {
  kPoisson,
  kGamma,     // gaps with coefficient of variation `cv`
  kConstant,  // equal gaps
  kOnOff,     // Poisson during `on`, nothing during `off`
  kTrace,     // the times of the trace
  kClosed,    // `concurrency` requests at any time; no open loop, and labelled so
};

struct ArrivalSpec {
  ArrivalKind kind = ArrivalKind::kPoisson;
  // Requests per second: the mean, including silences of kOnOff; not for kTrace, whose rate follows
  // from `time_scale` and `keep` (requestRate()).
  double rate = 1;
  double cv = 1;
  Picoseconds on;
  Picoseconds off;
  double time_scale = 1;  // factor of a trace's times: 0.5 is twice as fast, and as bursty
  double keep = 1;        // share of a trace's requests that are kept, at random
  std::uint32_t concurrency = 1;
};

enum class LengthKind {
  kFixed,      // `low`
  kUniform,    // low to high
  kZipfValue,  // P(n) ~ n^-alpha over low to high
  kZipfRank,   // P(n) ~ (n - low + 1)^-alpha over low to high
  kLognormal,  // of `mean` and `cv`, rounded, limited to low to high
  kTrace,      // the trace's
};

struct LengthSpec {
  LengthKind kind = LengthKind::kFixed;
  std::uint32_t low = 1;  // 1 or more
  std::uint32_t high = 1;
  double alpha = 1;
  double mean = 1;
  double cv = 1;
};

// A share of the requests begins with one of `groups` common prefixes of `tokens` tokens, of which
// prefix g is chosen with probability ~ g^-alpha.
struct PrefixSpec {
  double share = 0;
  std::uint32_t tokens = 0;
  std::uint32_t groups = 1;
  double alpha = 0;
};

struct WorkloadSpec {
  ArrivalSpec arrivals;
  LengthSpec prompt;
  LengthSpec output;
  PrefixSpec prefix;                    // not with a trace's prompts, which have their own
  std::uint64_t requests = UINT64_MAX;  // at most
  // Source of the times and lengths of kTrace; nothing if a reader is given instead.
  std::shared_ptr<const StoredTrace> trace;
};

// Throws Error(kUsage) with the reason for an invalid specification. `with_trace`: there is a
// reader.
void check(const WorkloadSpec& spec, bool with_trace);

// For specifications that have passed check(): mean tokens of a prompt and of an answer; for a
// lognormal distribution before it is limited.
double meanPrompt(const WorkloadSpec& spec);
double meanOutput(const WorkloadSpec& spec);
// The longest answer.
std::uint32_t maxOutput(const WorkloadSpec& spec);
// Mean requests per second of an open loop; and a change of it, which scales the times of a trace.
double requestRate(const WorkloadSpec& spec);
void setRequestRate(WorkloadSpec& spec, double rate);
// Duration of the load: until the last arrival of its stored trace; approximately so if only the
// lengths come from the trace. Nothing if it never ends.
std::optional<Picoseconds> traceLength(const WorkloadSpec& spec);

// Random lengths of a specification that has passed check() and is not kTrace.
class LengthSampler {
 public:
  explicit LengthSampler(const LengthSpec& spec);
  std::uint32_t next(RandomStream& random);
  // Of the distribution before it is limited (kLognormal), exact otherwise.
  [[nodiscard]] double mean() const { return mean_; }

 private:
  LengthSpec spec_;
  std::vector<double> cumulative_;  // of Zipf
  double mean_ = 0;
  double mu_ = 0;  // of the logarithm
  double sigma_ = 0;
};

// The requests of a run, in the order of their arrival.
class Workload {
 public:
  // `trace`, a reader, instead of spec.trace: for traces too long to be stored. Throws as check().
  Workload(const WorkloadSpec& spec, std::uint64_t seed,
           std::unique_ptr<TraceReader> trace = nullptr);

  // Nothing at the end. kClosed: arrivals are zero, the caller decides. Throws as the trace's
  // reader does, and Error(kUsage) for an arrival later than 4 * 10^6 s.
  std::optional<Request> next();

  [[nodiscard]] const WorkloadSpec& spec() const { return spec_; }
  [[nodiscard]] const TraceReader* trace() const { return trace_.get(); }

 private:
  Picoseconds gap();
  void addPrefix(Request& request);

  WorkloadSpec spec_;
  std::unique_ptr<TraceReader> trace_;
  std::optional<LengthSampler> prompt_;
  std::optional<LengthSampler> output_;
  std::optional<LengthSampler> group_;
  RandomStream arrival_random_;
  RandomStream prompt_random_;
  RandomStream output_random_;
  RandomStream prefix_random_;
  std::uint64_t made_ = 0;
  Picoseconds now_;
  Picoseconds on_time_;  // kOnOff: time within on phases
};

// Uniform in [0, 1).
double uniform(RandomStream& random);

}  // namespace plumbline::serving
