#include "session/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/did_you_mean.h"
#include "base/error.h"
#include "base/work.h"
#include "bench/trial/registry.h"
#include "scenario/warnings.h"
#include "suite/framework/expected_time.h"

namespace plumbline::session {
namespace {

namespace fs = std::filesystem;

// Prefix of a bench on ordinary hosts: "compare-libfabric" is the card and that one, side by side.
const std::string kComparePrefix = std::string(scenario::kCompareBenches) + "-";

// A bare name without a file of that name here means a shipped scenario.
std::string resolved(const std::string& file) {
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored) || fs::path(file).has_parent_path()) return file;
  const fs::path shipped = shippedScenario(file);
  if (!shipped.empty()) return shipped.string();
  throw Error(ErrorKind::kUsage, "there is no such file, and no scenario of this name", file,
              scenarioMeant(file));
}

// Reasons why tests cannot run. Points and tests often share one.
class Refusals {
 public:
  // `label`: the point of the test, empty if the test as a whole is refused.
  void add(const std::string& test, const std::string& label, const std::string& reason) {
    const auto [place, is_new] = places_.emplace(reason, refusals_.size());
    if (is_new) {
      refusals_.push_back({label.empty() ? test : test + ", " + label, reason, test, {}});
      return;
    }
    Refusal& known = refusals_[place->second];
    if (known.test != test && (known.also.empty() || known.also.back() != test)) {
      known.also.push_back(test);
    }
  }

  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const Refusal& refusal : refusals_) {
      lines.push_back(refusal.where + ": " + refusal.reason);
      if (!refusal.also.empty()) {
        lines.back() += fmt::format(" (also {})", fmt::join(refusal.also, ", "));
      }
    }
    return lines;
  }

 private:
  struct Refusal {
    std::string where;
    std::string reason;
    std::string test;
    std::vector<std::string> also;  // other tests
  };
  std::vector<Refusal> refusals_;
  std::map<std::string, std::size_t> places_;  // by reason, in `refusals_`
};

}  // namespace

scenario::Vocabulary vocabulary() {
  scenario::Vocabulary vocabulary;
  for (const suite::Procedure* procedure : suite::procedures()) {
    vocabulary.tests.push_back(procedure->id());
    if (procedure->onHosts()) vocabulary.on_hosts.push_back(procedure->id());
    if (procedure->runsWorkload()) vocabulary.with_workload.push_back(procedure->id());
  }
  vocabulary.kpis = suite::measuredKpis();
  for (const auto& bench : bench::benches()) vocabulary.benches.push_back(bench.name);
  for (const bench::OptionalBench& missing : bench::missingBenches()) {
    vocabulary.benches.emplace_back(missing.name);
  }
  vocabulary.benches.emplace_back(scenario::kCompareBenches);
  for (const bench::OptionalBench& bench : bench::kOptionalBenches) {
    if (bench.on_ordinary_hosts) vocabulary.benches.push_back(kComparePrefix + bench.name);
  }
  return vocabulary;
}

bool benchExists(const std::string& name) {
  const auto& all = bench::benches();
  return std::any_of(all.begin(), all.end(), [&](const auto& info) { return info.name == name; });
}

std::vector<std::string> benchesOf(const std::string& bench) {
  const std::string card(scenario::kSimulatedCard);
  if (bench == scenario::kCompareBenches) return {card, std::string(scenario::kSimulatedHosts)};
  if (bench.starts_with(kComparePrefix)) return {card, bench.substr(kComparePrefix.size())};
  return {bench};
}

fs::path scenarioDirectory() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  fs::path installed = (program.parent_path() / PLUMBLINE_SCENARIOS_FROM_BIN).lexically_normal();
  return fs::is_directory(installed, ignored) ? installed : fs::path(PLUMBLINE_SCENARIO_DIR);
}

std::vector<fs::path> shippedScenarios() {
  std::set<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(scenarioDirectory(), error)) {
    if (entry.path().extension() == ".yaml") files.insert(entry.path());
  }
  return {files.begin(), files.end()};
}

std::string scenarioMeant(const std::string& name) {
  std::vector<std::string> names;
  for (const fs::path& file : shippedScenarios()) names.push_back(file.stem().string());
  const auto meant = didYouMean(fs::path(name).stem().string(), names);
  return meant ? "did you mean \"" + *meant + "\"?" : "`plumbline list scenarios` has the names";
}

fs::path shippedScenario(const std::string& name) {
  for (const fs::path& shipped : shippedScenarios()) {
    if (shipped.stem() == name || shipped.filename() == name) return shipped;
  }
  return {};
}

void applyOverrides(const ScenarioOptions& options, scenario::Scenario& scenario) {
  if (options.bench) {
    const std::vector<std::string> known = vocabulary().benches;
    if (std::find(known.begin(), known.end(), *options.bench) == known.end()) {
      throw Error(ErrorKind::kUsage, "there is no bench \"" + *options.bench + "\"", "--bench",
                  fmt::format("one of {}", fmt::join(known, ", ")));
    }
    scenario.bench = *options.bench;
  }
  if (options.profile) {
    const auto profile = scenario::profileFromName(*options.profile);
    if (!profile) {
      throw Error(ErrorKind::kUsage, "there is no profile \"" + *options.profile + "\"",
                  "--profile", "quick or standard");
    }
    scenario.profile = *profile;
  }
  if (options.seed) scenario.seed = *options.seed;
}

scenario::Scenario loadScenario(const ScenarioOptions& options) {
  scenario::Scenario scenario = scenario::loadScenario(resolved(options.file), vocabulary());
  applyOverrides(options, scenario);
  return scenario;
}

std::vector<std::string> warningLines(const scenario::Scenario& scenario) {
  std::vector<std::string> lines;
  for (scenario::Problem& warning : scenario::warningsOf(scenario, vocabulary())) {
    warning.what = "warning: " + warning.what;
    lines.push_back(warning.text(scenario.file));
  }
  return lines;
}

Planning tryPlanTests(const scenario::Scenario& scenario, const bench::Bench& bench) {
  Planning planning;
  if (!scenario.sweep.empty()) {
    planning.refusals.emplace_back("the scenario is a sweep: `plumbline sweep` runs its points");
    return planning;
  }
  Refusals refusals;
  for (const std::string& id : scenario.tests) {
    checkWork();
    const suite::Procedure& procedure = suite::procedure(id);
    suite::Plan plan = procedure.plan({scenario, bench.capabilities()});
    // Those of a point first: its test may refuse it for the same reason.
    for (const auto& sample : plan.samples) {
      checkWork();
      for (const std::string& reason : bench.refusals(sample.spec)) {
        refusals.add(id, sample.label, reason);
      }
    }
    for (const std::string& reason : plan.refusals) refusals.add(id, {}, reason);
    planning.tests.push_back({&procedure, std::move(plan)});
  }
  planning.refusals = refusals.lines();
  return planning;
}

std::vector<PlannedTest> planTests(const scenario::Scenario& scenario, const bench::Bench& bench) {
  Planning planning = tryPlanTests(scenario, bench);
  if (!planning.refusals.empty()) {
    const scenario::Problem problem{
        scenario.tests_line,
        scenario.tests_column,
        fmt::format("cannot run on the bench {}:\n{}", bench.capabilities().name,
                    fmt::join(planning.refusals, "\n")),
        {}};
    throw Error(ErrorKind::kUnsupported, problem.text(scenario.file));
  }
  return std::move(planning.tests);
}

std::chrono::seconds expectedTime(const suite::Plan& plan, const scenario::Scenario& scenario,
                                  const bench::Capabilities& bench) {
  const double seconds =
      suite::expectedSeconds(plan, scenario.topology.hostCount(), bench, suite::machineSlowdown());
  return std::chrono::seconds(static_cast<std::int64_t>(seconds) + 1);
}

}  // namespace plumbline::session
