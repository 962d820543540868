// T6.5c CBFC beside PFC (training draft, section 6.5, third part).
//
// The same 32:1 incast of RoCEv2 without congestion control, lossless once by PFC and once by
// credit-based flow control, and a victim flow that does not go to the congested host: in the same
// class, and in a class of its own. Measured: head-of-line blocking (the victim's time beside the
// incast less its time alone), how far pauses spread (time that links between switches were
// paused), longest queue, losses, the incast's own goodput.
#include <fmt/format.h>

#include <map>

#include "suite/fabric_metrics.h"
#include "suite/training/incast.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

struct LosslessPoint {
  bool cbfc = false;
  bool alone = false;  // the victim without the incast
  Incast incast;
};

class CbfcPfcTest final : public FabricTest {
 public:
  [[nodiscard]] std::string id() const override { return "T6.5c"; }
  [[nodiscard]] std::string title() const override { return "CBFC beside PFC"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.5, CBFC"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<LosslessPoint> pointsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<LosslessPoint> CbfcPfcTest::pointsOf(const TestConfig& config, Numbers& numbers) {
  constexpr std::int64_t kMiB = 1 << 20;
  Variant variant = serviceVariant(config, "RC", balancingOf("ecmp"));
  std::get<transport::RoceSpec>(variant.transport).dcqcn.enabled = false;
  const Bytes message =
      numbers.sweep<Bytes>("Message of every sender", {Bytes(16 * kMiB)}, {Bytes(2 * kMiB)},
                           config.scenario.parameters.sizes)[0];
  const auto senders = senderSweep(config, numbers, {32}, {32});
  std::vector<LosslessPoint> points;
  for (const std::uint32_t n : senders) {
    for (const bool cbfc : {false, true}) {
      for (const bool alone : {true, false}) {
        Incast incast{variant, n, message};
        incast.victim = true;
        points.push_back({cbfc, alone, std::move(incast)});
      }
    }
  }
  return points;
}

Design CbfcPfcTest::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Senders", "senders"}, {"Lossless by", ""}, {"Running", ""}};
  if (!config.scenario.switches.pfc) {
    design.refusals.emplace_back("the DUT has no PFC: dut.switch.pfc");
    return design;
  }
  const fabric::PfcSpec& pfc = *config.scenario.switches.pfc;
  fabric::CbfcSpec cbfc = config.scenario.switches.cbfc.value_or(fabric::CbfcSpec());
  if (!config.scenario.switches.cbfc) {
    // As much room for a channel as PFC has for an input below and above xoff.
    cbfc.credits =
        static_cast<std::uint32_t>((pfc.xoff + pfc.headroom).count() / cbfc.credit_size.count());
  }
  design.numbers.configure(
      "PFC", fmt::format("xoff at {} B, headroom {} B", pfc.xoff.count(), pfc.headroom.count()));
  design.numbers.configure("CBFC", fmt::format("{} credits of {} B per channel", cbfc.credits,
                                               cbfc.credit_size.count()));
  design.repetitions = design.numbers.repetitions(20, 2);
  for (const LosslessPoint& point : pointsOf(config, design.numbers)) {
    bench::TrialSpec spec = incastTrial(config, point.incast);
    if (point.alone) spec.workload->jobs = {spec.workload->jobs.back()};
    if (point.cbfc) {
      spec.dut.switches.cbfc = cbfc;
      spec.dut.switches.pfc.reset();
    }
    design.add({std::to_string(point.incast.senders), point.cbfc ? "CBFC" : "PFC",
                point.alone ? "victim alone" : "incast and victim"},
               std::move(spec), point.alone ? 0 : incastHops(config, point.incast));
  }
  return design;
}

void CbfcPfcTest::report(const TestConfig& config, const Design& design,
                         const std::vector<Measured>& measured, ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<LosslessPoint> points = pointsOf(config, unused);
  const auto victim = [](const bench::TrialResult& trial) {
    return trial.fabric->jobs.back().completion.toMicroseconds();
  };
  std::map<std::pair<std::uint32_t, bool>, double> alone;
  for (const Measured& one : measured) {
    const LosslessPoint& point = points[placeOf(design, one)];
    if (point.alone) alone[{point.incast.senders, point.cbfc}] = victim(one.trials.front());
  }
  const Figure time{
      .column = "Victim's time",
      .unit = "us",
      .kpi = "victim_us",
      .of = [&](std::size_t, const bench::TrialResult& trial) { return victim(trial); }};
  Figure blocking{
      .column = "Head-of-line blocking",
      .unit = "us",
      .kpi = "hol_blocking_us",
      .of = [&](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        const auto base = alone.find({points[i].incast.senders, points[i].cbfc});
        if (points[i].alone || base == alone.end()) return std::nullopt;
        return victim(trial) - base->second;
      }};
  const Figure goodput{
      .column = "Incast's goodput",
      .unit = "%",
      .kpi = "goodput_percent",
      .of = [&](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        if (points[i].alone) return std::nullopt;
        return incastGoodputPercent(config, points[i].incast, trial);
      }};
  addTable(design, measured,
           {time, blocking, goodput, figure("Paused", "us", "paused_us", pausedMicroseconds),
            figure("Longest queue", "B", "queue_max_bytes", longestQueueBytes),
            figure("Dropped", "ppm", "drop_ppm", dropPpm)},
           {"lossless",
            "Victim beside an incast",
            "The victim sends one message between hosts on a sender's and the receiver's leaf, in "
            "the incast's class. Paused is the sum over all ports; credits pause nobody by name.",
            {},
            {}},
           builder);
  for (const Measured& one : measured) {
    const auto value = meanOf(design, one, blocking);
    if (!value) continue;
    builder.primary("blocking, " + one.point.label, *value);
    std::string& summary = builder.result().summary;
    summary += fmt::format("{}{}: a victim waits {:.1f} us.", summary.empty() ? "" : " ",
                           one.point.values[1], value->value);
  }
}

}  // namespace

const Procedure& cbfcPfcTest() {
  static const CbfcPfcTest test;
  return test;
}

}  // namespace plumbline::suite
