// incast-phase: N ports send bursts to one, in phase or staggered by given times.
//
// Swept: senders × stagger, the time from one sender's bursts to the next one's. Host 0 receives;
// senders are the hosts after it. Every sender sends bursts of back-to-back frames, so far apart
// that the receiver's link is idle before the next ones. Measured by the tester: when the first
// frame of every burst left its port, by the card's own timestamps; latency of every frame; loss.
// Host links are equally long, so the phases at the DUT are those of the departures. From the DUT,
// labelled so: its longest queue. Computed: lateness of each burst (at most one clock of the card,
// for whose edge it waits); difference between the distance of two senders' bursts and the stagger.
// A common start that the card missed makes the trial, and the result, invalid.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/counted.h"
#include "suite/card/card.h"
#include "suite/card/card_procedure.h"
#include "suite/framework/fabric_metrics.h"

namespace plumbline::suite {
namespace {

using bench::TrialResult;

constexpr Bytes kIncastFrame{1024};
constexpr std::uint32_t kDefaultBurst = 16;
constexpr std::uint32_t kBackgroundGroup = 1;
constexpr Picoseconds kIncastStart = microseconds(1);
// The interval is no multiple of the card's clock, so that bursts begin at all phases of it.
constexpr Picoseconds kOffGrid{1'234'567};

class IncastPhaseProcedure final : public CardProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "incast-phase"; }
  [[nodiscard]] std::string title() const override { return "Incast, in phase and staggered"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"phase_error_ns", "phase_spread_ns", "latency_max_ns", "queue_max_bytes",
            "lost_frames"};
  }

 protected:
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void reportCard(const Design& design, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override;
};

bool hasBackground(const scenario::CardParameters& own) {
  return own.background || own.background_gaps;
}

bench::TrialSpec trialOf(const TestConfig& config, std::uint32_t senders, Picoseconds stagger,
                         std::uint32_t frames, std::uint32_t bursts) {
  const Bytes frame = sizeOf(config, kIncastFrame).frame;
  const Picoseconds burst =
      frameSlot(frame, config.bench.line_rate) * static_cast<std::int64_t>(frames);
  const auto count = static_cast<std::int64_t>(senders);
  const Picoseconds interval = 2 * (burst + stagger) * count + kOffGrid;
  bench::TrialSpec spec =
      cardTrial(config, kIncastStart + interval * static_cast<std::int64_t>(bursts));
  spec.departures = frames * bursts;
  for (std::uint32_t i = 0; i < senders; ++i) {
    bench::StreamSpec stream = streamBetween(config, {i + 1, 0}, frame, Fraction::one());
    stream.load = bench::BurstLoad{.frames = frames, .bursts = bursts, .interval = interval};
    stream.start = kIncastStart + stagger * static_cast<std::int64_t>(i);
    spec.streams.push_back(std::move(stream));
  }
  const scenario::CardParameters& own = config.scenario.parameters.card;
  if (hasBackground(own)) {
    bench::StreamSpec stream =
        streamBetween(config, {senders + 1, 0}, frame, own.background.value_or(Fraction::one()));
    stream.name += ", background";
    stream.gaps = bench::DrawnGaps{config.scenario.seed};
    if (own.background_gaps) stream.gaps = bench::ListedGaps{*own.background_gaps};
    stream.group = kBackgroundGroup;
    spec.streams.push_back(std::move(stream));
  }
  return spec;
}

Design IncastPhaseProcedure::design(const TestConfig& config) const {
  const scenario::Parameters& own = config.scenario.parameters;
  // The receiver and the sender of background load need a port each.
  const std::uint32_t ports =
      std::min(config.scenario.topology.hostCount(), config.bench.max_ports);
  const std::uint32_t taken = hasBackground(own.card) ? 2 : 1;
  const std::uint32_t possible = ports > taken ? ports - taken : 0;
  Design design(config);
  design.axes = {{"Senders", "senders"}, {"Stagger", "apart"}};
  design.repetitions = design.numbers.repetitions(1, 1);
  const std::vector<std::uint32_t> senders =
      design.numbers.sweep<std::uint32_t>("Senders", {2, 3, 7}, {2, 3}, own.incast_ratios,
                                          [&](std::uint32_t count) { return count <= possible; });
  const std::vector<Picoseconds> staggers = design.numbers.sweep<Picoseconds>(
      "Stagger",
      {Picoseconds(0), nanoseconds(10), nanoseconds(100), microseconds(1), microseconds(5)},
      {Picoseconds(0), nanoseconds(10), microseconds(1)}, own.card.stagger);
  const std::uint32_t frames = design.numbers.atLeast<std::uint32_t>(
      "Frames of a burst", kDefaultBurst, kDefaultBurst, own.card.burst_frames);
  const std::uint32_t bursts =
      design.numbers.atLeast<std::uint32_t>("Bursts of each sender", 100, 10, own.card.bursts);
  design.numbers.configure("Frame", sizeOf(config, kIncastFrame).label);
  design.numbers.configure("Receiver", "host0");
  if (own.card.background && own.card.background_gaps) {
    design.refusals.emplace_back("background is either a load or a list of gaps, not both");
  } else if (own.card.background) {
    design.numbers.configure("Background load, Poisson", percentText(*own.card.background));
  } else if (own.card.background_gaps) {
    design.numbers.configure("Background load, listed gaps",
                             std::to_string(own.card.background_gaps->size()));
  }
  for (const std::uint32_t count : senders) {
    if (count > possible) {
      design.refusals.push_back(
          fmt::format("{} and {}, DUT and tester have {} ports", counted(count, "sender"),
                      hasBackground(own.card) ? "two other ports" : "a receiver", ports));
      return design;
    }
    for (const Picoseconds stagger : staggers) {
      design.add({std::to_string(count), valueText(stagger)},
                 trialOf(config, count, stagger, frames, bursts), 0);
    }
  }
  return design;
}

// Streams that are bursts, and no background load, come first.
std::size_t senderCount(const SweepPoint& point) {
  const auto& streams = point.spec.streams;
  return static_cast<std::size_t>(
      std::count_if(streams.begin(), streams.end(), [](const bench::StreamSpec& stream) {
        return std::holds_alternative<bench::BurstLoad>(stream.load);
      }));
}

// Departures of the first frames of a stream's bursts, minus their scheduled times.
std::vector<Picoseconds> lateness(const bench::StreamSpec& stream,
                                  const bench::StreamResult& result) {
  const auto& load = std::get<bench::BurstLoad>(stream.load);
  std::vector<Picoseconds> late;
  for (std::uint32_t burst = 0; burst < load.bursts; ++burst) {
    const std::size_t first = static_cast<std::size_t>(burst) * load.frames;
    if (first >= result.departures.size()) break;
    late.push_back(result.departures[first] - stream.start -
                   load.interval * static_cast<std::int64_t>(burst));
  }
  return late;
}

// The latest burst [ns]; nothing unless every burst was observed.
std::optional<double> phaseError(const SweepPoint& point, const TrialResult& trial) {
  double worst = 0;
  for (std::size_t i = 0; i < senderCount(point); ++i) {
    const std::vector<Picoseconds> late = lateness(point.spec.streams[i], trial.streams[i]);
    if (late.size() != std::get<bench::BurstLoad>(point.spec.streams[i].load).bursts) {
      return std::nullopt;
    }
    for (const Picoseconds time : late) worst = std::max(worst, std::abs(time.toNanoseconds()));
  }
  return worst;
}

// How far two senders' bursts are from the stagger that was commanded, at most [ns].
std::optional<double> phaseSpread(const SweepPoint& point, const TrialResult& trial) {
  std::map<std::size_t, std::pair<Picoseconds, Picoseconds>> range;  // by burst
  for (std::size_t i = 0; i < senderCount(point); ++i) {
    const std::vector<Picoseconds> late = lateness(point.spec.streams[i], trial.streams[i]);
    if (late.empty()) return std::nullopt;
    for (std::size_t burst = 0; burst < late.size(); ++burst) {
      const auto [place, first] = range.try_emplace(burst, late[burst], late[burst]);
      place->second.first = std::min(place->second.first, late[burst]);
      place->second.second = std::max(place->second.second, late[burst]);
    }
  }
  double worst = 0;
  for (const auto& [burst, times] : range) {
    worst = std::max(worst, (times.second - times.first).toNanoseconds());
  }
  return worst;
}

std::optional<Reading> latencyMax(std::size_t, const TrialResult& trial) {
  if (trial.latency.empty() || trial.latency.front().group == kBackgroundGroup) {
    return std::nullopt;
  }
  return quantileOf(trial.latency.front().histogram, 1, 1000);
}

void IncastPhaseProcedure::reportCard(const Design& design, const std::vector<Measured>& measured,
                                      ResultBuilder& builder) const {
  Figure error = testerFigure("Late, at most", "ns", "phase_error_ns",
                              [&design](std::size_t place, const TrialResult& trial) {
                                return phaseError(design.points[place], trial);
                              });
  error.primary = true;
  const Figure spread = testerFigure("Phase error", "ns", "phase_spread_ns",
                                     [&design](std::size_t place, const TrialResult& trial) {
                                       return phaseSpread(design.points[place], trial);
                                     });
  const Figure latency = testerFigure("Latency max", "ns", "latency_max_ns", latencyMax);
  const Figure queue = dutFigure(
      "Longest queue", "B", "queue_max_bytes",
      [](std::size_t, const TrialResult& trial) { return std::optional(longestQueue(trial)); });
  addTable(design, measured,
           {error, spread, latency,
            testerFigure("Lost", "frames", "lost_frames",
                         [](std::size_t, const TrialResult& trial) {
                           return std::optional(lostFrames(trial));
                         }),
            queue},
           {"phases",
            "Bursts as commanded",
            "Late: departure of a burst's first frame after its commanded time; a frame leaves at "
            "the next edge of the card's clock. Phase error: the distance of two senders' bursts "
            "against the stagger.",
            {},
            {}},
           builder);
  const ChartAxes axes{
      [&design](std::size_t place) {
        const std::vector<bench::StreamSpec>& streams = design.points[place].spec.streams;
        return senderCount(design.points[place]) < 2
                   ? 0
                   : (streams[1].start - streams[0].start).toNanoseconds();
      },
      [&design](std::size_t place) { return design.points[place].values[0] + " senders"; }};
  results::Chart chart;
  chart.id = "latency";
  chart.title = "Longest latency over stagger";
  chart.x_label = "Stagger [ns]";
  chart.y_label = "Latency [ns]";
  addChart(design, measured, latency, axes, chart, builder);
  chart.id = "queue";
  chart.title = "Longest queue over stagger";
  chart.y_label = "Queue [B]";
  addChart(design, measured, queue, axes, std::move(chart), builder);
  double worst = 0;
  for (const Measured& one : measured) {
    for (const TrialResult& trial : one.trials) {
      worst = std::max(worst, phaseSpread(one.point, trial).value_or(0));
    }
  }
  results::Quantity phase;
  phase.value = worst;
  phase.unit = "ns";
  builder.primary("phase error", phase);
  builder.result().summary = fmt::format(
      "Bursts of different ports are as far apart as commanded within {:.3g} ns.", worst);
}

}  // namespace

const Procedure& incastPhaseProcedure() {
  static const IncastPhaseProcedure test;
  return test;
}

}  // namespace plumbline::suite
