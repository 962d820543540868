#include "serving/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/exponential.h"
#include "base/work.h"

namespace plumbline::serving {
namespace {

constexpr std::int64_t kMaxRunSeconds = 4'000'000;
constexpr Picoseconds kLongestPhase = seconds(100'000);
constexpr std::uint32_t kMaxValues = 1U << 18;  // of a Zipf distribution, which has a table

[[noreturn]] void refuseWorkload(const std::string& what, const char* where,
                                 const std::string& remedy) {
  throw Error(ErrorKind::kUsage, what, where, remedy);
}

void checkLength(const LengthSpec& spec, const char* name, bool with_trace) {
  if (spec.kind == LengthKind::kTrace) {
    if (!with_trace) refuseWorkload(fmt::format("{} lengths of no trace", name), name, "a trace");
    return;
  }
  if (spec.low < 1 || spec.low > kMaxTokens) {
    refuseWorkload(fmt::format("{} of {} tokens", name, spec.low), name, "1 token or more");
  }
  if (spec.kind == LengthKind::kFixed) return;
  if (spec.high < spec.low || spec.high > kMaxTokens) {
    refuseWorkload(fmt::format("{} of {} to {} tokens", name, spec.low, spec.high), name,
                   "a range that does not end before it begins");
  }
  const bool zipf = spec.kind == LengthKind::kZipfRank || spec.kind == LengthKind::kZipfValue;
  if (zipf && (spec.high - spec.low >= kMaxValues || !(spec.alpha >= 0 && spec.alpha <= 20))) {
    refuseWorkload(fmt::format("a Zipf distribution of {} over {} values", spec.alpha,
                               spec.high - spec.low + 1),
                   name, fmt::format("an exponent of 0 to 20, {} values at most", kMaxValues));
  }
  if (spec.kind == LengthKind::kLognormal &&
      !(spec.mean >= 1 && spec.mean <= 1e9 && spec.cv >= 0 && spec.cv <= 100)) {
    refuseWorkload(fmt::format("lognormal {} of mean {} and CV {}", name, spec.mean, spec.cv), name,
                   "a mean of 1 to 10^9 tokens, a CV of 0 to 100");
  }
}

void checkArrivals(const ArrivalSpec& spec, bool with_trace) {
  if (spec.kind == ArrivalKind::kClosed) {
    if (spec.concurrency < 1) {
      refuseWorkload("a closed loop with no request in flight", "concurrency", "1 or more");
    }
    return;
  }
  if (spec.kind == ArrivalKind::kTrace) {
    if (!with_trace) refuseWorkload("arrivals of no trace", "arrivals", "a trace");
    if (!(spec.time_scale > 0 && spec.time_scale <= 1e6)) {
      refuseWorkload(fmt::format("times of a trace scaled by {}", spec.time_scale), "time_scale",
                     "more than 0, at most 10^6");
    }
    return;
  }
  if (!(spec.rate >= 1e-3 && spec.rate <= 1e9)) {
    refuseWorkload(fmt::format("{} requests per second", spec.rate), "rate", "10^-3 to 10^9");
  }
  if (spec.kind == ArrivalKind::kGamma && !(spec.cv > 0 && spec.cv <= 100)) {
    refuseWorkload(fmt::format("gaps with a CV of {}", spec.cv), "cv", "more than 0, at most 100");
  }
  if (spec.kind != ArrivalKind::kOnOff) return;
  if (!(spec.on > Picoseconds() && spec.off >= Picoseconds())) {
    refuseWorkload("on/off arrivals that are never on", "on", "more than 0 s on, 0 s or more off");
  }
  if (spec.on > kLongestPhase || spec.off > kLongestPhase) {
    refuseWorkload("a phase of more than 100,000 s", spec.on > kLongestPhase ? "on" : "off",
                   "100,000 s at most");
  }
  const double on_rate =
      spec.rate * (spec.on.toSeconds() + spec.off.toSeconds()) / spec.on.toSeconds();
  if (on_rate > 1e9) {
    refuseWorkload(fmt::format("{} requests per second while they are on", on_rate), "on",
                   "at most 10^9: longer on, or shorter off");
  }
}

// A time that a run can still count [ps].
Picoseconds arrivalTime(Int128 ps) {
  if (ps > seconds(kMaxRunSeconds).count()) {
    refuseWorkload(fmt::format("a request arrives more than {} s after the start", kMaxRunSeconds),
                   "arrivals", "a higher rate, shorter silences or fewer requests");
  }
  return Picoseconds(static_cast<std::int64_t>(ps));
}

// Limits a random number of picoseconds to the range of the type.
std::int64_t wholePicoseconds(double ps) {
  return std::llround(std::min(ps, static_cast<double>(seconds(kMaxRunSeconds).count())));
}

// Marsaglia's polar method; the second number of a pair is dropped.
double normal(RandomStream& random) {
  for (;;) {
    const double a = 2 * uniform(random) - 1;
    const double b = 2 * uniform(random) - 1;
    const double square = a * a + b * b;
    if (square > 0 && square < 1) return a * std::sqrt(-2 * std::log(square) / square);
  }
}

// Marsaglia and Tsang (2000), of mean `shape`; below 1 with their boost.
double gammaOf(RandomStream& random, double shape) {
  if (shape < 1) {
    const double boost = std::pow(1 - uniform(random), 1 / shape);
    return gammaOf(random, shape + 1) * boost;
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(random);
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    const double u = 1 - uniform(random);
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

bool needsTrace(const WorkloadSpec& spec) {
  return spec.arrivals.kind == ArrivalKind::kTrace || spec.prompt.kind == LengthKind::kTrace ||
         spec.output.kind == LengthKind::kTrace;
}

}  // namespace

double uniform(RandomStream& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }

void check(const WorkloadSpec& spec, bool with_reader) {
  const bool with_trace = with_reader || spec.trace != nullptr;
  if (with_trace && !needsTrace(spec)) {
    refuseWorkload("neither times nor lengths of the trace are used", "trace",
                   "arrivals, prompt or output of the trace");
  }
  if (spec.trace != nullptr && spec.arrivals.kind == ArrivalKind::kTrace &&
      spec.trace->rate() <= 0) {
    refuseWorkload("times of a trace whose requests all arrive at once", "arrivals",
                   "another kind of arrivals, or a trace with times");
  }
  checkArrivals(spec.arrivals, with_trace);
  checkLength(spec.prompt, "prompt", with_trace);
  checkLength(spec.output, "output", with_trace);
  if (!(spec.arrivals.keep > 0 && spec.arrivals.keep <= 1)) {
    refuseWorkload(fmt::format("a share of {} of the trace", spec.arrivals.keep), "keep",
                   "more than 0, at most 1");
  }
  const PrefixSpec& prefix = spec.prefix;
  if (!(prefix.share >= 0 && prefix.share <= 1)) {
    refuseWorkload(fmt::format("a prefix in a share of {} of the requests", prefix.share), "share",
                   "0 to 1");
  }
  if (prefix.share > 0 && spec.prompt.kind == LengthKind::kTrace) {
    refuseWorkload("prefixes for prompts of a trace", "prefix", "the prefixes of the trace");
  }
  if (prefix.share > 0 && (prefix.tokens < 1 || prefix.groups < 1 || prefix.groups > kMaxValues ||
                           !(prefix.alpha >= 0 && prefix.alpha <= 20))) {
    refuseWorkload(
        fmt::format("{} of prefixes of {}, Zipf exponent {}", counted(prefix.groups, "group"),
                    counted(prefix.tokens, "token"), prefix.alpha),
        "prefix", "1 group or more of 1 token or more, an exponent of 0 to 20");
  }
}

double meanPrompt(const WorkloadSpec& spec) {
  if (spec.prompt.kind == LengthKind::kTrace && spec.trace) return spec.trace->meanPrompt();
  return LengthSampler(spec.prompt).mean();
}

double meanOutput(const WorkloadSpec& spec) {
  if (spec.output.kind == LengthKind::kTrace && spec.trace) return spec.trace->meanOutput();
  return LengthSampler(spec.output).mean();
}

std::uint32_t maxOutput(const WorkloadSpec& spec) {
  if (spec.output.kind == LengthKind::kTrace && spec.trace) return spec.trace->maxOutput();
  return spec.output.kind == LengthKind::kFixed ? spec.output.low : spec.output.high;
}

double requestRate(const WorkloadSpec& spec) {
  if (spec.arrivals.kind != ArrivalKind::kTrace || !spec.trace) return spec.arrivals.rate;
  return spec.trace->rate() * spec.arrivals.keep / spec.arrivals.time_scale;
}

void setRequestRate(WorkloadSpec& spec, double rate) {
  if (spec.arrivals.kind != ArrivalKind::kTrace || !spec.trace) {
    spec.arrivals.rate = rate;
  } else {
    spec.arrivals.time_scale = spec.trace->rate() * spec.arrivals.keep / rate;
  }
}

std::optional<Picoseconds> traceLength(const WorkloadSpec& spec) {
  if (!spec.trace) return std::nullopt;
  if (spec.arrivals.kind == ArrivalKind::kTrace) {
    return Picoseconds(wholePicoseconds(static_cast<double>(spec.trace->length().count()) *
                                        spec.arrivals.time_scale));
  }
  const double requests = static_cast<double>(spec.trace->requests().size()) * spec.arrivals.keep;
  return Picoseconds(wholePicoseconds(requests / spec.arrivals.rate * 1e12));
}

LengthSampler::LengthSampler(const LengthSpec& spec) : spec_(spec) {
  switch (spec.kind) {
    case LengthKind::kFixed:
    case LengthKind::kTrace:
      mean_ = spec.low;
      break;
    case LengthKind::kUniform:
      mean_ = (static_cast<double>(spec.low) + spec.high) / 2;
      break;
    case LengthKind::kZipfValue:
    case LengthKind::kZipfRank: {
      const std::uint32_t offset = spec.kind == LengthKind::kZipfRank ? spec.low - 1 : 0;
      cumulative_.reserve(spec.high - spec.low + 1);
      double sum = 0;
      double weighted = 0;
      checkWork();
      for (std::uint64_t n = spec.low; n <= spec.high; ++n) {
        const double weight = std::pow(static_cast<double>(n - offset), -spec.alpha);
        sum += weight;
        weighted += weight * static_cast<double>(n);
        cumulative_.push_back(sum);
      }
      mean_ = weighted / sum;
      break;
    }
    case LengthKind::kLognormal:
      mean_ = spec.mean;
      sigma_ = std::sqrt(std::log1p(spec.cv * spec.cv));
      mu_ = std::log(spec.mean) - sigma_ * sigma_ / 2;
      break;
  }
}

std::uint32_t LengthSampler::next(RandomStream& random) {
  switch (spec_.kind) {
    case LengthKind::kFixed:
    case LengthKind::kTrace:
      return spec_.low;
    case LengthKind::kUniform:
      return spec_.low +
             static_cast<std::uint32_t>(random.below(std::uint64_t{spec_.high} - spec_.low + 1));
    case LengthKind::kZipfValue:
    case LengthKind::kZipfRank: {
      const double at = uniform(random) * cumulative_.back();
      const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, at);
      return spec_.low + static_cast<std::uint32_t>(found - cumulative_.begin());
    }
    case LengthKind::kLognormal: {
      const double value = std::exp(mu_ + sigma_ * normal(random));
      const double cut =
          std::clamp(value, static_cast<double>(spec_.low), static_cast<double>(spec_.high));
      return static_cast<std::uint32_t>(std::llround(cut));
    }
  }
  return spec_.low;
}

Workload::Workload(const WorkloadSpec& spec, std::uint64_t seed, std::unique_ptr<TraceReader> trace)
    : spec_(spec),
      trace_(trace == nullptr && spec.trace != nullptr ? readerOf(spec.trace) : std::move(trace)),
      arrival_random_(seed, "serving/arrivals"),
      prompt_random_(seed, "serving/prompt"),
      output_random_(seed, "serving/output"),
      prefix_random_(seed, "serving/prefix") {
  check(spec, trace_ != nullptr);
  if (spec.prompt.kind != LengthKind::kTrace) prompt_.emplace(spec.prompt);
  if (spec.output.kind != LengthKind::kTrace) output_.emplace(spec.output);
  if (spec.prefix.share > 0) {
    LengthSpec group;
    group.kind = LengthKind::kZipfValue;
    group.high = spec.prefix.groups;
    group.alpha = spec.prefix.alpha;
    group_.emplace(group);
  }
}

Picoseconds Workload::gap() {
  const ArrivalSpec& spec = spec_.arrivals;
  const Picoseconds mean(std::llround(1e12 / spec.rate));
  switch (spec.kind) {
    case ArrivalKind::kPoisson:
      return exponentialGap(arrival_random_, mean);
    case ArrivalKind::kConstant:
      return mean;
    case ArrivalKind::kGamma: {
      const double shape = 1 / (spec.cv * spec.cv);
      const double unit = gammaOf(arrival_random_, shape) / shape;
      return Picoseconds(wholePicoseconds(unit * static_cast<double>(mean.count())));
    }
    case ArrivalKind::kOnOff: {
      // Poisson on the clock of the on phases alone, with a correspondingly higher rate.
      const double on_share =
          static_cast<double>(spec.on.count()) / static_cast<double>((spec.on + spec.off).count());
      const Picoseconds on_mean(std::llround(static_cast<double>(mean.count()) * on_share));
      on_time_ += exponentialGap(arrival_random_, on_mean);
      return arrivalTime(static_cast<Int128>(spec.off.count()) * (on_time_ / spec.on) +
                         on_time_.count()) -
             now_;
    }
    case ArrivalKind::kTrace:
    case ArrivalKind::kClosed:
      break;
  }
  return Picoseconds();
}

void Workload::addPrefix(Request& request) {
  if (!group_ || uniform(prefix_random_) >= spec_.prefix.share) return;
  request.prefix_span = spec_.prefix.tokens;
  request.prefix = {group_->next(prefix_random_)};
}

std::optional<Request> Workload::next() {
  if (made_ == spec_.requests) return std::nullopt;
  Request request;
  if (trace_ != nullptr) {
    do {
      auto from_trace = trace_->next();
      if (!from_trace) return std::nullopt;
      request = std::move(*from_trace);
    } while (spec_.arrivals.keep < 1 && uniform(arrival_random_) >= spec_.arrivals.keep);
  }
  ++made_;
  if (spec_.arrivals.kind == ArrivalKind::kTrace) {
    if (spec_.arrivals.time_scale != 1) {
      const double scaled =
          static_cast<double>(request.arrival.count()) * spec_.arrivals.time_scale;
      request.arrival = Picoseconds(wholePicoseconds(scaled));
    }
    request.arrival = arrivalTime(request.arrival.count());
  } else {
    now_ = arrivalTime(static_cast<Int128>(now_.count()) + gap().count());
    request.arrival = now_;
  }
  if (prompt_) {
    request.prompt = prompt_->next(prompt_random_);
    request.prefix.clear();
    request.prefix_span = 0;
    addPrefix(request);
  }
  if (output_) request.output = output_->next(output_random_);
  return request;
}

}  // namespace plumbline::serving
