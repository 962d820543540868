// llr-retry: link-level retry under bit errors, and its duration.
//
// Swept: the pairs of the scenario, each a hop, one direction of a bare link with LLR on at both
// ends; and ratios of random bit errors in the frames of the pair's sender; first a point with
// single errors on an otherwise idle line, where a retry takes the computed time to the clock. One
// stream at a time, at kRetryLoad of line rate: it is both background and measurement, as each of
// its frames may be damaged and timed, and the way back is free for the NACKs. Where go-back-N
// leaves less than kRetryLoad of the line the load is what it leaves, as more would only queue.
// Measured by the receiving port for every retry: end of the damaged frame to end of its good copy.
// Computed: the same on a free line (bench/card/retry_time.h), and under load up to one frame more,
// which the sender is transmitting. Copies that are damaged too make one long retry of several such
// times.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/counted.h"
#include "bench/card/retry_time.h"
#include "suite/card/card.h"
#include "suite/card/card_procedure.h"
#include "suite/framework/retry_model.h"

namespace plumbline::suite {
namespace {

using bench::LinkRetryOutcome;
using bench::RetryTime;
using bench::TrialResult;

constexpr Fraction kRetryLoad = Fraction::percent(80);
constexpr Bytes kRetryFrame{512};
// Of the card, rounded up: how far a measured time may be from the computed one.
constexpr Picoseconds kClock{3104};
// Largest mean number of failed attempts per frame; beyond, a trial consists of retries only.
constexpr double kMaxFailures = 10;
// Single errors: every second frame, and frames further apart than any retry is long.
constexpr std::uint32_t kStruck = 2;
constexpr std::int64_t kApart = 4;
constexpr std::int64_t kMinFrames = 40;

class LlrRetryProcedure final : public CardProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "llr-retry"; }
  [[nodiscard]] std::string title() const override { return "Link-level retry"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"llr_retry_p99_ns", "llr_retry_max_ns", "llr_retry_error_ns", "lost_frames"};
  }

 protected:
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void reportCard(const Design& design, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override;
};

// The link of one point, from its trial.
struct Link {
  explicit Link(const bench::TrialSpec& spec)
      : stream(spec.streams.front()),
        slot(frameSlot(stream.frame, spec.dut.topology.link_rate)),
        free(bench::retryOnFreeLine(stream.frame, spec.dut.topology.host_link_delay)) {}

  // Under load the sender first finishes its current frame, half of one on average.
  [[nodiscard]] RetryTime retry(bool loaded) const {
    return {free.min, loaded ? free.max + slot : free.max};
  }
  // From the beginning of a damaged frame to that of its repetition, which is as long.
  [[nodiscard]] Picoseconds wasted() const { return free.max + slot / 2; }

  const bench::StreamSpec& stream;
  Picoseconds slot;
  RetryTime free;
};

std::optional<double> ratioOf(const SweepPoint& point) {
  const auto* errors = std::get_if<card::BitErrors>(&point.spec.damage.front().what);
  return errors != nullptr ? std::optional(errors->ratio) : std::nullopt;
}

RetryTime computed(const SweepPoint& point) {
  return Link(point.spec).retry(ratioOf(point).has_value());
}

double failuresUnder(double ratio, const Link& link) {
  return failuresPerFrame(ratio, static_cast<double>(link.stream.frame.count()));
}

// The share of the line under go-back-N, at most the usual load.
Fraction loadUnder(double ratio, const Link& link) {
  const double left = bench::goBackNShare(failuresUnder(ratio, link), link.slot, link.wasted());
  return std::min(kRetryLoad, Fraction::partsPerTrillion(std::llround(left * Fraction::kOne)));
}

// One direction of the link.
std::string hopName(std::uint32_t from, std::uint32_t to) {
  return fmt::format("{} to {}", from, to);
}

Design LlrRetryProcedure::design(const TestConfig& config) const {
  const std::vector<scenario::HostPair> pairs = config.scenario.hostPairs();
  Design design(config);
  if (pairs.size() > 1) design.axes.push_back({"Hop", ""});
  design.axes.push_back({"Bit errors", ""});
  design.repetitions = design.numbers.repetitions(1, 1);
  const std::vector<double> ratios = config.scenario.parameters.card.error_ratios.value_or(
      design.numbers.isStandard() ? std::vector{1e-7, 1e-6, 1e-5, 1e-4}
                                  : std::vector{1e-6, 1e-5, 1e-4});
  const Picoseconds duration = design.numbers.atLeast(
      "Trial duration", milliseconds(5), microseconds(200), config.scenario.parameters.duration);
  const SizePoint size = sizeOf(config, kRetryFrame);
  bench::TrialSpec spec = cardTrial(config, duration);
  spec.streams = {streamBetween(config, pairs.front(), size.frame, kRetryLoad)};
  const Link link(spec);
  const RetryTime longest = link.retry(true);
  if (longest.max > kLongestCardRetry) {
    design.refusals.push_back(
        fmt::format("a retry takes {:.1f} us on this link, the replay buffer is for {:.0f} us: a "
                    "shorter link delay",
                    longest.max.toMicroseconds(), kLongestCardRetry.toMicroseconds()));
    return design;
  }
  spec.link_retry = unlimitedRetry(longest.max);
  design.numbers.configure("Load", "at most " + percentText(kRetryLoad));
  design.numbers.configure("Frame", size.label);
  design.numbers.configure("Replays", "without limit");
  design.numbers.configure("Replay timer", valueText(spec.link_retry->config.replay_timer));
  std::vector<double> passing;
  for (const double ratio : ratios) {
    if (failuresUnder(ratio, link) <= kMaxFailures) {
      passing.push_back(ratio);
      continue;
    }
    const std::string why =
        fmt::format("frames of {} hardly ever pass at {:g} errors per bit", size.label, ratio);
    if (config.scenario.parameters.card.error_ratios) {
      design.refusals.push_back(why + ": shorter ones, or fewer errors");
    } else {
      design.numbers.deviation(why + ": left out");
    }
  }
  const Picoseconds apart = kApart * longest.max;
  const Fraction free_load =
      Fraction::partsPerTrillion(link.slot.count() * Fraction::kOne / apart.count());
  for (std::size_t hop = 0; hop < pairs.size(); ++hop) {
    const scenario::HostPair& pair = pairs[hop];
    const auto add = [&](std::string name, Fraction load, const auto& errors, Picoseconds time) {
      bench::TrialSpec trial = spec;
      trial.duration = time;
      trial.streams = {streamBetween(config, pair, size.frame, load)};
      trial.damage = {{pair.from, card::DamageDirection::kSent, errors}};
      std::vector<std::string> place{std::move(name)};
      if (pairs.size() > 1) place.insert(place.begin(), hopName(pair.from, pair.to));
      design.add(place, std::move(trial), 0);
    };
    add("single, line free", free_load,
        card::DamageRule{.kind = card::DamageKind::kBits,
                         .match = card::DamageMatch::kFlow,
                         .step = kStruck,
                         .offset = 320},
        std::max(duration, kMinFrames * apart));
    for (const double ratio : passing) {
      add(fmt::format("{:g} per bit", ratio), loadUnder(ratio, link),
          card::BitErrors{ratio, config.scenario.seed + hop}, duration);
    }
  }
  return design;
}

// Both ends of the link in a trial.
const LinkRetryOutcome& sender(const SweepPoint& point, const TrialResult& trial) {
  return trial.ports.at(point.spec.streams.front().from).link_retry.value();
}

const LinkRetryOutcome& receiver(const SweepPoint& point, const TrialResult& trial) {
  return trial.ports.at(point.spec.streams.front().to).link_retry.value();
}

std::uint64_t injectedErrors(const SweepPoint& point, const TrialResult& trial) {
  return trial.ports.at(point.spec.streams.front().from).damage_sent.value().counters.frames;
}

// Largest distance of any measured time from the computed ones [ns].
std::optional<double> retryError(const SweepPoint& point, const TrialResult& trial) {
  const LinkRetryOutcome& seen = receiver(point, trial);
  if (seen.damaged.count() == 0) return std::nullopt;
  return retryResidual(seen.damaged, computed(point), seen.counters.tx_nack);
}

// Good frames among all that were on the line.
double measuredShare(const LinkRetryOutcome& sent) {
  const auto once = static_cast<double>(sent.counters.tx_ok);
  return once / (once + static_cast<double>(sent.counters.tx_replay_frames));
}

// The same for go-back-N when the traffic takes `load` of the line, for the actual failures.
double computedShare(const SweepPoint& point, const TrialResult& trial, double load) {
  const Link link(point.spec);
  const double failures = static_cast<double>(receiver(point, trial).counters.expected_bad) /
                          static_cast<double>(sender(point, trial).counters.tx_ok);
  return goBackNShareAt(load, failures, link.slot, link.wasted());
}

double loadOf(const SweepPoint& point) {
  return std::get<bench::ConstantLoad>(point.spec.streams.front().load).rate.toDouble();
}

// A figure of a point and its trial.
template <typename Of>
Figure ofPoint(const Design& design, std::string column, std::string unit, std::string kpi, Of of) {
  return testerFigure(std::move(column), std::move(unit), std::move(kpi),
                      [&design, of](std::size_t place, const TrialResult& trial) {
                        return std::optional<double>(of(design.points[place], trial));
                      });
}

void addCounts(const Design& design, const std::vector<Measured>& measured,
               ResultBuilder& builder) {
  const auto counter = [&design](
                           std::string column, std::string unit,
                           const LinkRetryOutcome& (*end)(const SweepPoint&, const TrialResult&),
                           std::uint64_t card::LlrCounters::*member) {
    return ofPoint(design, std::move(column), std::move(unit), "",
                   [=](const SweepPoint& point, const TrialResult& trial) {
                     return static_cast<double>(end(point, trial).counters.*member);
                   });
  };
  const auto stream = [&design](std::string column, std::string kpi, auto member) {
    return ofPoint(design, std::move(column), "frames", std::move(kpi),
                   [=](const SweepPoint&, const TrialResult& trial) {
                     return static_cast<double>(trial.streams.front().*member);
                   });
  };
  addTable(
      design, measured,
      {ofPoint(design, "Load", "%", "",
               [](const SweepPoint& point, const TrialResult&) { return 100 * loadOf(point); }),
       counter("Sent", "frames", sender, &card::LlrCounters::tx_ok),
       ofPoint(design, "Damaged", "frames", "",
               [](const SweepPoint& point, const TrialResult& trial) {
                 return static_cast<double>(injectedErrors(point, trial));
               }),
       counter("Found damaged", "frames", receiver, &card::LlrCounters::rx_bad),
       counter("NACKs", "", receiver, &card::LlrCounters::tx_nack),
       counter("Replays", "", sender, &card::LlrCounters::tx_replay),
       counter("Sent again", "frames", sender, &card::LlrCounters::tx_replay_frames),
       stream("Lost", "lost_frames", &bench::StreamResult::lost),
       stream("Duplicate", "", &bench::StreamResult::duplicate),
       stream("Out of order", "", &bench::StreamResult::out_of_order)},
      {"counts",
       "What link-level retry did",
       "Damaged as the sending port counted what it broke, repetitions included. Lost, "
       "duplicate and out of order are above link-level retry: of the stream. The load is the "
       "configured one, or what go-back-N leaves of the line where that is less.",
       {},
       {}},
      builder);
}

void addTimes(const Design& design, const std::vector<Measured>& measured, ResultBuilder& builder) {
  // 0 is the smallest one, 1 the largest.
  const auto time = [&design](std::string column, std::string kpi, double quantile) {
    return testerFigure(
        std::move(column), "ns", std::move(kpi),
        [&design, quantile](std::size_t place, const TrialResult& trial) -> std::optional<Reading> {
          return quantileOf(receiver(design.points[place], trial).damaged, quantile, 1000);
        });
  };
  Figure median = time("P50", "", 0.5);
  median.primary = true;
  addTable(
      design, measured,
      {ofPoint(design, "Retries", "", "",
               [](const SweepPoint& point, const TrialResult& trial) {
                 return static_cast<double>(receiver(point, trial).damaged.count());
               }),
       ofPoint(design, "Computed, least", "ns", "",
               [](const SweepPoint& point, const TrialResult&) {
                 return computed(point).min.toNanoseconds();
               }),
       ofPoint(design, "Most", "ns", "",
               [](const SweepPoint& point, const TrialResult&) {
                 return computed(point).max.toNanoseconds();
               }),
       time("Measured, min", "", 0), median, time("P99", "llr_retry_p99_ns", 0.99),
       time("Max", "llr_retry_max_ns", 1),
       testerFigure("Error", "ns", "llr_retry_error_ns",
                    [&design](std::size_t place, const TrialResult& trial) {
                      return retryError(design.points[place], trial);
                    })},
      {"retries",
       "Retry latency of each hop",
       "From the end of a damaged frame at the receiver to the end of its good copy there, "
       "timed in hardware by the port that receives. Computed from link delay, MACs, clocks of the "
       "blocks and frame length, for one attempt; most includes the frame that the sender has in "
       "hand. Longer ones met further errors. Error: the largest distance of any retry from the "
       "times of one, two, three and more attempts.",
       {},
       {}},
      builder);
}

void addShares(const Design& design, const std::vector<Measured>& measured,
               ResultBuilder& builder) {
  addTable(design, measured,
           {ofPoint(design, "Good frames", "%", "",
                    [](const SweepPoint& point, const TrialResult& trial) {
                      return 100 * measuredShare(sender(point, trial));
                    }),
            ofPoint(design, "Go-back-N at this load", "%", "",
                    [](const SweepPoint& point, const TrialResult& trial) {
                      return 100 * computedShare(point, trial, loadOf(point));
                    }),
            ofPoint(design, "On a full line", "%", "",
                    [](const SweepPoint& point, const TrialResult& trial) {
                      return 100 * computedShare(point, trial, 1);
                    })},
           {"efficiency",
            "Efficiency",
            "Share of good frames among all frames on the line. Go-back-N repeats all frames sent "
            "after a damaged one. The closed form gives this share for the failures that happened, "
            "once at the stream's load and once at full line rate, which holds while a replay is "
            "caught up. The measured share lies between the two, within one frame per failure.",
            {},
            {}},
           builder);
}

// Retries of all repetitions of a point.
stats::Histogram retriesOf(const Measured& measured) {
  stats::Histogram all;
  for (const TrialResult& trial : measured.trials) {
    all.merge(receiver(measured.point, trial).damaged);
  }
  return all;
}

std::size_t hops(const std::vector<Measured>& measured) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> all;
  for (const Measured& one : measured) {
    const bench::StreamSpec& stream = one.point.spec.streams.front();
    all.emplace(stream.from, stream.to);
  }
  return all.size();
}

void addDrawings(const std::vector<Measured>& measured, ResultBuilder& builder) {
  results::Chart chart;
  chart.id = "retry_latency";
  chart.title = "Retry latency";
  chart.x_label = "bit error ratio";
  chart.y_label = "retry latency [ns]";
  chart.log_x = chart.log_y = true;
  // Measured for each hop; the computed values are the same for all.
  const auto put = [&chart](const std::string& name, bool reference, double ratio, double value) {
    auto series = std::find_if(chart.series.begin(), chart.series.end(),
                               [&](const results::Series& one) { return one.name == name; });
    if (series == chart.series.end()) {
      series = chart.series.insert(series, results::Series{name, {}, {}, reference});
    }
    if (reference && std::find(series->x.begin(), series->x.end(), ratio) != series->x.end())
      return;
    series->x.push_back(ratio);
    series->y.push_back(value);
  };
  const bool one_hop = hops(measured) == 1;
  for (const Measured& one : measured) {
    const stats::Histogram all = retriesOf(one);
    if (all.count() == 0) continue;
    builder.result().distributions.push_back(
        {fmt::format("retries_{}", builder.result().distributions.size()),
         "Retry latency: " + one.point.label, "ps", ObservationPoint::kTester, all});
    const auto ratio = ratioOf(one.point);
    if (!ratio) continue;
    const bench::StreamSpec& stream = one.point.spec.streams.front();
    const std::string hop = one_hop ? "" : ", " + hopName(stream.from, stream.to);
    put("P50" + hop, false, *ratio, static_cast<double>(all.quantile(0.5)) / 1000);
    put("P99" + hop, false, *ratio, static_cast<double>(all.quantile(0.99)) / 1000);
    put("max" + hop, false, *ratio, static_cast<double>(all.maximum()) / 1000);
    put("computed, least", true, *ratio, computed(one.point).min.toNanoseconds());
    put("computed, most of one attempt", true, *ratio, computed(one.point).max.toNanoseconds());
  }
  if (chart.series.empty()) return;
  builder.result().charts.push_back(std::move(chart));
}

// Reports events that retries must prevent.
void check(const SweepPoint& point, const TrialResult& trial, ResultBuilder& builder) {
  const bench::StreamResult& stream = trial.streams.front();
  if (stream.lost + stream.duplicate + stream.out_of_order + stream.stale > 0) {
    builder.anomaly(fmt::format("above link-level retry {} lost, {} came twice and {} "
                                "out of order",
                                counted(stream.lost, "frame"), stream.duplicate,
                                stream.out_of_order + stream.stale),
                    point.label);
  }
  const LinkRetryOutcome& seen = receiver(point, trial);
  if (seen.counters.rx_bad != injectedErrors(point, trial)) {
    builder.anomaly(
        fmt::format("{} damaged, {} found to be", counted(injectedErrors(point, trial), "frame"),
                    seen.counters.rx_bad),
        point.label);
  }
  if (seen.missing.count() > 0) {
    builder.anomaly(fmt::format("{} of missing frames, and none was dropped",
                                counted(seen.missing.count(), "retry")),
                    point.label);
  }
  const double error = retryError(point, trial).value_or(0);
  if (error > kClock.toNanoseconds()) {
    builder.anomaly(
        fmt::format("retries took {:.1f} ns more or less than computed, over a clock", error),
        point.label);
  }
}

void LlrRetryProcedure::reportCard(const Design& design, const std::vector<Measured>& measured,
                                   ResultBuilder& builder) const {
  addCounts(design, measured, builder);
  addTimes(design, measured, builder);
  addShares(design, measured, builder);
  addDrawings(measured, builder);
  double lost = 0;
  double worst = 0;
  std::uint64_t retries = 0;
  for (const Measured& one : measured) {
    for (const TrialResult& trial : one.trials) {
      check(one.point, trial, builder);
      lost += lostFrames(trial);
      worst = std::max(worst, retryError(one.point, trial).value_or(0));
      retries += receiver(one.point, trial).damaged.count();
    }
  }
  results::Quantity total;
  total.value = lost;
  total.unit = "frames";
  builder.primary("lost", total);
  builder.result().summary = fmt::format(
      "{} retries, {:.0f} frames lost; times as computed within {:.3g} ns.", retries, lost, worst);
}

}  // namespace

const Procedure& llrRetryProcedure() {
  static const LlrRetryProcedure test;
  return test;
}

}  // namespace plumbline::suite
