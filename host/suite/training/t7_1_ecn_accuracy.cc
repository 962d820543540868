// T7.1 ECN accuracy (training draft, section 7.1).
//
// Two senders at line rate fill the queue in front of one receiver with a burst of so many frames
// each; the n-th of all frames finds n/2 of them in the queue (two arrive while one leaves). So
// what a frame found is known from its number, and the share of marked frames gives the marking
// probability over queue depth without asking the switch:
//   step        one burst beyond the threshold; of n frames m are marked: the threshold is (n - m)
//   / 2
//               frames, exact to the frame; deviation from the configured one
//   ramp        bursts of growing length; what a longer one has more in marks, over what it has
//   more
//               in frames, is the probability at the depth between them
// PFC is off and the buffer large, so that nothing but marking happens to a frame.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "suite/figures.h"
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

class EcnAccuracyTest final : public FabricTest {
 public:
  [[nodiscard]] std::string id() const override { return "T7.1"; }
  [[nodiscard]] std::string title() const override { return "ECN accuracy"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 7.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<EcnPoint> pointsOf(const TestConfig& config, Numbers& numbers);
};

std::uint32_t framesOf(Bytes depth) {
  return static_cast<std::uint32_t>((depth.count() + kMarkedFrame.count() - 1) /
                                    kMarkedFrame.count());
}

std::vector<EcnPoint> EcnAccuracyTest::pointsOf(const TestConfig& config, Numbers& numbers) {
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
      points.push_back({kmin, kmax, framesOf(Bytes(static_cast<std::int64_t>(depth)))});
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
  spec.duration =
      frameSlot(kMarkedFrame, config.scenario.topology.link_rate) * (2 * std::int64_t{point.burst});
  spec.drain = microseconds(100);
  return spec;
}

Design EcnAccuracyTest::design(const TestConfig& config) const {
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
  design.numbers.configure("Frames", valueText(kMarkedFrame));
  design.numbers.configure("Ramp",
                           fmt::format("kmax = {} kmin, pmax {} %", kRampWidth, kPmaxPercent));
  design.repetitions = design.numbers.repetitions(20, 8);
  design.hop_cost = 0.55;
  for (const EcnPoint& point : pointsOf(config, design.numbers)) {
    design.add(
        {valueText(point.kmin), point.isStep() ? "step" : "ramp", std::to_string(point.burst)},
        ecnTrial(config, point), 4.0 * point.burst);
  }
  return design;
}

double marked(const bench::TrialResult& trial) {
  double sum = 0;
  for (const bench::StreamResult& stream : trial.streams) sum += static_cast<double>(stream.ce);
  return sum;
}

void EcnAccuracyTest::report(const TestConfig& config, const Design& design,
                             const std::vector<Measured>& measured, ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<EcnPoint> points = pointsOf(config, unused);
  results::Table steps{"step",
                       "Threshold of a step",
                       "Configured, and as the marks of one burst show it, exact to one frame.",
                       {"Configured", "Measured", "Deviation"},
                       {}};
  results::Chart chart;
  chart.id = "marking_probability";
  chart.title = "Marking probability over queue depth";
  chart.x_label = "Queue depth [B]";
  chart.y_label = "Marked [%]";
  chart.log_x = true;
  const auto quantity = [](double value, const char* unit) {
    results::Quantity result;
    result.value = value;
    result.unit = unit;
    result.observed = bench::ObservationPoint::kModelled;
    return result;
  };
  const auto meanMarks = [](const Measured& one) {
    double sum = 0;
    for (const bench::TrialResult& trial : one.trials) sum += marked(trial);
    return sum / static_cast<double>(one.trials.size());
  };
  double worst = 0;
  const Measured* before = nullptr;
  for (const Measured& one : measured) {
    const EcnPoint& point = points[placeOf(design, one)];
    if (point.isStep()) {
      const double depth =
          (2.0 * point.burst - meanMarks(one)) / 2 * static_cast<double>(kMarkedFrame.count());
      const double configured = static_cast<double>(point.kmin.count());
      const double deviation = 100 * (depth / configured - 1);
      worst = std::max(worst, std::abs(deviation));
      steps.rows.push_back({valueText(point.kmin), quantity(depth, "B"), quantity(deviation, "%")});
      builder.kpi("ecn_threshold_bytes", one.point.label, quantity(depth, "B"));
      builder.kpi("ecn_deviation_percent", one.point.label, quantity(deviation, "%"));
      before = nullptr;
      chart.series.push_back({valueText(point.kmin) + ", measured", {}, {}, false});
      chart.series.push_back({valueText(point.kmin) + ", configured",
                              {configured, configured * kRampWidth, configured * kRampWidth},
                              {0, static_cast<double>(kPmaxPercent), 100},
                              true});
      continue;
    }
    if (before != nullptr) {
      const EcnPoint& shorter = points[placeOf(design, *before)];
      const double frames = 2.0 * (point.burst - shorter.burst);
      const double share = 100 * (meanMarks(one) - meanMarks(*before)) / frames;
      results::Series& series = chart.series[chart.series.size() - 2];
      series.x.push_back((point.burst + shorter.burst) / 2.0 *
                         static_cast<double>(kMarkedFrame.count()));
      series.y.push_back(share);
      builder.kpi("marking_percent",
                  fmt::format("{} ramp, {:.0f} B deep", valueText(point.kmin), series.x.back()),
                  quantity(share, "%"));
    }
    before = &one;
  }
  builder.result().tables.push_back(std::move(steps));
  builder.result().charts.push_back(std::move(chart));
  builder.primary("largest deviation of a threshold", quantity(worst, "%"));
  builder.result().summary = fmt::format("Thresholds are met within {:.3g} %.", worst);
}

}  // namespace

const Procedure& ecnAccuracyTest() {
  static const EcnAccuracyTest test;
  return test;
}

}  // namespace plumbline::suite
