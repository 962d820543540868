// T11.2 Link failure and T11.3 Zero-impact failover (training draft, sections 11.2 and 11.3).
//
// Ring AllReduces of all hosts run one after the other; in the middle of one of them an element of
// the fabric fails and stays down: a leaf's uplink, a spine (or the switch above a leaf), a link
// between higher tiers where there is one. Swept: what fails, load balancing; the same without a
// failure beside it. Measured: packets lost and the time between the first and the last of them
// (loss duration); redistribution, from the failure until the hosts' goodput over a window is back
// at 90 % of what it was before; JCT overhead against the run without failure. T11.3 judges the
// same trials: a failure has zero impact when the iteration in which it falls takes no longer than
// the P99 of those before it (nearest rank, all of the run without failure).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "fabric/topology.h"
#include "suite/fabric_metrics.h"
#include "suite/training/collective.h"
#include "suite/training/training.h"
#include "workload/formulas.h"

namespace plumbline::suite {
namespace {

using workload::CollectiveKind;

// Something that may fail; no element: nothing does.
struct Casualty {
  std::string what;  // "leaf uplink"
  std::string element;
};

struct FailurePoint {
  Casualty casualty;
  Variant variant;
};

// One of each kind that the topology has.
std::vector<Casualty> casualtiesOf(const fabric::TopologySpec& spec) {
  const fabric::Topology topology = fabric::buildTopology(spec);
  const auto isLeaf = [&](fabric::NodeId node) {
    const auto& links = topology.nodes()[node].out_links;
    return std::any_of(links.begin(), links.end(), [&](fabric::LinkId link) {
      return topology.nodes()[topology.links()[link].to].kind == fabric::NodeKind::kHost;
    });
  };
  std::vector<Casualty> all{{"nothing", {}}};
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
  Picoseconds failure;  // when it fails
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
  // In the second half of the iterations, going by what serialisation alone takes.
  const double ideal = workload::idealSeconds(CollectiveKind::kAllReduce, design.ranks,
                                              static_cast<std::uint64_t>(design.size.count()),
                                              config.scenario.topology.link_rate);
  design.failure = Picoseconds(static_cast<std::int64_t>(ideal * 1e12 * 0.6 * design.iterations));
  numbers.configure("Failure",
                    fmt::format("after {:.4g} us, for good", design.failure.toMicroseconds()));
  numbers.configure("Routing convergence", valueText(config.scenario.convergence));
  const auto balancings =
      balancingSweep(config, numbers, {"ecmp", "flowlet", "spray"}, {"ecmp", "flowlet", "spray"});
  for (const Casualty& casualty : casualtiesOf(config.scenario.topology)) {
    for (const Balancing& balancing : balancings) {
      design.points.push_back({casualty, usualVariant(config, balancing)});
    }
  }
  return design;
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

std::uint64_t receivedAt(const bench::Samples& samples, std::size_t sample) {
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : samples.samples[sample].received) sum += bytes;
  return sum;
}

// From the failure to the first window since when goodput is back at 90 % of the mean before.
std::optional<double> redistributionMicroseconds(const bench::Samples& samples,
                                                 Picoseconds failure) {
  constexpr std::size_t kWindow = 20;
  constexpr double kShare = 0.9;
  const auto first = static_cast<std::size_t>(failure / samples.interval);
  if (first < 1 || first >= samples.samples.size()) return std::nullopt;
  const double before =
      static_cast<double>(receivedAt(samples, first - 1)) / static_cast<double>(first);
  for (std::size_t end = first + kWindow; end < samples.samples.size(); ++end) {
    const auto bytes =
        static_cast<double>(receivedAt(samples, end) - receivedAt(samples, end - kWindow));
    if (bytes / kWindow < kShare * before) continue;
    const Picoseconds since = samples.interval * static_cast<std::int64_t>(end - kWindow + 1);
    return std::max(since - failure, Picoseconds(0)).toMicroseconds();
  }
  return std::nullopt;
}

// The iteration that a failure at `time` falls into.
std::optional<std::size_t> iterationAt(const bench::JobOutcome& job, Picoseconds time) {
  Picoseconds end;
  for (std::size_t i = 0; i < job.iterations.size(); ++i) {
    end += job.iterations[i];
    if (time < end) return i;
  }
  return std::nullopt;
}

class LinkFailureTest : public FabricTest {
 public:
  [[nodiscard]] std::string id() const override { return "T11.2"; }
  [[nodiscard]] std::string title() const override { return "Link failure"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"jct_us",
            "packets_lost",
            "loss_duration_us",
            "redistribution_us",
            "jct_overhead_percent",
            "failure_iteration_vs_p99"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 11.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design LinkFailureTest::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Fails", ""}, {"Balancing", ""}};
  const FailureDesign plan = failureDesign(config, design.numbers);
  design.repetitions = design.numbers.repetitions(20, 2);
  if (plan.points.front().casualty.what != plan.points.back().casualty.what) {
    for (const FailurePoint& point : plan.points) {
      const CollectivePoint collective{CollectiveKind::kAllReduce, plan.size, plan.ranks,
                                       point.variant};
      bench::TrialSpec spec = collectiveTrial(config, collective, plan.iterations);
      spec.fast_forward.reset();
      if (!point.casualty.element.empty()) {
        spec.dut.failures.push_back({point.casualty.element, plan.failure, std::nullopt});
      }
      spec.sampling.emplace().interval = sampleInterval(config, plan);
      const double hops = collectiveHops(config, collective, plan.iterations, spec);
      design.add({point.casualty.element.empty()
                      ? point.casualty.what
                      : fmt::format("{} ({})", point.casualty.what, point.casualty.element),
                  point.variant.name},
                 std::move(spec), hops, collectiveHopCost(config, collective));
    }
  } else {
    design.refusals.emplace_back("the DUT has no links between switches that could fail");
  }
  return design;
}

void LinkFailureTest::report(const TestConfig& config, const Design& design,
                             const std::vector<Measured>& measured, ResultBuilder& builder) const {
  Numbers unused(config);
  const FailureDesign plan = failureDesign(config, unused);
  const std::vector<FailurePoint>& points = plan.points;
  const auto completion = [](const bench::TrialResult& trial) {
    return trial.fabric->jobs.at(0).completion;
  };
  std::map<std::string, Picoseconds> intact;  // by balancing
  std::map<std::string, Picoseconds> steady;  // P99 of an iteration
  for (const Measured& one : measured) {
    const FailurePoint& point = points[placeOf(design, one)];
    if (!point.casualty.element.empty()) continue;
    intact[point.variant.name] = completion(one.trials.front());
    steady[point.variant.name] = iterationQuantile(one.trials.front().fabric->jobs.at(0), 0.99);
  }
  const auto fails = [&](std::size_t i) { return !points[i].casualty.element.empty(); };
  const Figure lost =
      figure("Packets lost", "", "packets_lost", [](const bench::TrialResult& trial) {
        return static_cast<double>(trial.fabric->total.dropped());
      });
  const Figure duration{.column = "Loss duration",
                        .unit = "us",
                        .kpi = "loss_duration_us",
                        .of = [](std::size_t, const bench::TrialResult& trial) {
                          const bench::Samples& samples = *trial.fabric->samples;
                          return (samples.last_drop - samples.first_drop).toMicroseconds();
                        }};
  const Figure redistribution{
      .column = "Redistribution",
      .unit = "us",
      .kpi = "redistribution_us",
      .of = [&](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        if (!fails(i)) return std::nullopt;
        return redistributionMicroseconds(*trial.fabric->samples, plan.failure);
      }};
  Figure overhead{
      .column = "JCT overhead",
      .unit = "%",
      .kpi = "jct_overhead_percent",
      .of = [&](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        const auto base = intact.find(points[i].variant.name);
        if (!fails(i) || base == intact.end()) return std::nullopt;
        return 100 * (workload::interferenceFactor(completion(trial), base->second) - 1);
      }};
  const Figure jct{.column = "JCT",
                   .unit = "us",
                   .kpi = "jct_us",
                   .of = [&](std::size_t, const bench::TrialResult& trial) {
                     return completion(trial).toMicroseconds();
                   }};
  // T11.3: how long the iteration of the failure took, against P99 without one.
  const Figure impact{
      .column = "Failure iteration over steady P99",
      .unit = "",
      .kpi = "failure_iteration_vs_p99",
      .of = [&](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        const bench::JobOutcome& job = trial.fabric->jobs.at(0);
        const auto iteration = iterationAt(job, plan.failure);
        const auto base = steady.find(points[i].variant.name);
        if (!fails(i) || !iteration || base == steady.end()) return std::nullopt;
        return workload::interferenceFactor(job.iterations[*iteration], base->second);
      }};
  addTable(
      design, measured, {lost, duration, redistribution, jct, overhead, impact},
      {"failure",
       "Failure during AllReduce",
       "Loss duration is from the first lost packet to the last. Redistribution is from the "
       "failure until goodput is back at 90 % of its mean before. The last column compares the "
       "iteration of the failure with the P99 of the run without one: up to 1 the failure had "
       "zero impact.",
       {},
       {}},
      builder);
  for (const FailurePoint& point : points) {
    const std::string& element = point.casualty.element;
    auto& failed = builder.result().failed_elements;
    if (!element.empty() && std::find(failed.begin(), failed.end(), element) == failed.end()) {
      failed.push_back(element);
    }
  }
  std::size_t failures = 0;
  std::size_t unharmed = 0;
  for (const Measured& one : measured) {
    const auto value = meanOf(design, one, impact);
    if (!value) continue;
    ++failures;
    if (value->value <= 1) ++unharmed;
    builder.primary("JCT overhead, " + one.point.label, *meanOf(design, one, overhead));
  }
  builder.result().summary = fmt::format("{} of {} failures had zero impact.", unharmed, failures);
}

class ZeroImpactTest final : public LinkFailureTest {
 public:
  [[nodiscard]] std::string id() const override { return "T11.3"; }
  [[nodiscard]] std::string title() const override { return "Zero-impact failover"; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 11.3"; }
};

}  // namespace

const Procedure& linkFailureTest() {
  static const LinkFailureTest test;
  return test;
}

const Procedure& zeroImpactTest() {
  static const ZeroImpactTest test;
  return test;
}

}  // namespace plumbline::suite
