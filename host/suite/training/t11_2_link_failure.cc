// T11.2 Link failure and T11.3 Zero-impact failover (training draft, sections 11.2 and 11.3).
//
// Ring AllReduces of all hosts run one after the other; in the middle of one of them an element of
// the fabric fails and stays down: a leaf's uplink, a spine (or the switch above a leaf), a link
// between higher tiers where there is one. Swept: the failing element, load balancing; compared
// with the same trial without a failure, with the same seeds repetition by repetition. Measured:
// packets lost and the time between the first and the last of them (loss duration). Computed, each
// time from the failure on:
//   last loss        until the last packet is lost
//   goodput back     until goodput has recovered (link_failure.h)
//   redistribution   until both: no packet is sent to the failed element any more, and goodput has
//                    recovered
//   JCT overhead     of the iteration with the failure: its time over the mean iteration of the
//                    same repetition without failure, minus 1; sum over sum of the repetitions.
//                    Iterations overlap where ranks drift apart: it is the longest of those that
//                    are under way from the failure until the fabric has converged
//   job overhead     the same for the whole job
// A repetition that does not recover is counted and left out of the means. Losses count from the
// failure on: failures of the scenario's own happen in all trials, and where one of them may lose
// packets after the test's, losses are not given. T11.3 judges the same
// trials: a failure has zero impact in a repetition when its iteration takes no longer than the P99
// of the steady iterations (nearest rank, of all repetitions without failure).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/engine/schedule.h"
#include "fabric/spec/fabric_plan.h"
#include "fabric/topology/topology.h"
#include "stats/paired_ratio.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/training/collective.h"
#include "suite/training/link_failure.h"
#include "suite/training/training.h"
#include "workload/formulas.h"

namespace plumbline::suite {
namespace {

using workload::CollectiveKind;

constexpr double kSteadyQuantile = 0.99;  // of the draft's zero impact

// A failing element; none: the trial without failure.
struct ElementToFail {
  std::string what;  // "leaf uplink"
  std::string element;
};

struct FailurePoint {
  ElementToFail failing;
  Variant variant;
};

// One of each kind that the topology has.
std::vector<ElementToFail> elementsToFail(const fabric::TopologySpec& spec) {
  const fabric::Topology topology = fabric::buildTopology(spec);
  const auto isLeaf = [&](fabric::NodeId node) {
    const auto& links = topology.nodes()[node].out_links;
    return std::any_of(links.begin(), links.end(), [&](fabric::LinkId link) {
      return topology.nodes()[topology.links()[link].to].kind == fabric::NodeKind::kHost;
    });
  };
  std::vector<ElementToFail> all{{"nothing", {}}};
  std::optional<fabric::LinkId> uplink;
  std::optional<fabric::LinkId> higher;
  for (fabric::LinkId id = 0; id < topology.links().size(); ++id) {
    const fabric::Link& link = topology.links()[id];
    if (topology.nodes()[link.from].kind != fabric::NodeKind::kSwitch ||
        topology.nodes()[link.to].kind != fabric::NodeKind::kSwitch) {
      continue;
    }
    if (!uplink && isLeaf(link.from)) uplink = id;
    if (!higher && !isLeaf(link.from) && !isLeaf(link.to)) higher = id;
  }
  if (uplink) {
    all.push_back({"leaf uplink", topology.linkName(*uplink)});
    const fabric::NodeId above = topology.links()[*uplink].to;
    if (!isLeaf(above)) all.push_back({"spine switch", topology.nodes()[above].name});
  }
  if (higher) all.push_back({"superspine link", topology.linkName(*higher)});
  return all;
}

struct FailureDesign {
  std::uint32_t ranks = 0;
  Bytes size;
  std::uint32_t iterations = 0;
  Picoseconds failure;    // when it fails
  Picoseconds converged;  // when routes avoid it
  std::vector<FailurePoint> points;
};

FailureDesign failureDesign(const TestConfig& config, Numbers& numbers) {
  FailureDesign design;
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  const auto& own = config.scenario.parameters.ranks;
  design.ranks = numbers.atLeast<std::uint32_t>("Ranks", 128, std::min(hosts, 64U),
                                                own           ? std::optional(own->front())
                                                : hosts < 128 ? std::optional(hosts)
                                                              : std::nullopt);
  design.size = numbers.sweep<Bytes>("Buffer", {Bytes(std::int64_t{1} << 30)}, {Bytes(4 << 20)},
                                     config.scenario.parameters.sizes)[0];
  design.iterations =
      numbers.atLeast<std::uint32_t>("Iterations", 100, 8, config.scenario.parameters.iterations);
  // In the second half of the iterations, estimated by serialisation time alone.
  const double ideal = workload::idealSeconds(CollectiveKind::kAllReduce, design.ranks,
                                              static_cast<std::uint64_t>(design.size.count()),
                                              config.scenario.topology.link_rate);
  design.failure = Picoseconds(static_cast<std::int64_t>(ideal * 1e12 * 0.6 * design.iterations));
  design.converged = design.failure + config.scenario.convergence;
  numbers.configure("Placement", placementText(config));
  noteRingHops(config, {CollectiveKind::kAllReduce}, {design.ranks}, numbers);
  numbers.configure("Failure", fmt::format("after {}, for good", roundedTimeText(design.failure)));
  numbers.configure("Routing convergence", valueText(config.scenario.convergence));
  const auto balancings =
      balancingSweep(config, numbers, {"ecmp", "flowlet", "spray"}, {"ecmp", "flowlet", "spray"});
  for (const ElementToFail& failing : elementsToFail(config.scenario.topology)) {
    for (const Balancing& balancing : balancings) {
      design.points.push_back({failing, defaultVariant(config, balancing)});
    }
  }
  return design;
}

// Why the scenario's own failures leave no room for the test's, which is for good; nothing if they
// do.
std::optional<std::string> overlapRefusal(const scenario::Scenario& scenario,
                                          const FailureDesign& design) {
  const fabric::Topology topology = fabric::buildTopology(scenario.topology);
  const auto elementOf = [&](const std::string& name) {
    return fabric::failedElement(topology, name, "dut.failures");
  };
  for (const fabric::FailureSpec& own : scenario.failures) {
    if (own.up && *own.up <= design.failure) continue;
    for (const FailurePoint& point : design.points) {
      const std::string& element = point.failing.element;
      if (element.empty() || elementOf(element) != elementOf(own.element)) continue;
      return fmt::format(
          "the test lets {} fail after {} for good, and a failure of the scenario's own "
          "(dut.failures: {}) is not over by then",
          element, roundedTimeText(design.failure), own.element);
    }
  }
  return std::nullopt;
}

Picoseconds sampleInterval(const TestConfig& config, const FailureDesign& design) {
  // A hundred samples to a fault-free iteration, going by serialisation.
  return Picoseconds(std::max<std::int64_t>(
      static_cast<std::int64_t>(
          workload::idealSeconds(CollectiveKind::kAllReduce, design.ranks,
                                 static_cast<std::uint64_t>(design.size.count()),
                                 config.scenario.topology.link_rate) *
          1e10),
      1'000'000));
}

class LinkFailureProcedure : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T11.2"; }
  [[nodiscard]] std::string title() const override { return "Link failure"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"goodput_back_us",
            "failure_iteration_us",
            "job_overhead_percent",
            "jct_us",
            "packets_lost",
            "loss_duration_us",
            "redistribution_us",
            "jct_overhead_percent",
            "failure_iteration_vs_p99"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 11.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  [[nodiscard]] bool reportsInvalid() const override { return true; }
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
  // From how many failures had zero impact in every repetition, and the worst overhead as text,
  // "5 % longer"; empty: no mean is above zero.
  [[nodiscard]] virtual std::string summaryOf(std::size_t failures, std::size_t without_loss,
                                              const std::string& worst_overhead) const {
    const std::string longer =
        worst_overhead.empty()
            ? std::string("no iteration of a failure takes longer on average")
            : fmt::format("the iteration of a failure takes up to {}", worst_overhead);
    return fmt::format("{} of {} failures had zero impact; {}.", without_loss, failures, longer);
  }
};

Design LinkFailureProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Fails", ""}, {"Balancing", ""}};
  const FailureDesign plan = failureDesign(config, design.numbers);
  design.repetitions = design.numbers.repetitions(20, 2);
  if (auto why = overlapRefusal(config.scenario, plan)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  if (plan.points.front().failing.what != plan.points.back().failing.what) {
    for (const FailurePoint& point : plan.points) {
      const CollectivePoint collective{CollectiveKind::kAllReduce, plan.size, plan.ranks,
                                       point.variant};
      bench::TrialSpec spec = collectiveTrial(config, collective, plan.iterations);
      spec.fast_forward.reset();
      if (!point.failing.element.empty()) {
        spec.dut.failures.push_back({point.failing.element, plan.failure, std::nullopt});
      }
      spec.sampling.emplace().interval = sampleInterval(config, plan);
      spec.sampling->losses_from = lossesFrom(spec, plan.failure);
      const double hops = collectiveHops(config, collective, plan.iterations, spec);
      design.add({point.failing.element.empty()
                      ? point.failing.what
                      : fmt::format("{} ({})", point.failing.what, point.failing.element),
                  point.variant.name},
                 std::move(spec), hops, collectiveHopCost(config, collective));
    }
  } else {
    design.refusals.emplace_back("the DUT has no links between switches that could fail");
  }
  std::vector<std::string> others;
  for (const fabric::FailureSpec& own : config.scenario.failures) others.push_back(own.element);
  if (!others.empty()) {
    design.numbers.deviation(
        fmt::format("the scenario's own failures ({}) happen in every trial that lasts until then, "
                    "also in those without the test's",
                    fmt::join(others, ", ")));
  }
  design.carry(plan);
  return design;
}

// A failure's figures, one value for each repetition that has it.
struct Outcome {
  std::size_t repetitions = 0;
  std::size_t finished = 0;  // with and without the failure
  std::size_t recovered = 0;
  std::size_t zero_impact = 0;
  std::uint64_t lost_before = 0;
  std::uint64_t lost_otherwise = 0;
  std::size_t shared = 0;  // in which an own failure of the scenario is in the iteration as well
  bool losses_known = true;
  bool goodput_known = true;
  std::vector<double> lost;
  std::vector<double> loss_us;
  std::vector<double> last_loss_us;
  std::vector<double> goodput_us;
  std::vector<double> redistribution_us;
  // Of the same repetitions, with and without failure.
  std::vector<double> iteration_us;
  std::vector<double> steady_us;
  std::vector<double> p99_us;  // of the iterations without failure
  std::vector<double> jct_us;
  std::vector<double> steady_jct_us;

  [[nodiscard]] std::string ofAll(std::size_t count) const {
    return fmt::format("{} of {}", count, repetitions);
  }
};

const bench::JobOutcome& failureJob(const bench::TrialResult& trial) {
  return trial.fabric->jobs.at(0);
}

// The trials without failure of one load balancing.
struct Steady {
  const Measured* trials = nullptr;
  std::size_t iterations = 0;  // of the valid repetition with the fewest
  std::vector<double> p99_us;  // of each valid repetition
};

Picoseconds steadyP99(const bench::TrialResult& trial) {
  return nearestRank(failureJob(trial).iterations, kSteadyQuantile);
}

// Whether one of `own`, the scenario's failures that LLR does not bridge, may lose packets after
// the test's, so that the losses of the two cannot be told apart: before switches route around it,
// or as it does without the test's.
bool mayLoseAfter(const std::vector<fabric::FailureSpec>& own, Picoseconds convergence,
                  Picoseconds failure, const bench::TrialResult& failed,
                  const bench::TrialResult& intact) {
  const auto late = [&](const fabric::FailureSpec& one) {
    return one.down < failed.fabric->sim_end && one.down + convergence > failure;
  };
  if (std::any_of(own.begin(), own.end(), late)) return true;
  return !own.empty() && intact.fabric && intact.fabric->samples &&
         intact.fabric->samples->losses > 0;
}

Outcome outcomeOf(const scenario::Scenario& scenario, const Measured& failed, const Steady& steady,
                  const FailureDesign& plan) {
  const Picoseconds failure = plan.failure;
  Outcome outcome;
  outcome.repetitions = failed.trials.size();
  const auto own = fabric::unbridged(scenario.failures, failed.point.spec.dut);
  for (std::size_t i = 0; i < failed.trials.size(); ++i) {
    const bench::TrialResult& trial = failed.trials[i];
    const bench::TrialResult& intact = steady.trials->trials[i];
    if (!trial.fabric || !trial.fabric->samples) continue;
    const bench::Samples& samples = *trial.fabric->samples;
    outcome.lost_before += trial.fabric->total.dropped() - samples.losses;
    outcome.lost_otherwise += lostOtherwise(trial);
    const bool known = !mayLoseAfter(own, scenario.convergence, failure, trial, intact);
    const Picoseconds last = lastLoss(samples, failure).value_or(Picoseconds(0));
    if (known) {
      outcome.lost.push_back(static_cast<double>(samples.losses));
      outcome.loss_us.push_back(lossDuration(samples, failure).toMicroseconds());
      outcome.last_loss_us.push_back(last.toMicroseconds());
    } else {
      outcome.losses_known = false;
    }
    if (!trial.valid() || !intact.valid() || !intact.fabric->samples) continue;
    ++outcome.finished;
    const Picoseconds end = failureJob(trial).completion;
    const auto hit = iterationsDuring(failureJob(trial), failure, plan.converged);
    const auto back =
        goodputBack({samples, end}, {*intact.fabric->samples, failureJob(intact).completion},
                    failure, hit ? hit->end : end);
    outcome.goodput_known =
        outcome.goodput_known && (back || knowsGoodputBefore({samples, end}, failure));
    if (back) {
      ++outcome.recovered;
      outcome.goodput_us.push_back(back->toMicroseconds());
      if (known) outcome.redistribution_us.push_back(std::max(last, *back).toMicroseconds());
    }
    outcome.jct_us.push_back(failureJob(trial).completion.toMicroseconds());
    outcome.steady_jct_us.push_back(failureJob(intact).completion.toMicroseconds());
    if (!hit) continue;
    const auto in_it = [&](const fabric::FailureSpec& one) {
      return one.down < hit->end && one.down + scenario.convergence > hit->begin;
    };
    if (std::any_of(own.begin(), own.end(), in_it)) ++outcome.shared;
    outcome.iteration_us.push_back(hit->longest.toMicroseconds());
    outcome.steady_us.push_back(meanIteration(failureJob(intact)).toMicroseconds());
    const Picoseconds p99 = steadyP99(intact);
    outcome.p99_us.push_back(p99.toMicroseconds());
    if (hit->longest <= p99) ++outcome.zero_impact;
  }
  return outcome;
}

std::map<std::string, Steady> steadyOf(const Design& design,
                                       const std::vector<FailurePoint>& points,
                                       const std::vector<Measured>& measured) {
  std::map<std::string, Steady> all;
  for (const Measured& one : measured) {
    const FailurePoint& point = points[placeOf(design, one)];
    if (!point.failing.element.empty()) continue;
    Steady steady;
    steady.trials = &one;
    for (const bench::TrialResult& trial : one.trials) {
      if (!trial.valid()) continue;
      const std::size_t count = failureJob(trial).iterations.size();
      steady.iterations = steady.p99_us.empty() ? count : std::min(steady.iterations, count);
      steady.p99_us.push_back(steadyP99(trial).toMicroseconds());
    }
    if (steady.p99_us.empty()) continue;
    all.emplace(point.variant.name, std::move(steady));
  }
  return all;
}

// Cells of a row, and the KPIs that go with them.
class RowWriter {
 public:
  RowWriter(const SweepPoint& point, std::size_t repetitions, ResultBuilder& builder)
      : row_(point.values.begin(), point.values.end()),
        label_(point.label),
        repetitions_(repetitions),
        builder_(builder) {}

  void text(std::string value) { row_.emplace_back(std::move(value)); }
  void add(const char* kpi, results::Quantity quantity) {
    if (*kpi != '\0') quantity = builder_.kpi(kpi, label_, std::move(quantity));
    row_.emplace_back(std::move(quantity));
  }
  // Mean of the values. A KPI that a repetition does not have meets no limit.
  void mean(const char* kpi, const std::vector<double>& values, const char* unit) {
    noteMissing(kpi, values.size());
    if (values.empty()) {
      text("not observed");
    } else {
      add(kpi, quantityOf(values, unit, ObservationPoint::kModelled));
    }
  }
  // By how much the sum of `values` exceeds that of `base`; nothing without a base.
  std::optional<results::Quantity> excess(const char* kpi, const std::vector<double>& values,
                                          const std::vector<double>& base) {
    noteMissing(kpi, values.size());
    if (values.empty()) {
      text("not observed");
      return std::nullopt;
    }
    results::Quantity quantity = ratioOf(values, base, ObservationPoint::kModelled);
    const auto percent = [](double ratio) { return 100 * (ratio - 1); };
    quantity.value = percent(quantity.value);
    quantity.unit = "%";
    quantity.cv.reset();  // of the ratio, not of its excess over 1
    quantity.uncertainty.statistical.value *= 100;
    if (quantity.confidence_low) {
      quantity.confidence_low = percent(*quantity.confidence_low);
      quantity.confidence_high = percent(*quantity.confidence_high);
    }
    add(kpi, quantity);
    return quantity;
  }
  std::vector<results::Cell> take() { return std::move(row_); }

 private:
  void noteMissing(const char* kpi, std::size_t values) {
    if (*kpi == '\0' || values == repetitions_) return;
    builder_.notMeasured(kpi, label_);
  }

  std::vector<results::Cell> row_;
  std::string label_;
  std::size_t repetitions_;
  ResultBuilder& builder_;
};

void addSteadyTable(const std::map<std::string, Steady>& all, ResultBuilder& builder) {
  results::Table table{
      "steady",
      "Without a failure",
      "Means over the repetitions; the P99 is that of a repetition's iterations, by "
      "nearest rank.",
      {"Balancing", "JCT", "Iteration mean", "Iteration P99", "Iterations"},
      {}};
  for (const auto& [name, steady] : all) {
    std::vector<double> jct;
    std::vector<double> means;
    for (const bench::TrialResult& trial : steady.trials->trials) {
      if (!trial.valid()) continue;
      jct.push_back(failureJob(trial).completion.toMicroseconds());
      means.push_back(meanIteration(failureJob(trial)).toMicroseconds());
    }
    const std::size_t count = steady.iterations;
    const results::Quantity time = quantityOf(jct, "us", ObservationPoint::kModelled);
    builder.kpi("jct_us", "nothing, " + name, time);
    builder.repeated("nothing, " + name, "JCT", jct, "us");
    table.rows.push_back({name, time, quantityOf(means, "us", ObservationPoint::kModelled),
                          quantityOf(steady.p99_us, "us", ObservationPoint::kModelled),
                          std::to_string(count)});
    if (count < samplesNeeded(kSteadyQuantile)) {
      builder.anomaly(
          fmt::format("the P99 of steady iterations rests on {} of a repetition, fewer than {}: "
                      "it is {} of them",
                      count, samplesNeeded(kSteadyQuantile),
                      count < 100 ? "the longest" : "one of the longest"),
          name);
    }
  }
  builder.result().tables.push_back(std::move(table));
}

// What the row of a failure does not show.
void noteOutcome(const Outcome& outcome, const std::string& label, ResultBuilder& builder) {
  const auto note = [&](std::string what) { builder.anomaly(std::move(what), label); };
  if (outcome.finished < outcome.repetitions) {
    note(fmt::format("{} repetitions did not finish the job: they have losses, but no times",
                     outcome.ofAll(outcome.repetitions - outcome.finished)));
  }
  if (outcome.recovered < outcome.finished) {
    note(fmt::format(
        "{} repetitions {}: {}", outcome.ofAll(outcome.finished - outcome.recovered),
        outcome.goodput_known ? "did not recover before the job was done"
                              : "are not known to have recovered: the failure comes too early for "
                                "a goodput before it, or no byte arrived for 20 sample intervals "
                                "before it too",
        outcome.recovered > 0 ? "redistribution is of the others" : "there is no redistribution"));
  }
  if (!outcome.losses_known) {
    note(
        "the scenario's own failures may lose packets after the test's: losses, their times and "
        "redistribution cannot be told apart, and are not given");
  } else if (outcome.lost_before > 0) {
    note(fmt::format("{} packets were lost before the failure, and are not counted",
                     outcome.lost_before));
  }
  if (outcome.shared > 0) {
    note(
        fmt::format("in {} repetitions the scenario's own failures fall in the iteration of the "
                    "failure, too: its time and overhead include theirs",
                    outcome.ofAll(outcome.shared)));
  }
  if (outcome.lost_otherwise > 0) {
    note(
        fmt::format("{} packets were lost for other reasons than the failure; losses and their "
                    "times include those from the failure on",
                    outcome.lost_otherwise));
  }
}

// "5 % longer"; empty where the mean is not above zero.
std::string longerText(const results::Quantity& overhead, const ResultBuilder& builder) {
  if (overhead.value <= 0) return {};
  const auto reach = results::reachOf(overhead);
  if (!reach || reach->below < overhead.value) return builder.text(overhead) + " longer";
  return fmt::format("{:.2g} % longer (its interval includes 0)", overhead.value);
}

void LinkFailureProcedure::report(const TestConfig& config, const Design& design,
                                  const std::vector<Measured>& measured,
                                  ResultBuilder& builder) const {
  const auto& plan = design.carried<FailureDesign>();
  const std::vector<FailurePoint>& points = plan.points;
  const std::map<std::string, Steady> steady = steadyOf(design, points, measured);
  results::Table failures{
      "failure",
      "Failure during AllReduce",
      "Losses are those from the failure on. Loss duration is from the first lost packet, or from "
      "the failure where that was on the wire then, to the last; the following three times begin "
      "at the failure. Last loss: 0 where nothing was lost "
      "but what was on the wire then. "
      "Redistribution: until the last loss and until goodput is back at 90 % of its "
      "mean before, or at its lowest before where that is less, and does not fall again in the "
      "iteration of the failure (0: it never fell). JCT overhead is "
      "that of the iteration in which the failure falls, over the mean iteration of the same "
      "repetitions without failure; where iterations overlap, the longest of those under way from "
      "the failure until routes have changed. A repetition has recovered when goodput is back "
      "before the job is done.",
      {"Fails", "Balancing", "Recovered", "Packets lost", "Loss duration", "Last loss",
       "Goodput back", "Redistribution", "Steady iteration", "Failure iteration", "JCT overhead",
       "Overhead of the job"},
      {}};
  results::Table impact{"zero_impact",
                        "Impact on the iteration of the failure",
                        "A failure has zero impact in a repetition when its iteration takes no "
                        "longer than the P99 of the iterations of the same repetition without "
                        "failure.",
                        {"Fails", "Balancing", "Failure iteration", "Longest", "Steady P99",
                         "Over P99", "Repetitions with zero impact"},
                        {}};
  std::size_t failed = 0;
  std::size_t unfinished = 0;  // of these, without a job that finished
  std::size_t without_loss = 0;
  std::optional<results::Quantity> worst;  // overhead
  for (const Measured& one : measured) {
    const FailurePoint& point = points[placeOf(design, one)];
    const auto base = steady.find(point.variant.name);
    if (point.failing.element.empty() || base == steady.end()) continue;
    const Outcome outcome = outcomeOf(config.scenario, one, base->second, plan);
    RowWriter row(one.point, outcome.repetitions, builder);
    row.text(outcome.goodput_known || outcome.recovered > 0 ? outcome.ofAll(outcome.recovered)
                                                            : "not observed");
    row.mean("packets_lost", outcome.lost, "");
    row.mean("loss_duration_us", outcome.loss_us, "us");
    row.mean("", outcome.last_loss_us, "us");
    row.mean("goodput_back_us", outcome.goodput_us, "us");
    row.mean("redistribution_us", outcome.redistribution_us, "us");
    row.mean("", outcome.steady_us, "us");
    row.mean("failure_iteration_us", outcome.iteration_us, "us");
    const auto overhead =
        row.excess("jct_overhead_percent", outcome.iteration_us, outcome.steady_us);
    row.excess("job_overhead_percent", outcome.jct_us, outcome.steady_jct_us);
    failures.rows.push_back(row.take());
    if (!outcome.jct_us.empty()) {
      builder.kpi("jct_us", one.point.label,
                  quantityOf(outcome.jct_us, "us", ObservationPoint::kModelled));
    }
    noteOutcome(outcome, one.point.label, builder);
    if (outcome.finished == 0) {
      ++failed;
      ++unfinished;
      RowWriter judged(one.point, outcome.repetitions, builder);
      judged.mean("", {}, "us");
      judged.mean("", {}, "us");
      judged.mean("", base->second.p99_us, "us");
      judged.mean("failure_iteration_vs_p99", {}, "");
      judged.text(outcome.ofAll(0));
      impact.rows.push_back(judged.take());
    }
    if (!overhead) continue;
    builder.primary("JCT overhead, " + one.point.label, *overhead);
    if (!worst || worst->value < overhead->value) worst = overhead;
    builder.repeated(one.point.label, "Failure iteration over steady iteration",
                     stats::pairedRatio(outcome.iteration_us, outcome.steady_us).ratios, "");
    ++failed;
    if (outcome.zero_impact == outcome.repetitions) ++without_loss;
    RowWriter judged(one.point, outcome.repetitions, builder);
    judged.mean("", outcome.iteration_us, "us");
    judged.add("", quantityOf(std::vector<double>{*std::max_element(outcome.iteration_us.begin(),
                                                                    outcome.iteration_us.end())},
                              "us", ObservationPoint::kModelled));
    judged.mean("", outcome.p99_us, "us");
    judged.add("failure_iteration_vs_p99",
               ratioOf(outcome.iteration_us, outcome.p99_us, ObservationPoint::kModelled));
    judged.text(outcome.ofAll(outcome.zero_impact));
    impact.rows.push_back(judged.take());
  }
  builder.result().tables.push_back(std::move(failures));
  builder.result().tables.push_back(std::move(impact));
  addSteadyTable(steady, builder);
  for (const FailurePoint& point : points) {
    const std::string& element = point.failing.element;
    auto& elements = builder.result().failed_elements;
    if (!element.empty() &&
        std::find(elements.begin(), elements.end(), element) == elements.end()) {
      elements.push_back(element);
    }
  }
  builder.result().summary = worst ? summaryOf(failed, without_loss, longerText(*worst, builder))
                                   : std::string("No job finished after its failure.");
  if (worst && unfinished > 0) {
    builder.result().summary +=
        fmt::format(" After {} of them no repetition finished the job.", unfinished);
  }
}

class ZeroImpactProcedure final : public LinkFailureProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T11.3"; }
  [[nodiscard]] std::string title() const override { return "Zero-impact failover"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 11.3"; }
  [[nodiscard]] std::string summaryOf(std::size_t failures, std::size_t without_loss,
                                      const std::string& /*worst_overhead*/) const override {
    return fmt::format("{} of {} failures had zero impact in every repetition.", without_loss,
                       failures);
  }
};

}  // namespace

const Procedure& linkFailureProcedure() {
  static const LinkFailureProcedure test;
  return test;
}

const Procedure& zeroImpactProcedure() {
  static const ZeroImpactProcedure test;
  return test;
}

}  // namespace plumbline::suite
