// T5.3 Back-to-back burst absorption (training draft, section 5.3; RFC 9004, RFC 2544
// section 26.4).
//
// Swept: message size × incast ratio N:1. N hosts send one burst each to one host, at line rate
// with the minimum gap, beginning together (at phases within one frame slot, drawn per repetition).
// Measured: the longest burst per sender of which no frame is lost. The length is raised by growing
// steps until frames are lost, then bisected to one frame; once per repetition, the later
// repetitions beginning at the length that the first one found.
// Computed, from that length C in frames per sender:
//   frames, bytes absorbed   N * C, N * C * frame length
//   implied buffer time      N * C slots (RFC 9004: burst length over the maximum frame rate)
//   corrected buffer time    implied * (1 - 1/N): the receiver's link drains one frame per slot
//                            while N arrive (RFC 9004 with a measured throughput of 1/N per sender)
// At 1:1 equal port speeds never fill a queue: "unbounded" means no loss up to the longest burst.
#include <fmt/format.h>

#include <algorithm>

#include "suite/lossless_share.h"
#include "suite/result_builder.h"
#include "suite/search/search.h"
#include "suite/training/training.h"
#include "suite/trials.h"

namespace plumbline::suite {
namespace {

using results::Cell;
using results::Quantity;

// PlannedTrial::hop_cost of bursts that fill a queue with so many frames. Each frame is touched
// twice, and of long queues it is in no cache any more the second time.
double burstHopCost(double queued) {
  constexpr double kShort = 0.5;
  constexpr double kLong = 2.0;
  constexpr double kLongQueue = 30'000;
  return kShort + (kLong - kShort) * std::min(queued / kLongQueue, 1.0);
}

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
  spec.drain = settings.drain;
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  for (std::uint32_t i = 0; i < point.ratio; ++i) {
    bench::StreamSpec stream;
    stream.from = hosts - 1 - i;  // a ratio the DUT has no hosts for is refused before
    stream.name = fmt::format("host{} to host0", stream.from);
    stream.format = config.scenario.traffic.format;
    stream.format.qps = settings.qps.front();
    stream.frame = point.size.frame;
    stream.load = bench::BurstLoad{.frames = static_cast<std::uint32_t>(length)};
    stream.start = drawPhase(config.scenario.seed, repetition, i,
                             frameSlot(point.size.frame, config.bench.line_rate));
    spec.streams.push_back(std::move(stream));
  }
  return spec;
}

// What a search is likely to end at: a simulated DUT's buffer is known, else the longest burst.
std::uint64_t expectedLength(const TestConfig& config, const Settings& settings,
                             const BurstPoint& point) {
  if (!config.bench.simulated_dut || point.ratio < 2) return settings.max_burst;
  const fabric::SwitchSpec& switches = config.scenario.switches;
  const auto frames = static_cast<std::uint64_t>(bufferOfPort(switches) /
                                                 static_cast<double>(point.size.frame.count()));
  return std::clamp<std::uint64_t>(frames / (point.ratio - 1), 1, settings.max_burst);
}

// Where RFC 9004's searches begin. It raises the length until frames are lost; where none can be
// lost, that would only repeat the longest burst on the way up.
std::uint64_t firstLength(const Settings& settings, const BurstPoint& point) {
  return point.ratio < 2 ? settings.max_burst : 1;
}

// What the searches of a point come to when no more than `length` frames are absorbed.
struct BurstForecast {
  std::uint64_t trials = 0;
  std::uint64_t frames = 0;  // per sender, in all of them
};

BurstForecast forecastBursts(const Settings& settings, const BurstPoint& point,
                             std::uint64_t length) {
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
        "Longest burst per sender without loss, all senders beginning together at line rate with "
        "minimum gap; mean over the repetitions. Implied buffer time is the whole burst at line "
        "rate, the corrected one without what the receiver's link drains meanwhile (RFC 9004).",
        {size, "Ratio", "Burst per sender", "Absorbed frames", "Absorbed bytes",
         "Implied buffer time", "Corrected buffer time"},
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
        "Longest burst tried", fmt::format("{} frames per sender", settings_.max_burst));
    for (const BurstPoint& point : burstPointsOf(settings_)) measure(point);
    results::TestResult& result = builder_.result();
    result.tables.push_back(std::move(table_));
    result.charts.push_back(std::move(frames_));
    result.charts.push_back(std::move(bytes_));
    summarise();
    return builder_.take();
  }

 private:
  SearchResult search(const BurstPoint& point, std::uint32_t repetition, std::uint64_t expected) {
    const auto trial = [&](std::uint64_t length) {
      const std::string label = fmt::format("{}, {} frames per sender", point.label(), length);
      const bench::TrialSpec spec = burstTrial(config_, settings_, point, length, repetition);
      const bench::TrialResult result = runner_.run(spec, repetition, label);
      if (!builder_.accept(spec, result, fmt::format("{}, repetition {}", label, repetition))) {
        return Verdict::kInvalid;
      }
      return result.lost() == 0 ? Verdict::kPass : Verdict::kFail;
    };
    return searchAround(1, settings_.max_burst, expected, trial);
  }

  void measure(const BurstPoint& point) {
    std::vector<double> lengths;
    bool unbounded = false;
    bool valid = true;
    for (std::uint32_t repetition = 0; repetition < settings_.repetitions; ++repetition) {
      const std::uint64_t expected = lengths.empty() ? firstLength(settings_, point)
                                                     : static_cast<std::uint64_t>(lengths.front());
      const SearchResult result = search(point, repetition, expected);
      valid = valid && result.valid;
      if (!result.valid) continue;
      lengths.push_back(static_cast<double>(result.highest_passing.value_or(0)));
      unbounded = unbounded || result.reached_top;
    }
    std::vector<Cell> row{point.size.label, fmt::format("{}:1", point.ratio)};
    if (!valid || lengths.empty()) {
      builder_.anomaly("no result: a trial was not valid", point.label());
      row.insert(row.end(), 5, Cell{std::string("not valid")});
      table_.rows.push_back(std::move(row));
      return;
    }
    const Quantity length = builder_.repeated(point.label(), "burst per sender", lengths, "frames");
    builder_.kpi("burst_frames", point.label(), length);
    if (unbounded) {
      row.emplace_back(fmt::format("unbounded (no loss up to {} frames)", settings_.max_burst));
      row.insert(row.end(), 4, Cell{std::string("-")});
      table_.rows.push_back(std::move(row));
      return;
    }
    addFigures(point, lengths, length, std::move(row));
  }

  void addFigures(const BurstPoint& point, const std::vector<double>& lengths,
                  const Quantity& length, std::vector<Cell> row) {
    const auto times = [&](double factor, const char* unit) {
      std::vector<double> values(lengths);
      for (double& value : values) value *= factor;
      return quantityOf(values, unit);
    };
    const auto ratio = static_cast<double>(point.ratio);
    const double slot_ns = slotsTime(config_, point, 1).toNanoseconds();
    const Quantity frames = times(ratio, "frames");
    const Quantity bytes = times(ratio * static_cast<double>(point.size.frame.count()), "B");
    row.insert(row.end(), {length, frames, bytes, times(ratio * slot_ns, "ns"),
                           times((ratio - 1) * slot_ns, "ns")});
    table_.rows.push_back(std::move(row));
    addToChart(frames_, point, frames.value);
    addToChart(bytes_, point, bytes.value);
    if (!primary_) primary_ = {point.label(), length, bytes};
  }

  static void addToChart(results::Chart& chart, const BurstPoint& point, double value) {
    if (chart.series.empty() || chart.series.back().name != point.size.label) {
      chart.series.push_back({point.size.label, {}, {}, false});
    }
    chart.series.back().x.push_back(point.ratio);
    chart.series.back().y.push_back(value);
  }

  void summarise() {
    if (!primary_) {
      builder_.result().summary =
          builder_.result().valid
              ? fmt::format("No frame was lost up to {} frames per burst.", settings_.max_burst)
              : "No point gave a valid result.";
      return;
    }
    builder_.primary("burst, " + primary_->label, primary_->length);
    builder_.primary("absorbed, " + primary_->label, primary_->bytes);
    builder_.result().summary =
        fmt::format("{}: bursts of up to {:.6g} frames per sender are absorbed, {:.6g} B in all.",
                    primary_->label, primary_->length.value, primary_->bytes.value);
  }

  struct Primary {
    std::string label;
    Quantity length;
    Quantity bytes;
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

class BurstTest final : public Procedure {
 public:
  [[nodiscard]] std::string id() const override { return "T5.3"; }
  [[nodiscard]] std::string title() const override { return "Back-to-back burst absorption"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"burst_frames", "discrepancy_percent"};
  }

  [[nodiscard]] Plan plan(const TestConfig& config) const override {
    const Settings settings = settingsFor(TestId::kBurst, config);
    const std::uint32_t hosts = config.scenario.topology.hostCount();
    Plan plan;
    for (const std::uint32_t ratio : settings.incast_ratios) {
      if (ratio == 0 || ratio >= hosts) {
        plan.refusals.push_back(
            fmt::format("incast {}:1 needs {} hosts, the DUT has {}", ratio, ratio + 1, hosts));
      }
    }
    if (!plan.refusals.empty()) return plan;
    for (const BurstPoint& point : burstPointsOf(settings)) {
      plan.points.push_back(point.label());
      const std::uint64_t length = expectedLength(config, settings, point);
      PlannedTrial sample{point.label(), burstTrial(config, settings, point, length, 0)};
      sample.packet_hops = frameHops(config, sample.spec);
      sample.hop_cost = burstHopCost(static_cast<double>(length) * (point.ratio - 1.0));
      addRefusals(config, sample, plan);
      const BurstForecast forecast = forecastBursts(settings, point, length);
      addHops(
          sample.packet_hops * static_cast<double>(forecast.frames) / static_cast<double>(length),
          sample.hop_cost, plan);
      plan.trials_expected += forecast.trials;
      // What the DUT holds at the end of a burst leaves by one link: all but one sender's frames.
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

const Procedure& burstTest() {
  static const BurstTest test;
  return test;
}

}  // namespace plumbline::suite
