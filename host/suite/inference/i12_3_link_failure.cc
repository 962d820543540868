// I12.3 Link failures under serving load (inference draft, section 12.3).
//
// In the middle of the measuring window, at 80 % of the load that the system can sustain, one or
// two links of the fabric fail for good; the same trial without failure is compared with it,
// repetition by repetition (link_impact.h). Swept: the failing elements, as far as the topology has
// them. Reported: packets lost and for how long, transfers delayed and by how much, recovery, rise
// of TTFT, tokens missing in the outage, KV cache that arrived afterwards.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/counted.h"
#include "suite/inference/inference.h"
#include "suite/inference/link_impact.h"
#include "suite/inference/requests.h"
#include "suite/inference/steady_load.h"
#include "suite/inference/sustained.h"
#include "suite/training/link_failure.h"

namespace plumbline::suite {
namespace {

constexpr std::int64_t kSamples = 200;  // of the measuring window

std::vector<std::string> servedKpis() {
  return {"ttft_p50_ms",         "ttft_p99_ms",      "itl_p99_ms", "request_transfer_p99_ms",
          "output_tokens_per_s", "requests_not_done"};
}

// When the links fail: in the middle of the measuring window.
Picoseconds failureTime(const serving::WindowSpec& window) {
  return window.warmup + Picoseconds(window.measure.count() / 2);
}

class ServingFailureProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I12.3"; }
  [[nodiscard]] std::string title() const override { return "Link failures under serving load"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with({"failed_link_kv_percent", "packets_lost", "loss_duration_us", "last_loss_ms",
                 "delayed_transfers_percent", "kv_disruption_ms", "serving_recovery_ms",
                 "ttft_above_p99_ms", "ttft_rise_ms", "outage_tokens_lost_percent",
                 "tokens_lost_percent", "kv_rate_after_percent"},
                servedKpis());
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 12.3"; }
  [[nodiscard]] bool reportsInvalid() const override { return true; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design ServingFailureProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Fails", ""}};
  Numbers& numbers = design.numbers;
  design.repetitions = numbers.repetitions(20, 1);
  const serving::WindowSpec window =
      steadyWindow(config, numbers, milliseconds(100), milliseconds(200));
  const serving::ServingProgram program = sustainedProgram(config, numbers, window);
  numbers.configure("Failure", fmt::format("at {}, for good", valueText(failureTime(window))));
  numbers.configure("Routing convergence", valueText(config.scenario.convergence));
  if (auto why = failuresRefusal(config)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  const std::vector<LinkFailure> failures = servingFailures(config, program);
  if (failures.size() == 1) {
    design.refusals.emplace_back(
        "there is no link between switches that KV cache crosses and that another one could stand "
        "in for: prefill and decode servers need leaves of their own, with two uplinks");
    return design;
  }
  const bool higher = std::any_of(failures.begin(), failures.end(), [](const LinkFailure& one) {
    return one.what == "link between spines";
  });
  if (!higher) numbers.deviation("no link between spines fails: the topology has none");
  const bool dual = std::any_of(failures.begin(), failures.end(),
                                [](const LinkFailure& one) { return one.elements.size() > 1; });
  if (!dual) numbers.deviation("no two links fail at a time: leaves have two uplinks");
  bench::TrialSpec any;
  any.dut.convergence = config.scenario.convergence;
  any.transport = transportOr(config, defaultRoce());
  if (outageOf(any, failureTime(window), fabric::kNever).settled >=
      window.warmup + window.measure) {
    design.refusals.emplace_back(
        "the outage (twice dut.convergence and a timeout) does not end within the measuring "
        "window: "
        "a longer one (parameters.duration)");
    return design;
  }
  const Picoseconds sample(std::max<std::int64_t>(window.measure.count() / kSamples, 1'000'000));
  for (const LinkFailure& failure : failures) {
    const std::size_t before = design.points.size();
    addSteadyPoint(config, design,
                   {failure.elements.empty()
                        ? failure.what
                        : fmt::format("{} ({})", failure.what, fmt::join(failure.elements, ", "))},
                   program);
    if (design.points.size() == before) return design;  // refused
    bench::TrialSpec& spec = design.points.back().spec;
    sampleBoth(sample, spec);
    for (const std::string& element : failure.elements) {
      spec.dut.failures.push_back({element, failureTime(window), std::nullopt});
    }
  }
  return design;
}

// A figure of a failure, against the same repetition without it; "-" without a failure.
using OfFailure = std::function<std::optional<Reading>(const bench::TrialSpec& spec,
                                                       const bench::TrialResult& failed,
                                                       const bench::TrialResult& intact)>;

Outage outageIn(const bench::TrialSpec& spec) {
  return outageOf(spec, failureTime(spec.serving->system.window), fabric::kNever);
}

std::optional<Reading> readingOf(std::optional<double> value) {
  if (!value) return std::nullopt;
  return Reading(*value);
}

// A member of the impact.
OfFailure impactOf(std::optional<double> LinkImpact::*member) {
  return [member](const bench::TrialSpec& spec, const bench::TrialResult& failed,
                  const bench::TrialResult& intact) {
    return readingOf(linkImpact(*failed.serving, *intact.serving, outageIn(spec)).*member);
  };
}

std::vector<std::string> elementsOf(const bench::TrialSpec& spec) {
  std::vector<std::string> elements;
  elements.reserve(spec.dut.failures.size());
  for (const fabric::FailureSpec& failure : spec.dut.failures) elements.push_back(failure.element);
  return elements;
}

std::vector<Figure> failureFigures(const TestConfig& config, const Design& design,
                                   const std::vector<Measured>& measured) {
  const auto make = [&](const char* column, const char* unit, const char* kpi, OfFailure of) {
    Figure one{.column = column, .unit = unit, .kpi = kpi};
    one.fails_limits = true;
    one.paired = [&design, &measured, of = std::move(of)](
                     std::size_t point, std::size_t repetition,
                     const bench::TrialResult& trial) -> std::optional<Reading> {
      const std::vector<bench::TrialResult>& intact = measured.front().trials;
      if (repetition >= intact.size() || !trial.serving || !intact[repetition].serving) {
        return std::nullopt;
      }
      return of(design.points[point].spec, trial, intact[repetition]);
    };
    return one;
  };
  using Spec = bench::TrialSpec;
  using Trial = bench::TrialResult;
  std::vector<Figure> figures{
      make("KV on the failed links", "%", "failed_link_kv_percent",
           [&config](const Spec& spec, const Trial&, const Trial& intact) {
             return readingOf(trafficOn(config, *spec.serving, elementsOf(spec), intact));
           }),
      make("Packets lost", "", "packets_lost",
           [](const Spec&, const Trial& failed, const Trial&) -> std::optional<Reading> {
             return Reading(static_cast<double>(failed.fabric->total.dropped()));
           }),
      make("Loss duration", "us", "loss_duration_us",
           [](const Spec& spec, const Trial& failed, const Trial&) -> std::optional<Reading> {
             const Picoseconds time = lossDuration(*failed.fabric->samples, outageIn(spec).down);
             return Reading(time.toMicroseconds());
           }),
      make("Last loss", "ms", "last_loss_ms",
           [](const Spec& spec, const Trial& failed, const Trial&) -> std::optional<Reading> {
             const auto last = lastLoss(*failed.fabric->samples, outageIn(spec).down);
             if (!last) return Reading(0.0);
             return Reading(last->toSeconds() * 1e3);
           }),
      make(
          "Transfers delayed", "%", "delayed_transfers_percent",
          [](const Spec& spec, const Trial& failed, const Trial& intact) -> std::optional<Reading> {
            const LinkImpact impact = linkImpact(*failed.serving, *intact.serving, outageIn(spec));
            if (impact.transfers == 0) return std::nullopt;
            return Reading(100 * static_cast<double>(impact.delayed) /
                           static_cast<double>(impact.transfers));
          }),
      make("Longest delay", "ms", "kv_disruption_ms", impactOf(&LinkImpact::disruption_ms)),
      make("Recovery", "ms", "serving_recovery_ms", impactOf(&LinkImpact::recovery_ms)),
      make("TTFT above P99", "ms", "ttft_above_p99_ms", impactOf(&LinkImpact::ttft_above_p99_ms)),
      make("Largest rise of a TTFT", "ms", "ttft_rise_ms", impactOf(&LinkImpact::ttft_rise_ms)),
      make("Tokens lost in the outage", "%", "outage_tokens_lost_percent",
           [](const Spec& spec, const Trial& failed, const Trial& intact) {
             const Outage outage = outageIn(spec);
             return readingOf(
                 tokensLost(*failed.serving, *intact.serving, outage.down, outage.settled));
           }),
      make("Tokens lost from the failure on", "%", "tokens_lost_percent",
           [](const Spec& spec, const Trial& failed, const Trial& intact) {
             const serving::WindowSpec& window = spec.serving->system.window;
             return readingOf(tokensLost(*failed.serving, *intact.serving, outageIn(spec).down,
                                         window.warmup + window.measure));
           }),
      make("KV after the outage", "%", "kv_rate_after_percent",
           [](const Spec& spec, const Trial& failed, const Trial& intact) {
             const serving::WindowSpec& window = spec.serving->system.window;
             return readingOf(
                 rateAfter(failed, intact, outageIn(spec), window.warmup + window.measure));
           })};
  figures[4].absent = "no transfer in the outage";
  figures[9].absent = figures[10].absent = "no token";
  figures[11].absent = "no sample after the outage";
  figures[6].primary = true;
  return figures;
}

// What the trials with a failure had none of, so that figures are not observed. `intact`: the
// trials without one.
void noteImpacts(const Measured& intact, const std::vector<Measured>& failed,
                 ResultBuilder& builder) {
  std::size_t trials = 0;
  std::size_t idle = 0;     // without transfers
  std::size_t lost = 0;     // a transfer never arrived
  std::size_t calm = 0;     // nothing waited
  std::size_t without = 0;  // a request got no token
  for (const Measured& one : failed) {
    for (std::size_t i = 0; i < std::min(one.trials.size(), intact.trials.size()); ++i) {
      if (!one.trials[i].serving || !intact.trials[i].serving) continue;
      const LinkImpact impact =
          linkImpact(*one.trials[i].serving, *intact.trials[i].serving, outageIn(one.point.spec));
      ++trials;
      idle += impact.transfers == 0 ? 1 : 0;
      lost += impact.transfers > 0 && !impact.recovery_ms ? 1 : 0;
      calm += impact.waiting == 0 ? 1 : 0;
      without += impact.waiting > 0 && !impact.ttft_rise_ms ? 1 : 0;
    }
  }
  const auto note = [&](std::size_t count, const std::string& what) {
    if (count > 0) {
      builder.anomaly(fmt::format("in {} of {} {}", count, counted(trials, "trial"), what),
                      "failures");
    }
  };
  note(idle, kNoTransfer);
  note(lost, "a transfer of the outage never arrived: its delay and recovery are not observed");
  note(calm,
       "no request waited for its first token in the outage: TTFT above P99 and its rise are "
       "not observed");
  note(without,
       "a request of the outage got no token: TTFT above P99 and its rise are not observed");
}

// KV cache that arrived over time, of the first repetition.
void addTimeline(const std::vector<Measured>& measured, ResultBuilder& builder) {
  results::Chart chart;
  chart.id = "kv_over_time";
  chart.title = "KV cache that arrived, by what fails";
  chart.kind = results::ChartKind::kTime;
  chart.x_label = "Time [ms]";
  chart.y_label = "KV cache [GB/s]";
  for (const Measured& one : measured) {
    if (one.trials.empty() || !one.trials.front().fabric->samples) continue;
    const bench::Samples& samples = *one.trials.front().fabric->samples;
    results::Series series;
    series.name = one.point.label;
    double before = 0;
    for (std::size_t i = 0; i < samples.samples.size(); ++i) {
      double bytes = 0;
      for (const std::uint64_t flow : samples.samples[i].received) {
        bytes += static_cast<double>(flow);
      }
      const Picoseconds end = samples.interval * static_cast<std::int64_t>(i + 1);
      series.x.push_back(end.toSeconds() * 1e3);
      series.y.push_back((bytes - before) / samples.interval.toSeconds() * 1e-9);
      before = bytes;
    }
    chart.series.push_back(std::move(series));
  }
  builder.result().charts.push_back(std::move(chart));
}

void ServingFailureProcedure::report(const TestConfig& config, const Design& design,
                                     const std::vector<Measured>& measured,
                                     ResultBuilder& builder) const {
  if (measured.empty() || placeOf(design, measured.front()) != 0) {
    builder.result().summary =
        "The trial without failure is not valid: there is nothing to compare failures with.";
    return;
  }
  std::vector<Measured> failed(measured.begin() + 1, measured.end());
  const std::vector<Figure> figures = failureFigures(config, design, measured);
  addTable(design, failed, figures,
           {"failures",
            "What a failure does",
            fmt::format(
                "Against the same repetition without failure, whose requests are the same. The "
                "outage lasts from the failure for twice the convergence and the first timeout, "
                "{}. A transfer is delayed when it takes a tenth of the convergence longer; "
                "recovery is until the last delayed transfer has arrived. TTFT above P99: the "
                "longest in the outage less the P99 without failure. Tokens are lost that came "
                "without failure up to the end of the outage, or of the window. KV after the "
                "outage: payload that arrived from its end to the end of the load, of that without "
                "failure.",
                roundedTimeText(outageIn(design.points.front().spec).settled -
                                outageIn(design.points.front().spec).down)),
            {},
            {}},
           builder);
  noteImpacts(measured.front(), failed, builder);
  addMainFigure(design, failed, figures, builder);
  const serving::SloSpec& slo = servingSection(config).slo;
  addTable(design, measured, chosen(servingFigures(slo), servedKpis()),
           {"serving", "The whole window, with and without failures", kServingNote, {}, {}},
           builder);
  addTimeline(measured, builder);
  addRequestData(design, measured, builder);
  std::optional<results::Quantity> longest;
  std::size_t recovered = 0;
  for (const Measured& one : failed) {
    const auto recovery = meanOf(design, one, figures[6]);
    if (!recovery) continue;
    ++recovered;
    if (!longest || longest->value < recovery->value) longest = recovery;
  }
  for (const SweepPoint& point : design.points) {
    for (const std::string& element : elementsOf(point.spec)) {
      auto& elements = builder.result().failed_elements;
      if (std::find(elements.begin(), elements.end(), element) == elements.end()) {
        elements.push_back(element);
      }
    }
  }
  builder.result().summary =
      fmt::format("Recovery of transfers was observed after {} of {} failures{}.", recovered,
                  failed.size(), longest ? ", within " + builder.text(*longest) : std::string());
}

}  // namespace

const Procedure& servingFailureProcedure() {
  static const ServingFailureProcedure test;
  return test;
}

}  // namespace plumbline::suite
