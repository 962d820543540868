// T7.1 ECN accuracy (training draft, section 7.1).
//
// Two senders at line rate fill the queue in front of one receiver with a burst each; the n-th of
// all frames finds n/2 of them in the queue (two arrive while one leaves). So a frame's number
// gives the queue that it found, and the share of marked frames gives the marking probability over
// queue depth without access to the switch:
//   step   one burst beyond the threshold; of n frames m are marked: the threshold is (n - m) / 2
//          frames, exact to the frame; deviation from the configured one
//   ramp   bursts of growing length; the additional marks of a longer burst, over its additional
//          frames, are the probability at the depth between them
// Verdicts, for each threshold: whether no frame is marked in bursts that stay below kmin; whether
// all frames are marked that find more than kmax; the deviation of the ramp; and kmax, from the
// unmarked frames of the longest ramp burst: there are u = (kmin + (kmax - kmin) * (1 - pmax/2)) /
// (frame / 2) of these where marking is as configured, so kmax = kmin + (u * frame/2 - kmin) / (1 -
// pmax/2). PFC is off and the buffer large, so that frames are only marked. Marks are counted where
// the frames arrive: in the card's receiver, or by the simulated host. Every trial sets the DUT's
// thresholds, which needs a simulated DUT.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/counted.h"
#include "suite/framework/figures.h"
#include "suite/framework/residual_time.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

constexpr Bytes kMarkedFrame{1024};
constexpr std::uint32_t kRampBins = 24;
constexpr std::int64_t kRampWidth = 4;  // kmax of a ramp, in kmin
constexpr std::int64_t kPmaxPercent = 50;

struct EcnPoint {
  Bytes kmin;
  Bytes kmax;
  std::uint32_t burst = 0;  // frames of each sender

  [[nodiscard]] bool isStep() const { return kmin == kmax; }
};

class EcnAccuracyProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T7.1"; }
  [[nodiscard]] std::string title() const override { return "ECN accuracy"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"ecn_threshold_bytes", "ecn_deviation_percent", "ecn_kmax_deviation_percent",
            "marking_percent", "discrepancy_percent"};
  }
  [[nodiscard]] bool onHosts() const override { return false; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 7.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
  // Half of the frames are in the queue when the last one is sent, and take as long again.
  [[nodiscard]] Picoseconds settlingTime(const bench::TrialSpec& spec) const override {
    return spec.duration;
  }

 private:
  static std::vector<EcnPoint> pointsOf(const TestConfig& config, Numbers& numbers);
};

std::uint32_t framesOf(Bytes depth) {
  return static_cast<std::uint32_t>((depth.count() + kMarkedFrame.count() - 1) /
                                    kMarkedFrame.count());
}

std::vector<EcnPoint> EcnAccuracyProcedure::pointsOf(const TestConfig& config, Numbers& numbers) {
  const std::vector<Bytes> draft{Bytes(100'000), Bytes(1'000'000), Bytes(5'000'000)};
  std::vector<EcnPoint> points;
  for (const Bytes kmin :
       numbers.sweep<Bytes>("Thresholds", draft, draft, config.scenario.parameters.sizes)) {
    points.push_back({kmin, kmin, 2 * framesOf(kmin)});
    const Bytes kmax = kmin * kRampWidth;
    for (std::uint32_t bin = 0; bin <= kRampBins; ++bin) {
      // From half of kmin to a quarter beyond kmax.
      const double depth =
          0.5 * static_cast<double>(kmin.count()) +
          bin *
              (1.25 * static_cast<double>(kmax.count()) - 0.5 * static_cast<double>(kmin.count())) /
              kRampBins;
      const std::uint32_t burst = framesOf(Bytes(static_cast<std::int64_t>(depth)));
      // A low threshold has fewer frames than the ramp has bins.
      if (points.back().isStep() || points.back().burst < burst) {
        points.push_back({kmin, kmax, burst});
      }
    }
  }
  return points;
}

bench::TrialSpec ecnTrial(const TestConfig& config, const EcnPoint& point) {
  bench::TrialSpec spec = emptyTrial(config);
  spec.workload.reset();
  fabric::SwitchSpec& switches = spec.dut.switches;
  switches.pfc.reset();
  switches.cbfc.reset();
  switches.trim.reset();
  switches.shared_buffer.reset();
  switches.buffer_per_port = kMarkedFrame * (2 * std::int64_t{point.burst} + 16);
  fabric::EcnSpec rule;
  rule.kmin = point.kmin;
  rule.kmax = point.kmax;
  rule.pmax = point.isStep() ? Fraction::one() : Fraction::percent(kPmaxPercent);
  switches.ecn = {rule};
  for (std::uint32_t sender = 0; sender < 2; ++sender) {
    bench::StreamSpec stream;
    // Both on the receiver's own switch: no other queue on the way.
    stream.from = sender + 1;
    stream.to = 0;
    stream.name = fmt::format("host{} to host0", stream.from);
    stream.frame = kMarkedFrame;
    stream.load = bench::BurstLoad{.frames = point.burst};
    spec.streams.push_back(std::move(stream));
  }
  // Half of the frames are in the queue when the last one is sent, and take as long again; that one
  // has its path before it as well.
  const Picoseconds slot = frameSlot(kMarkedFrame, config.scenario.topology.link_rate);
  spec.duration = slot * std::int64_t{point.burst};
  spec.drain = spec.duration + microseconds(100) + pathTime(spec.dut, kMarkedFrame);
  return spec;
}

Design EcnAccuracyProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Threshold", ""}, {"Rule", ""}, {"Burst", "frames per sender"}};
  const fabric::TopologySpec& topology = config.scenario.topology;
  const bool together =
      topology.kind == fabric::TopologyKind::kSingleSwitch
          ? topology.hosts >= 3
          : topology.kind == fabric::TopologyKind::kClos2 && topology.hosts_per_leaf >= 3;
  if (!together) {
    design.refusals.emplace_back(
        "two senders and a receiver on one switch are needed: a single switch of three hosts, or a "
        "two-tier Clos with three hosts on a leaf");
    return design;
  }
  if (!config.bench.simulated_dut) {
    design.refusals.emplace_back(
        "every trial sets the thresholds of the DUT, which only a simulated one lets it do");
    return design;
  }
  design.numbers.configure("Frames", valueText(kMarkedFrame));
  design.numbers.configure("Ramp",
                           fmt::format("kmax = {} kmin, pmax {} %", kRampWidth, kPmaxPercent));
  const auto& rules = config.scenario.switches.ecn;
  if (std::any_of(rules.begin(), rules.end(),
                  [](const fabric::EcnSpec& rule) { return rule.at_dequeue; })) {
    design.numbers.deviation(
        "marks are decided when a frame comes; the scenario's switch decides when it leaves "
        "(dut.switch.ecn.at)");
  }
  design.repetitions = design.numbers.repetitions(20, 8);
  design.hop_cost = 0.55;
  const std::vector<EcnPoint> points = pointsOf(config, design.numbers);
  for (const EcnPoint& point : points) {
    if (point.kmin < kMarkedFrame) {
      design.refusals.push_back(
          fmt::format("a threshold (sizes) of {} is lower than a frame of {}: the depth of a queue "
                      "is measured in whole frames",
                      valueText(point.kmin), valueText(kMarkedFrame)));
      return design;
    }
  }
  for (const EcnPoint& point : points) {
    design.add(
        {valueText(point.kmin), point.isStep() ? "step" : "ramp", std::to_string(point.burst)},
        ecnTrial(config, point), 4.0 * point.burst);
  }
  design.carry(points);
  return design;
}

// Unit of marks.
constexpr const char* kWholeFrames = "whole frames:";

// Marks in every repetition of a point.
std::vector<double> marksOf(const Measured& one) {
  std::vector<double> marks;
  for (const bench::TrialResult& trial : one.trials) {
    double sum = 0;
    for (const bench::StreamResult& stream : trial.streams) sum += static_cast<double>(stream.ce);
    marks.push_back(sum);
  }
  return marks;
}

// Frames should only be marked.
void noteLoss(const Measured& one, ResultBuilder& builder) {
  std::uint64_t lost = 0;
  for (const bench::TrialResult& trial : one.trials) lost += trial.lost();
  if (lost > 0) {
    builder.anomaly(fmt::format("{} lost, whose ECN marks are not counted", counted(lost, "frame")),
                    one.point.label);
  }
}

// Tables, charts and KPIs as the points come: of each threshold the step, then the ramp.
class EcnReport {
 public:
  explicit EcnReport(ResultBuilder& builder) : builder_(builder) {
    chart_.id = "marking_probability";
    chart_.title = "Marking probability over queue depth";
    chart_.x_label = "Queue depth [B]";
    chart_.y_label = "Marked [%]";
    chart_.log_x = true;
  }

  void addStep(const EcnPoint& point, const Measured& one) {
    const auto configured = static_cast<double>(point.kmin.count());
    const auto frame = static_cast<double>(kMarkedFrame.count());
    std::vector<Reading> depths;
    std::vector<Reading> deviations;
    for (const double marks : marksOf(one)) {
      const double depth = (2.0 * point.burst - marks) / 2 * frame;
      depths.push_back(within(depth, frame, kWholeFrames));
      deviations.push_back(
          within(100 * (depth / configured - 1), 100 * frame / configured, kWholeFrames));
    }
    const results::Quantity mean = quantityOf(depths, "B");
    builder_.repeated(one.point.label, "threshold", depths, mean);
    const results::Quantity depth = builder_.kpi("ecn_threshold_bytes", one.point.label, mean);
    const results::Quantity deviation =
        builder_.kpi("ecn_deviation_percent", one.point.label, quantityOf(deviations, "%"));
    if (!worst_ || std::abs(deviation.value) > std::abs(worst_->value)) worst_ = deviation;
    verdictOf(point).kmin_measured = depth.value;
    steps_.rows.push_back({valueText(point.kmin), depth, deviation});
  }

  // `shorter`, `before`: the burst before it on the same ramp.
  void addRamp(const EcnPoint& point, const Measured& one, const EcnPoint& shorter,
               const Measured& before) {
    const std::vector<double> more = marksOf(one);
    const std::vector<double> less = marksOf(before);
    std::vector<Reading> shares;
    const double frames_between = 2.0 * (point.burst - shorter.burst);
    for (std::size_t i = 0; i < more.size(); ++i) {
      shares.push_back(
          within(100 * (more[i] - less[i]) / frames_between, 100 / frames_between, kWholeFrames));
    }
    const results::Quantity share = quantityOf(shares, "%");
    const double depth =
        (point.burst + shorter.burst) / 2.0 * static_cast<double>(kMarkedFrame.count());
    results::Series& series = measuredOf(point);
    series.x.push_back(depth);
    series.y.push_back(share.value);
    const auto kmin = static_cast<double>(point.kmin.count());
    const auto kmax = static_cast<double>(point.kmax.count());
    Verdict& verdict = verdictOf(point);
    // A queue of exactly kmax is still on the ramp.
    if (kMarkedFrame * std::int64_t{shorter.burst} > point.kmax) {
      verdict.above_frames += frames_between * static_cast<double>(shares.size());
      for (const Reading& each : shares) verdict.above_marks += each.value / 100 * frames_between;
    } else if (kMarkedFrame * std::int64_t{shorter.burst} >= point.kmin &&
               kMarkedFrame * std::int64_t{point.burst} <= point.kmax) {
      const double configured = kPmaxPercent * (depth - kmin) / (kmax - kmin);
      verdict.ramp_off = std::max(verdict.ramp_off.value_or(0), std::abs(share.value - configured));
    }
    builder_.kpi("marking_percent",
                 fmt::format("{} ramp, {:.0f} B deep", valueText(point.kmin), depth), share);
  }

  // A single ramp burst, for the verdicts.
  void addBurst(const EcnPoint& point, const Measured& one) {
    Verdict& verdict = verdictOf(point);
    double marks = 0;
    for (const double each : marksOf(one)) marks += each;
    const auto repetitions = static_cast<double>(one.trials.size());
    if (kMarkedFrame * std::int64_t{point.burst} <= point.kmin) {
      verdict.below_frames += 2.0 * point.burst * repetitions;
      verdict.below_marks += marks;
    }
    if (kMarkedFrame * std::int64_t{point.burst} < point.kmax) return;
    // The latest is the longest.
    verdict.unmarked_bytes.clear();
    for (const double each : marksOf(one)) {
      verdict.unmarked_bytes.push_back((2.0 * point.burst - each) / 2 *
                                       static_cast<double>(kMarkedFrame.count()));
    }
  }

  void finish() {
    builder_.result().tables.push_back(std::move(steps_));
    addVerdicts();
    builder_.result().charts.push_back(std::move(chart_));
    if (!worst_) {
      builder_.result().summary = "No point gave a valid result.";
      return;
    }
    builder_.primary("largest deviation of a threshold", *worst_);
    results::Quantity size = *worst_;
    size.value = std::abs(size.value);
    builder_.result().summary = fmt::format("Thresholds are met within {}.", builder_.text(size));
  }

 private:
  // Verdicts of one threshold.
  struct Verdict {
    Bytes kmin;
    Bytes kmax;
    std::optional<double> kmin_measured{};  // by the step [B]
    double below_frames = 0;
    double below_marks = 0;
    double above_frames = 0;
    double above_marks = 0;
    std::optional<double> ramp_off{};  // percentage points
    std::vector<double>
        unmarked_bytes{};  // of the longest burst, by repetition, half of it in queue
  };

  Verdict& verdictOf(const EcnPoint& point) {
    for (Verdict& verdict : verdicts_) {
      if (verdict.kmin == point.kmin) return verdict;
    }
    verdicts_.push_back({.kmin = point.kmin, .kmax = point.kmin * kRampWidth});
    return verdicts_.back();
  }

  static std::string countText(double marks, double frames, bool good) {
    if (frames <= 0) return "not measured";
    return fmt::format("{}: {:.0f} of {:.0f} frames marked", good ? "yes" : "no", marks, frames);
  }

  void addVerdicts() {
    results::Table table{
        "verdicts",
        "Marking by the rule",
        fmt::format("Values of the ramp from kmin to kmax = {} kmin. Ramp: the largest difference "
                    "between a measured and a configured probability. kmax: computed from the "
                    "number of unmarked frames of the longest burst, with the configured pmax.",
                    kRampWidth),
        {"kmin", "None marked below kmin", "All marked above kmax", "Ramp", "kmax",
         "Deviation of kmax"},
        {}};
    for (const Verdict& verdict : verdicts_) {
      std::vector<results::Cell> row{
          valueText(verdict.kmin),
          countText(verdict.below_marks, verdict.below_frames, verdict.below_marks == 0),
          countText(verdict.above_marks, verdict.above_frames,
                    verdict.above_marks >= verdict.above_frames)};
      if (verdict.ramp_off) {
        row.emplace_back(fmt::format("within {:.2f} percentage points", *verdict.ramp_off));
      } else {
        row.emplace_back(std::string("not measured"));
      }
      if (verdict.unmarked_bytes.empty()) {
        row.insert(row.end(), 2, results::Cell{std::string("not measured")});
        table.rows.push_back(std::move(row));
        continue;
      }
      const double kmin = verdict.kmin_measured.value_or(static_cast<double>(verdict.kmin.count()));
      std::vector<Reading> kmax;
      std::vector<Reading> deviations;
      const auto configured = static_cast<double>(verdict.kmax.count());
      constexpr double kUnmarkedShare = 1 - kPmaxPercent / 200.0;
      const double width = static_cast<double>(kMarkedFrame.count()) / kUnmarkedShare;
      for (const double unmarked : verdict.unmarked_bytes) {
        const double at = kmin + (unmarked - kmin) / kUnmarkedShare;
        kmax.push_back(within(at, width, kWholeFrames));
        deviations.push_back(
            within(100 * (at / configured - 1), 100 * width / configured, kWholeFrames));
      }
      const results::Quantity deviation =
          builder_.kpi("ecn_kmax_deviation_percent", valueText(verdict.kmin) + " ramp",
                       quantityOf(deviations, "%"));
      row.insert(row.end(), {quantityOf(kmax, "B"), deviation});
      table.rows.push_back(std::move(row));
    }
    if (!table.rows.empty()) builder_.result().tables.push_back(std::move(table));
  }

  // The curve of a threshold's ramp, with the configured one.
  results::Series& measuredOf(const EcnPoint& point) {
    const std::string name = valueText(point.kmin) + ", measured";
    for (results::Series& series : chart_.series) {
      if (series.name == name) return series;
    }
    const auto kmin = static_cast<double>(point.kmin.count());
    const auto kmax = static_cast<double>(point.kmax.count());
    chart_.series.push_back({valueText(point.kmin) + ", configured",
                             {kmin, kmax, kmax},
                             {0, static_cast<double>(kPmaxPercent), 100},
                             true});
    chart_.series.push_back({name, {}, {}, false});
    return chart_.series.back();
  }

  ResultBuilder& builder_;
  results::Table steps_{"step",
                        "Threshold of a step",
                        "Configured, and as the marks of one burst show it, exact to one frame.",
                        {"Configured", "Measured", "Deviation"},
                        {}};
  results::Chart chart_;
  std::optional<results::Quantity> worst_;
  std::vector<Verdict> verdicts_;
};

void EcnAccuracyProcedure::report(const TestConfig& /*config*/, const Design& design,
                                  const std::vector<Measured>& measured,
                                  ResultBuilder& builder) const {
  const auto& points = design.carried<std::vector<EcnPoint>>();
  EcnReport report(builder);
  const Measured* before = nullptr;
  for (const Measured& one : measured) {
    const EcnPoint& point = points[placeOf(design, one)];
    noteLoss(one, builder);
    if (point.isStep()) {
      report.addStep(point, one);
      continue;
    }
    report.addBurst(point, one);
    if (before != nullptr) {
      const EcnPoint& shorter = points[placeOf(design, *before)];
      // Invalid points are missing: the previous one may belong to another ramp.
      if (shorter.kmin == point.kmin) report.addRamp(point, one, shorter, *before);
    }
    before = &one;
  }
  report.finish();
}

}  // namespace

const Procedure& ecnAccuracyProcedure() {
  static const EcnAccuracyProcedure test;
  return test;
}

}  // namespace plumbline::suite
