// pfc-storm: pauses that the tester sends, and their effect on traffic.
//
// Swept: quanta of a PAUSE frame × interval of a storm's frames: apart (each pause is over before
// the next frame), refreshed (a frame twice per pause: one long pause) and flood (as fast as a port
// can). The first pair's receiver sends the storm; its sender sends one stream in the paused
// priority and one in another, each at kStormLoad of line rate. Measured by the tester: time that
// the sender's priority was paused, PAUSE frames sent and received, frames and slots given up of
// either stream, loss, latency of the other stream. Computed, on a bare link: the commanded pause,
// frames × quanta × 512 bit times where the pauses do not overlap, else the time from the first
// frame to the end of the last one's pause. A switch in between pauses its own port, and the sender
// only when its buffer fills: then there is no computed value.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "suite/card/card.h"
#include "suite/card/card_procedure.h"
#include "suite/framework/fabric_metrics.h"

namespace plumbline::suite {
namespace {

using bench::TrialResult;

constexpr Fraction kStormLoad = Fraction::percent(40);
constexpr Bytes kStormFrame{1024};
constexpr std::uint32_t kOtherGroup = 1;
// Times on which the phases of the card's clock and the line's columns are the same again.
constexpr Picoseconds kPhaseGrid{102'400};
// The shortest distance of two PAUSE frames: four clocks of the card.
constexpr Picoseconds kFlood = nanoseconds(13);
constexpr Picoseconds kStormStart = microseconds(2);
constexpr Picoseconds kAfterwards = microseconds(10);
constexpr std::uint32_t kDefaultStorm = 50;

constexpr std::array<const char*, 3> kManners{"apart", "refreshed", "flood"};

Picoseconds pauseOf(std::uint32_t quanta, BitRate line) {
  return serializationTime(Bytes(64), line) * static_cast<std::int64_t>(quanta);
}

Picoseconds onGrid(Picoseconds time) {
  return kPhaseGrid * std::max<std::int64_t>(1, time / kPhaseGrid);
}

Picoseconds periodOf(const std::string& manner, Picoseconds pause) {
  if (manner == "apart") return onGrid(2 * pause + kPhaseGrid);
  return manner == "refreshed" ? onGrid(pause / 2) : kFlood;
}

// Total pause that a storm commands.
Picoseconds commandedPause(const bench::PfcStormSpec& storm, BitRate line) {
  const Picoseconds pause = pauseOf(storm.frame.quanta, line);
  const auto frames = static_cast<std::int64_t>(storm.frames);
  return storm.period >= pause ? pause * frames : storm.period * (frames - 1) + pause;
}

std::uint8_t otherPriority(std::uint8_t priority) { return priority == 0 ? 1 : 0; }

// Gives the stream a priority on which card and switches agree: the upper three bits of the DSCP.
// The scenario's DSCP is kept if it has that priority, else it becomes the class selector.
void setPriority(bench::StreamSpec& stream, std::uint8_t priority) {
  stream.format.priority = priority;
  if (stream.format.dscp >> 3 != priority) {
    stream.format.dscp = static_cast<std::uint8_t>(priority << 3);
  }
}

class PfcStormProcedure final : public CardProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "pfc-storm"; }
  [[nodiscard]] std::string title() const override { return "PFC storm"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"pause_error_ns", "latency_max_ns", "lost_frames"};
  }

 protected:
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void reportCard(const Design& design, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override;
};

Design PfcStormProcedure::design(const TestConfig& config) const {
  const scenario::CardParameters& own = config.scenario.parameters.card;
  const std::uint8_t priority = config.scenario.traffic.format.priority;
  const scenario::HostPair pair = config.scenario.hostPairs().front();
  const SizePoint size = sizeOf(config, kStormFrame);
  Design design(config);
  design.axes = {{"Quanta", "quanta"}, {"PAUSE frames", ""}};
  design.repetitions = design.numbers.repetitions(1, 1);
  const std::vector<std::uint32_t> quanta = design.numbers.sweep<std::uint32_t>(
      "Quanta", {1, 10, 100, 1000, 65535}, {10, 100, 1000}, own.quanta);
  const std::uint32_t frames = design.numbers.atLeast<std::uint32_t>(
      "PAUSE frames of a storm", 1000, kDefaultStorm, own.storm_frames);
  design.numbers.configure("Paused priority", std::to_string(priority));
  design.numbers.configure("Load of each stream", percentText(kStormLoad));
  design.numbers.configure("Frame", size.label);
  design.numbers.configure("Storm", fmt::format("from host{}", pair.to));
  for (const std::uint32_t value : quanta) {
    const Picoseconds pause = pauseOf(value, config.bench.line_rate);
    for (const char* manner : kManners) {
      bench::PfcStormSpec storm;
      storm.host = pair.to;
      storm.frame = {.priorities = static_cast<std::uint8_t>(1U << priority),
                     .quanta = static_cast<std::uint16_t>(value)};
      storm.frames = frames;
      storm.period = periodOf(manner, pause);
      storm.start = kStormStart;
      const Picoseconds end = endOf(storm, config.bench.line_rate);
      bench::TrialSpec spec =
          cardTrial(config, config.scenario.parameters.duration.value_or(end + kAfterwards));
      spec.obey_pfc = 0xFF;
      spec.storms = {storm};
      spec.streams = {streamBetween(config, pair, size.frame, kStormLoad),
                      streamBetween(config, pair, size.frame, kStormLoad)};
      spec.streams[0].name += ", paused";
      setPriority(spec.streams[0], priority);
      spec.streams[1].name += ", not paused";
      setPriority(spec.streams[1], otherPriority(priority));
      spec.streams[1].group = kOtherGroup;
      design.add({std::to_string(value), manner}, std::move(spec), 0);
    }
  }
  return design;
}

double countOf(std::uint64_t value) { return static_cast<double>(value); }

// Pauses of one port in one direction as lanes of a timeline, one per priority.
void addLanes(const std::string& name, const std::vector<card::PauseEvent>& pauses, bool sent,
              double until, std::vector<results::Lane>& lanes) {
  for (unsigned priority = 0; priority < 8; ++priority) {
    results::Lane lane{fmt::format("{}, priority {}", name, priority), {}};
    bool open = false;
    for (const card::PauseEvent& event : pauses) {
      if (event.sent != sent) continue;
      const double time = event.time.toMicroseconds();
      if ((event.ends >> priority & 1U) != 0 && open) {
        lane.spans.back().until = time;
        open = false;
      }
      if ((event.starts >> priority & 1U) != 0 && !open) {
        lane.spans.push_back({time, until});
        open = true;
      }
    }
    if (!lane.spans.empty()) lanes.push_back(std::move(lane));
  }
}

void addTimelines(const std::vector<Measured>& measured, ResultBuilder& builder) {
  for (const Measured& one : measured) {
    const TrialResult& trial = one.trials.front();
    const bench::StreamSpec& stream = one.point.spec.streams.front();
    const bench::PortResult& sender = trial.ports.at(stream.from);
    const bench::PortResult& receiver = trial.ports.at(stream.to);
    results::Timeline timeline;
    timeline.id = fmt::format("pauses_{}", builder.result().timelines.size());
    timeline.title = "Pauses: " + one.point.label;
    timeline.x_label = "time [us]";
    timeline.until = std::max(one.point.spec.duration, endOf(one.point.spec.storms.front(),
                                                             one.point.spec.dut.topology.link_rate))
                         .toMicroseconds();
    if (sender.pauses_unlogged + receiver.pauses_unlogged > 0) {
      timeline.note = "The beginning of the storm: the card's log was full then.";
    }
    addLanes(fmt::format("host{} received", stream.from), sender.pauses, false, timeline.until,
             timeline.lanes);
    addLanes(fmt::format("host{} sent", stream.to), receiver.pauses, true, timeline.until,
             timeline.lanes);
    if (!timeline.lanes.empty()) builder.result().timelines.push_back(std::move(timeline));
  }
}

void PfcStormProcedure::reportCard(const Design& design, const std::vector<Measured>& measured,
                                   ResultBuilder& builder) const {
  const auto stormOf = [&design](std::size_t place) -> const bench::PfcStormSpec& {
    return design.points[place].spec.storms.front();
  };
  const auto lineOf = [&design](std::size_t place) {
    return design.points[place].spec.dut.topology.link_rate;
  };
  const auto senderOf = [&design](std::size_t place, const TrialResult& trial) {
    return trial.ports.at(design.points[place].spec.streams.front().from);
  };
  const auto priorityOf = [&design](std::size_t place) {
    return design.points[place].spec.streams.front().format.priority;
  };
  const auto paused = [=](std::size_t place, const TrialResult& trial) {
    return std::optional(
        senderOf(place, trial).priority.at(priorityOf(place)).paused.toMicroseconds());
  };
  const auto commanded = [=](std::size_t place) {
    return commandedPause(stormOf(place), lineOf(place));
  };
  const bool bare = design.points.front().spec.dut.topology.kind == fabric::TopologyKind::kLink;
  Figure error =
      testerFigure("Error", "ns", "pause_error_ns",
                   [=](std::size_t place, const TrialResult& trial) -> std::optional<double> {
                     if (!bare) return std::nullopt;
                     const Picoseconds measured_pause =
                         senderOf(place, trial).priority.at(priorityOf(place)).paused;
                     return std::abs((measured_pause - commanded(place)).toNanoseconds());
                   });
  error.primary = bare;
  addTable(
      design, measured,
      {testerFigure("Sent", "frames", "",
                    [&design](std::size_t place, const TrialResult& trial) {
                      const SweepPoint& point = design.points[place];
                      return std::optional(
                          countOf(trial.ports.at(point.spec.storms.front().host)
                                      .priority.at(point.spec.streams.front().format.priority)
                                      .tx_xoff));
                    }),
       testerFigure("Received", "frames", "",
                    [=](std::size_t place, const TrialResult& trial) {
                      return std::optional(
                          countOf(senderOf(place, trial).priority.at(priorityOf(place)).rx_xoff));
                    }),
       testerFigure("Commanded", "us", "",
                    [=](std::size_t place, const TrialResult&) -> std::optional<double> {
                      if (!bare) return std::nullopt;
                      return commanded(place).toMicroseconds();
                    }),
       testerFigure("Paused", "us", "", paused), error},
      {"pauses",
       "Pauses commanded and obeyed",
       "PAUSE frames that the storm sent and that the sender of the streams received; the time "
       "that its priority stood still.",
       {},
       {}},
      builder);
  const auto stream = [](std::size_t number, std::uint64_t bench::StreamResult::*member) {
    return [number, member](std::size_t, const TrialResult& trial) {
      return std::optional(countOf(trial.streams.at(number).*member));
    };
  };
  addTable(
      design, measured,
      {testerFigure("Paused: sent", "frames", "", stream(0, &bench::StreamResult::sent_frames)),
       testerFigure("Slots given up", "frames", "",
                    [=](std::size_t place, const TrialResult& trial) {
                      return std::optional(countOf(senderOf(place, trial).tx_given_up));
                    }),
       testerFigure("Not paused: sent", "frames", "", stream(1, &bench::StreamResult::sent_frames)),
       testerFigure("Latency max", "ns", "latency_max_ns",
                    [](std::size_t, const TrialResult& trial) -> std::optional<Reading> {
                      for (const bench::GroupLatency& group : trial.latency) {
                        if (group.group != kOtherGroup) continue;
                        return quantileOf(group.histogram, 1, 1000);
                      }
                      return std::nullopt;
                    }),
       testerFigure(
           "Lost", "frames", "lost_frames",
           [](std::size_t, const TrialResult& trial) { return std::optional(lostFrames(trial)); })},
      {"streams",
       "The streams",
       "Frames of both streams; the latency is that of the stream that is not paused.",
       {},
       {}},
      builder);
  addTimelines(measured, builder);
  double lost = 0;
  double worst = 0;
  for (const Measured& one : measured) {
    for (const TrialResult& trial : one.trials) {
      lost += lostFrames(trial);
      worst = std::max(worst, error.of(placeOf(design, one), trial).value_or(0).value);
    }
  }
  results::Quantity total;
  total.value = lost;
  total.unit = "frames";
  builder.primary("lost", total);
  builder.result().summary =
      bare ? fmt::format("Pauses last as commanded within {:.3g} ns; {:.0f} frames lost.", worst,
                         lost)
           : fmt::format("{:.0f} frames lost.", lost);
}

}  // namespace

const Procedure& pfcStormProcedure() {
  static const PfcStormProcedure test;
  return test;
}

}  // namespace plumbline::suite
