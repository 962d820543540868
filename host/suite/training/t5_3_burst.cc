// T5.3 Back-to-back burst absorption (training draft, section 5.3; RFC 9004, RFC 2544 section
// 26.4).
//
// Swept: message size × incast ratio N:1. N hosts send one burst each to one host, at line rate
// with the minimum gap, beginning together (at phases within one frame slot, drawn per repetition).
// Measured: the longest burst per sender without loss. The length is raised by growing steps until
// frames are lost, then bisected to one frame; once per repetition, the later repetitions beginning
// at the length that the first one found. Computed, from that length C in frames per sender:
//   frames, bytes absorbed   N * C, N * C * frame length
//   implied buffer time      N * C slots (RFC 9004: burst length over the maximum frame rate)
//   corrected buffer time    implied * (1 - r/N): r frames leave per slot while N arrive (RFC 9004
//                            with a measured throughput of r/N per sender), less r for each slot
//                            by which the senders' ways differ. r is 1 where the receiver's link is
//                            busy throughout; other values are measured at 1:1
// At 1:1 equal port speeds never fill a queue: "unbounded" means no loss up to the longest burst.
//
// Under PFC a burst is not lost but held back: the tester obeys PAUSE. Then the search finds the
// longest burst without a paused sender, and one burst kLosslessTimes as long shows whether frames
// that are held back are lost after all; if so, the search continues for the longest burst without
// loss. A trial lasts until every frame has left its sender and the DUT; the waiting time does not
// affect the result.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "bench/card/packet.h"
#include "suite/framework/fabric_procedure.h"
#include "suite/framework/lossless_share.h"
#include "suite/framework/result_builder.h"
#include "suite/framework/trials.h"
#include "suite/search/search.h"
#include "suite/training/throughput_search.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

using results::Cell;
using results::Quantity;

// PlannedTrial::hop_cost of bursts that fill a queue with `queued` frames. Each frame is accessed
// twice, and in long queues it is no longer cached the second time.
double burstHopCost(double queued) {
  constexpr double kShort = 0.5;
  constexpr double kLong = 2.0;
  constexpr double kLongQueue = 30'000;
  return kShort + (kLong - kShort) * std::min(queued / kLongQueue, 1.0);
}

// The same for senders paused by PFC. Queues are short, but a paused sender skips its slots one by
// one: about as many per frame as there are senders.
double pausedHopCost(std::uint32_t ratio) {
  constexpr double kSent = 0.4;
  constexpr double kGivenUp = 0.036;
  return kSent + kGivenUp * ratio;
}

// Length of the burst that PFC must hold back, in multiples of the longest one without a pause.
constexpr std::uint64_t kLosslessTimes = 8;
// And that many frames longer at least.
constexpr std::uint64_t kLosslessFrames = 64;

struct BurstPoint {
  SizePoint size;
  std::uint32_t ratio = 2;

  [[nodiscard]] std::string label() const { return fmt::format("{}, {}:1", size.label, ratio); }
};

std::vector<BurstPoint> burstPointsOf(const Settings& settings) {
  std::vector<BurstPoint> points;
  for (const SizePoint& size : settings.sizes) {
    for (const std::uint32_t ratio : settings.incast_ratios) points.push_back({size, ratio});
  }
  return points;
}

Picoseconds slotsTime(const TestConfig& config, const BurstPoint& point, std::uint64_t slots) {
  return frameSlot(point.size.frame, config.bench.line_rate) * static_cast<std::int64_t>(slots);
}

// Host 0 receives; the senders are the hosts farthest from it in number, so that in a Clos they are
// on other leaves first.
bench::TrialSpec burstTrial(const TestConfig& config, const Settings& settings,
                            const BurstPoint& point, std::uint64_t length,
                            std::uint32_t repetition) {
  bench::TrialSpec spec;
  spec.dut = config.scenario.fabricSpec();
  spec.duration = slotsTime(config, point, length);
  // All frames cross the receiver's link; twice that time allows for idle time under PFC, and for
  // the path.
  spec.drain =
      std::max(settings.drain, slotsTime(config, point, 2 * length * std::max(point.ratio, 1U)) +
                                   microseconds(100));
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  for (std::uint32_t i = 0; i < point.ratio; ++i) {
    bench::StreamSpec stream;
    stream.from = hosts - 1 - i;  // ratios beyond the DUT's hosts have been refused before
    stream.name = fmt::format("host{} to host0", stream.from);
    stream.format = config.scenario.traffic.format;
    stream.format.qps = settings.qps.front();
    stream.frame = point.size.frame;
    stream.load = bench::BurstLoad{.frames = static_cast<std::uint32_t>(length)};
    stream.start = drawPhase(config.scenario.seed, repetition, i,
                             frameSlot(point.size.frame, config.bench.line_rate));
    spec.streams.push_back(std::move(stream));
  }
  return withSeedsOf(std::move(spec), repetition);
}

// A simulated DUT holds the senders back by PFC instead of losing frames.
bool isPaused(const TestConfig& config, const BurstPoint& point) {
  return point.ratio > 1 &&
         isLossless(config.scenario.switches, bench::priorityOf(config.scenario.traffic.format));
}

// Time from the first arrival of a burst to the last one, in slots: the last frame leaves its
// sender length - 1 slots after the first, and waits for as long as its latency is above the
// least. To about a slot, because of the senders' phases. Nothing without latencies.
std::optional<double> arrivalSlots(const TestConfig& config, const BurstPoint& point,
                                   std::uint64_t length, const bench::TrialResult& trial) {
  stats::Histogram all;
  for (const bench::GroupLatency& group : trial.latency) all.merge(group.histogram);
  if (all.count() == 0 || length == 0) return std::nullopt;
  return static_cast<double>(length - 1) +
         static_cast<double>(all.maximum() - all.minimum()) /
             static_cast<double>(slotsTime(config, point, 1).count());
}

// By how much the ways of the senders to the receiver differ, in slots: the spread of the latencies
// of one frame from each, `single`, of which up to a slot for each other sender is waiting.
Reading pathDifference(const BurstPoint& point, std::optional<double> single) {
  const double waiting = point.ratio - 1.0;
  if (!single || *single <= waiting + 1) return 0;
  return within(*single - waiting / 2, waiting, "waiting of single frames:");
}

// Whether a frame arrived in every slot from the first arrival on, to a frame of each sender.
bool isBusyThroughout(const BurstPoint& point, double length, double arrival_slots) {
  return std::abs(arrival_slots - (length * point.ratio - 1)) <= point.ratio + 1.0;
}

// Bursts resolve to whole frames.
std::vector<Reading> wholeFrames(const std::vector<double>& lengths, double factor = 1) {
  std::vector<Reading> readings;
  readings.reserve(lengths.size());
  for (const double length : lengths) {
    readings.push_back(within(length, 1, "whole frames:").times(factor));
  }
  return readings;
}

// Why a burst did not pass.
enum class BurstEnd { kNone, kLoss, kHeld };

// Expected result of a search: from a simulated DUT's known buffer, else the longest burst.
std::uint64_t expectedLength(const TestConfig& config, const Settings& settings,
                             const BurstPoint& point) {
  if (!config.bench.simulated_dut || point.ratio < 2) return settings.max_burst;
  const fabric::SwitchSpec& switches = config.scenario.switches;
  const auto frame = static_cast<double>(point.size.frame.count());
  double frames = queueOfPort(switches, config.scenario.topology, config.scenario.traffic.format) /
                  frame / (point.ratio - 1);
  if (isPaused(config, point)) {
    // Each switch on the path pauses an input that holds xoff; (N - 1) / N of the arrivals stay
    // queued. A sender on the receiver's leaf has only that switch on its path, and is paused
    // first.
    const fabric::TopologySpec& topology = config.scenario.topology;
    const bool near = point.ratio + topology.hosts_per_leaf > topology.hostCount();
    frames = static_cast<double>(switches.pfc->xoff.count()) / frame * point.ratio /
             (point.ratio - 1) * (near ? 1 : linksOfPath(config) - 1);
  }
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(frames), 1, settings.max_burst);
}

// Where RFC 9004's searches begin. It raises the length until frames are lost; without any loss
// that would only repeat the longest burst on the way up.
std::uint64_t firstLength(const Settings& settings, const BurstPoint& point) {
  return point.ratio < 2 ? settings.max_burst : 1;
}

// Cost of the searches of a point when at most `length` frames are absorbed.
struct BurstForecast {
  std::uint64_t trials = 0;
  std::uint64_t frames = 0;  // per sender, in all of these trials
};

// `held`: PFC ends the search, and a longer burst is held back.
BurstForecast forecastBursts(const Settings& settings, const BurstPoint& point,
                             std::uint64_t length, bool held) {
  BurstForecast forecast;
  const auto trial = [&](std::uint64_t frames) {
    ++forecast.trials;
    forecast.frames += frames;
    return frames <= length ? Verdict::kPass : Verdict::kFail;
  };
  searchAround(1, settings.max_burst, firstLength(settings, point), trial);
  for (std::uint32_t repetition = 1; repetition < settings.repetitions; ++repetition) {
    searchAround(1, settings.max_burst, length, trial);
  }
  if (held) {
    forecast.trials += settings.repetitions;
    forecast.frames +=
        settings.repetitions * std::min<std::uint64_t>(kLosslessTimes * length, settings.max_burst);
  }
  return forecast;
}

class BurstRun {
 public:
  BurstRun(const Procedure& procedure, const TestConfig& config, TrialRunner& runner)
      : config_(config),
        settings_(settingsFor(TestId::kBurst, config)),
        runner_(runner),
        builder_(procedure, "section 5.3", TestId::kBurst, settings_, config) {
    const std::string size = settings_.message_sizes ? "Message" : "Frame";
    table_ = {
        "burst",
        "Burst absorption",
        "Longest burst per sender without loss, mean over the repetitions. All senders start "
        "together at line rate with minimum gap. Implied buffer time is the duration of the whole "
        "burst at line rate; the corrected one excludes the frames that leave the DUT meanwhile "
        "(RFC 9004). With PFC and enough headroom nothing is lost, and this limit does not exist. "
        "Where senders are paused the table has the longest burst without a pause, and the bytes "
        "that the DUT had received by then.",
        {size, "Ratio", "Burst per sender", "Absorbed frames", "Absorbed bytes",
         "Implied buffer time", "Corrected buffer time", "Without a pause", "Taken in before it"},
        {}};
    frames_.id = "burst_vs_ratio_frames";
    frames_.title = "Burst capacity over incast ratio";
    frames_.x_label = "Senders per receiver";
    frames_.y_label = "Absorbed [frames]";
    bytes_ = frames_;
    bytes_.id = "burst_vs_ratio_bytes";
    bytes_.y_label = "Absorbed [bytes]";
  }

  results::TestResult run() {
    builder_.result().configuration.emplace_back("Receiver", "host0");
    builder_.result().configuration.emplace_back(
        "Longest burst tried", counted(settings_.max_burst, "frame") + " per sender");
    for (const BurstPoint& point : burstPointsOf(settings_)) measure(point);
    noteTrimming();
    noteBitErrors();
    results::TestResult& result = builder_.result();
    result.tables.push_back(std::move(table_));
    result.charts.push_back(std::move(frames_));
    result.charts.push_back(std::move(bytes_));
    summarise();
    return builder_.take();
  }

 private:
  // Results of a point's repetitions, in frames per sender.
  struct Found {
    std::vector<double> lossless;  // longest bursts without loss
    // arrivalSlots() of each; nothing where senders were paused meanwhile.
    std::vector<std::optional<double>> arrivals;
    // The same of a burst of one frame per sender, of the first repetition.
    std::optional<double> single;
    std::vector<double> unpaused;  // longest ones without a pause, where PFC ended them
    std::uint64_t held = 0;        // longest burst that was held back without loss
    Picoseconds waited;            // of that burst: the longest pause of a sender
    std::size_t at_longest = 0;    // of `lossless`, those without loss up to the longest burst
    bool valid = true;
  };

  // Runs one burst; nothing when the trial is invalid.
  std::optional<bench::TrialResult> send(const BurstPoint& point, std::uint32_t repetition,
                                         std::uint64_t length) {
    const std::string label = fmt::format("{}, {} frames per sender", point.label(), length);
    const std::string where = fmt::format("{}, repetition {}", label, repetition);
    const bench::TrialSpec spec = burstTrial(config_, settings_, point, length, repetition);
    bench::TrialResult result = runner_.run(spec, repetition, label);
    if (!builder_.accept(spec, result, where)) return std::nullopt;
    std::uint64_t sent = 0;
    for (const bench::StreamResult& stream : result.streams) sent += stream.sent_frames;
    if (sent == length * point.ratio) return result;
    builder_.result().valid = false;
    builder_.anomaly(
        fmt::format("{} of {} sent when the trial ended, {} after the burst: not "
                    "judged",
                    sent, counted(length * point.ratio, "frame"), durationText(spec.drain)),
        where);
    return std::nullopt;
  }

  // A search's result.
  struct Longest {
    SearchResult search;
    BurstEnd end = BurstEnd::kNone;  // why a longer one did not pass
    // arrivalSlots() of the burst that was found, and of one frame per sender if that was tried.
    std::optional<double> arrivals;
    std::optional<double> single;
  };

  // Searches for the longest burst without loss and, unless `paused_passes`, without a paused
  // sender.
  Longest search(const BurstPoint& point, std::uint32_t repetition, std::uint64_t expected,
                 bool paused_passes) {
    std::map<std::uint64_t, BurstEnd> failed;
    std::map<std::uint64_t, std::optional<double>> passed;
    const auto trial = [&](std::uint64_t length) {
      const auto result = send(point, repetition, length);
      if (!result) return Verdict::kInvalid;
      if (result->lost() > 0) {
        failed[length] = BurstEnd::kLoss;
      } else if (!paused_passes && slotsGivenUp(*result) > 0) {
        failed[length] = BurstEnd::kHeld;
      } else {
        passed[length] = arrivalSlots(config_, point, length, *result);
        return Verdict::kPass;
      }
      return Verdict::kFail;
    };
    Longest longest;
    longest.search = searchAround(1, settings_.max_burst, expected, trial);
    const std::uint64_t length = longest.search.highest_passing.value_or(0);
    const auto above = failed.find(length + 1);
    if (above != failed.end()) longest.end = above->second;
    longest.arrivals = passed[length];
    longest.single = passed[1];
    return longest;
  }

  // Runs a longer burst than PFC lets pass without a pause, to find whether frames that are held
  // back are lost.
  void hold(const BurstPoint& point, std::uint32_t repetition, std::uint64_t unpaused,
            Found& found) {
    const std::uint64_t length = std::clamp<std::uint64_t>(
        std::max(kLosslessTimes * unpaused, unpaused + kLosslessFrames), 1, settings_.max_burst);
    const auto result = send(point, repetition, length);
    if (!result) {
      found.valid = false;
      return;
    }
    if (result->lost() == 0) {
      std::uint64_t max = 0;
      for (const bench::StreamResult& stream : result->streams) {
        max = std::max(max, stream.held_back);
      }
      for (const bench::PortResult& port : result->ports) max = std::max(max, port.tx_given_up);
      found.held = length;
      found.waited = std::max(found.waited, slotsTime(config_, point, max));
      return;
    }
    const SearchResult lossless = search(point, repetition, length, true).search;
    found.valid = found.valid && lossless.valid;
    if (lossless.valid) {
      found.lossless.push_back(static_cast<double>(lossless.highest_passing.value_or(0)));
      found.arrivals.emplace_back();
    }
  }

  Found find(const BurstPoint& point) {
    Found found;
    std::uint64_t expected = firstLength(settings_, point);
    for (std::uint32_t repetition = 0; repetition < settings_.repetitions; ++repetition) {
      const Longest longest = search(point, repetition, expected, false);
      const SearchResult& result = longest.search;
      if (repetition == 0) found.single = longest.single;
      found.valid = found.valid && result.valid;
      if (!result.valid) continue;
      const std::uint64_t length = result.highest_passing.value_or(0);
      expected = std::max<std::uint64_t>(length, 1);
      if (longest.end == BurstEnd::kHeld) {
        found.unpaused.push_back(static_cast<double>(length));
        hold(point, repetition, length, found);
      } else {
        found.lossless.push_back(static_cast<double>(length));
        found.arrivals.push_back(longest.arrivals);
        if (result.reached_top) ++found.at_longest;
      }
    }
    return found;
  }

  void measure(const BurstPoint& point) {
    const Found found = find(point);
    std::vector<Cell> row{point.size.label, fmt::format("{}:1", point.ratio)};
    if (!found.valid || found.lossless.size() + found.unpaused.size() == 0) {
      builder_.anomaly("no result: a trial was not valid", point.label());
      builder_.notMeasured("burst_frames", point.label());
      row.insert(row.end(), 7, Cell{std::string("not valid")});
      table_.rows.push_back(std::move(row));
      return;
    }
    if (found.unpaused.empty()) {
      addLossless(point, found, row);
      row.insert(row.end(), 2, Cell{std::string("no pause")});
    } else {
      if (!found.lossless.empty()) {
        builder_.anomaly(
            fmt::format(
                "frames of a lossless priority were lost although {} held their senders back",
                flowControlOf(config_)),
            point.label());
        addLossless(point, found, row);
      } else {
        row.emplace_back(fmt::format(
            "held back by {}: no loss in bursts of {}, whose senders waited up to {}",
            flowControlOf(config_), counted(found.held, "frame"), roundedTimeText(found.waited)));
        row.insert(row.end(), 4, Cell{std::string("-")});
      }
      addUnpaused(point, found.unpaused, row);
    }
    table_.rows.push_back(std::move(row));
  }

  // A receiver gets nothing but the head of a trimmed frame, which therefore counts as lost.
  void noteTrimming() {
    const fabric::SwitchSpec& switches = config_.scenario.switches;
    const fabric::TopologySpec& topology = config_.scenario.topology;
    const bench::FrameFormat& format = config_.scenario.traffic.format;
    if (!config_.bench.simulated_dut || !isTrimmed(switches, format) ||
        isLossless(switches, bench::priorityOf(format)) ||
        queueOfPort(switches, topology, format) == bufferOfPort(switches, topology)) {
      return;
    }
    builder_.anomaly(
        fmt::format("the DUT trims frames that would make a queue longer than {} B, and its buffer "
                    "has room for more ({}): bursts and buffer times are those of the trimming "
                    "(dut.switch.trim)",
                    switches.trim->threshold.count(), bufferText(switches, topology)),
        "burst");
  }

  // Bit errors lose frames of bursts that the buffer holds.
  void noteBitErrors() {
    const std::vector<fabric::BitErrorSpec>& errors = config_.scenario.bit_errors;
    const bool any = std::any_of(errors.begin(), errors.end(),
                                 [](const fabric::BitErrorSpec& one) { return one.rate > 0; });
    if (!any || config_.scenario.switches.llr) return;
    builder_.anomaly(
        "links of the DUT have bit errors: bursts and buffer times may be those without such a "
        "loss, not those that the buffer holds (dut.bit_errors)",
        "burst");
  }

  // The mean over the repetitions, in frames of a sender: a KPI, and how well it repeats.
  Quantity lengthOf(const BurstPoint& point, const std::vector<Reading>& readings,
                    const char* metric, const char* kpi) {
    const Quantity mean = quantityOf(readings, "frames");
    builder_.repeated(point.label(), metric, readings, mean);
    return builder_.kpi(kpi, point.label(), mean);
  }

  // Five cells: the longest burst without loss, and what is computed from it.
  void addLossless(const BurstPoint& point, const Found& found, std::vector<Cell>& row) {
    // A bound has no resolution: nothing is known above it.
    const bool unbounded = found.at_longest == found.lossless.size();
    const std::vector<Reading> readings =
        unbounded ? std::vector<Reading>(found.lossless.begin(), found.lossless.end())
                  : wholeFrames(found.lossless);
    const Quantity length = lengthOf(point, readings, "burst per sender", "burst_frames");
    const std::string most = counted(settings_.max_burst, "frame");
    if (found.at_longest > 0) {
      const std::string where = unbounded ? std::string()
                                          : fmt::format("in {} of {} repetitions ",
                                                        found.at_longest, found.lossless.size());
      builder_.anomaly(fmt::format("burst_frames is a lower bound: {}no loss up to {}, the longest "
                                   "burst tried",
                                   where, most),
                       point.label());
    }
    if (unbounded) {
      row.emplace_back("unbounded (no loss up to " + most + ")");
      row.insert(row.end(), 4, Cell{std::string("-")});
      return;
    }
    addFigures(point, found, length, row);
  }

  // Two cells: the longest burst without a pause, and its bytes from all senders.
  void addUnpaused(const BurstPoint& point, const std::vector<double>& lengths,
                   std::vector<Cell>& row) {
    const Quantity length =
        lengthOf(point, wholeFrames(lengths), "burst without a pause", "burst_unpaused_frames");
    const Quantity taken = quantityOf(
        wholeFrames(lengths, point.ratio * static_cast<double>(point.size.frame.count())), "B");
    row.insert(row.end(), {length, taken});
    addToChart(frames_, point, ", without a pause", length.value * point.ratio);
    addToChart(bytes_, point, ", without a pause", taken.value);
    if (!primary_) primary_ = {point.label(), length, taken, true};
  }

  void addFigures(const BurstPoint& point, const Found& found, const Quantity& length,
                  std::vector<Cell>& row) {
    const auto times = [&](double factor, const char* unit) {
      return quantityOf(wholeFrames(found.lossless, factor), unit);
    };
    const auto ratio = static_cast<double>(point.ratio);
    const double slot_ns = slotsTime(config_, point, 1).toNanoseconds();
    const Quantity frames = times(ratio, "frames");
    const Quantity bytes = times(ratio * static_cast<double>(point.size.frame.count()), "B");
    row.insert(row.end(), {length, frames, bytes, times(ratio * slot_ns, "ns"),
                           correctedTime(point, found, slot_ns)});
    addToChart(frames_, point, "", frames.value);
    addToChart(bytes_, point, "", bytes.value);
    if (!primary_) primary_ = {point.label(), length, bytes, false};
  }

  // Without the frames that leave the DUT while the burst arrives.
  Cell correctedTime(const BurstPoint& point, const Found& found, double slot_ns) {
    std::vector<Reading> readings;
    for (std::size_t i = 0; i < found.lossless.size(); ++i) {
      const double length = found.lossless[i];
      const std::optional<double> slots = found.arrivals[i];
      double leaving = 1;       // frames per slot
      double perhaps_less = 0;  // a slower link and senders out of phase look alike
      if (!slots || !isBusyThroughout(point, length, *slots)) {
        // The frames of several senders may leave at one rate while the burst lasts, and at
        // another one when the queue of some is empty.
        if (!slots || point.ratio > 1 || length < 2) {
          builder_.anomaly(
              "corrected buffer time not observed: the receiver's link was not busy throughout, so "
              "that the number of frames that left the DUT during the burst is not known (a slower "
              "link before it, paused senders, or no latencies)",
              point.label());
          return std::string("not observed");
        }
        leaving = (length - 1) / *slots;
      } else {
        perhaps_less = std::max(1 - (length * point.ratio - 1) / *slots, 0.0);
      }
      const double held = point.ratio - leaving;  // of the frames of a slot
      Reading time = within(length, 1, "whole frames:").times(held * slot_ns);
      // The burst comes in as much longer than the slots that it takes to leave its senders.
      const Reading later = pathDifference(point, found.single).times(leaving * slot_ns);
      time.value -= later.value;
      time.width += later.width + 2 * perhaps_less * length * slot_ns;
      readings.push_back(std::move(time));
    }
    return quantityOf(readings, "ns");
  }

  static void addToChart(results::Chart& chart, const BurstPoint& point, const char* what,
                         double value) {
    const std::string name = point.size.label + what;
    auto series = std::find_if(chart.series.begin(), chart.series.end(),
                               [&](const results::Series& one) { return one.name == name; });
    if (series == chart.series.end()) {
      series = chart.series.insert(chart.series.end(), {name, {}, {}, false});
    }
    series->x.push_back(point.ratio);
    series->y.push_back(value);
  }

  void summarise() {
    if (!primary_) {
      builder_.result().summary = builder_.result().valid
                                      ? fmt::format("No frame was lost up to {} per burst.",
                                                    counted(settings_.max_burst, "frame"))
                                      : "No point gave a valid result.";
      return;
    }
    const bool unpaused = primary_->unpaused;
    builder_.primary((unpaused ? "burst without a pause, " : "burst, ") + primary_->label,
                     primary_->length);
    builder_.primary((unpaused ? "received before a pause, " : "absorbed, ") + primary_->label,
                     primary_->bytes);
    const std::string what =
        unpaused ? fmt::format("pass before {} holds a sender back", flowControlOf(config_))
                 : "are absorbed";
    builder_.result().summary =
        fmt::format("{}: bursts of up to {} per sender {}, {} in all.", primary_->label,
                    builder_.text(primary_->length), what, builder_.text(primary_->bytes));
  }

  struct Primary {
    std::string label;
    Quantity length;
    Quantity bytes;
    bool unpaused = false;  // of the burst that no sender was paused in
  };

  const TestConfig& config_;
  Settings settings_;
  TrialRunner& runner_;
  ResultBuilder builder_;
  results::Table table_;
  results::Chart frames_;
  results::Chart bytes_;
  std::optional<Primary> primary_;  // the first point that has a limit
};

class BurstProcedure final : public Procedure {
 public:
  [[nodiscard]] std::string id() const override { return "T5.3"; }
  [[nodiscard]] std::string title() const override { return "Back-to-back burst absorption"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"burst_unpaused_frames", "burst_frames", "discrepancy_percent"};
  }

  [[nodiscard]] Plan plan(const TestConfig& config) const override {
    const Settings settings = settingsFor(TestId::kBurst, config);
    const std::uint32_t hosts = config.scenario.topology.hostCount();
    Plan plan;
    for (const std::uint32_t ratio : settings.incast_ratios) {
      if (ratio == 0 || ratio >= hosts) {
        plan.refusals.push_back(fmt::format("incast {}:1 needs {}, the DUT has {}", ratio,
                                            counted(ratio + 1, "host"), hosts));
      }
    }
    if (!plan.refusals.empty()) return plan;
    for (const BurstPoint& point : burstPointsOf(settings)) {
      plan.points.push_back(point.label());
      const std::uint64_t length = expectedLength(config, settings, point);
      PlannedTrial sample{point.label(), burstTrial(config, settings, point, length, 0)};
      sample.packet_hops = frameHops(config, sample.spec);
      const bool held = config.bench.simulated_dut && isPaused(config, point);
      sample.hop_cost = held ? pausedHopCost(point.ratio)
                             : burstHopCost(static_cast<double>(length) * (point.ratio - 1.0));
      addRefusals(config, sample, plan);
      const BurstForecast forecast = forecastBursts(settings, point, length, held);
      addHops(
          sample.packet_hops * static_cast<double>(forecast.frames) / static_cast<double>(length),
          sample.hop_cost, plan);
      plan.trials_expected += forecast.trials;
      // One link drains the frames that the DUT holds at the end of a burst: those of all but one
      // sender.
      addCardTime(config, sample.spec,
                  slotsTime(config, point, forecast.frames * std::max(point.ratio, 1U)),
                  forecast.trials, plan);
      plan.samples.push_back(std::move(sample));
    }
    return plan;
  }

  results::TestResult run(const TestConfig& config, TrialRunner& runner) const override {
    requireRunnable(*this, plan(config));
    return BurstRun(*this, config, runner).run();
  }
};

}  // namespace

const Procedure& burstProcedure() {
  static const BurstProcedure test;
  return test;
}

}  // namespace plumbline::suite
