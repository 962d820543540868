#include "scenario/parse.h"

#include <algorithm>
#include <fstream>

#include "base/beneath.h"
#include "base/error.h"
#include "scenario/few_credits.h"
#include "scenario/field_reader.h"
#include "scenario/key_places.h"
#include "scenario/reader.h"
#include "scenario/sections.h"
#include "scenario/spec_fields.h"

namespace plumbline::scenario {
namespace {

constexpr std::uint64_t kFormat = 1;
constexpr std::size_t kMaxScenarioName = 100;
constexpr std::size_t kMaxTests = 64;
// More would not help; the file is probably no scenario.
constexpr std::size_t kMaxProblemsShown = 25;

void readTests(MapReader& map, const Vocabulary& vocabulary, Scenario& scenario,
               Problems& problems) {
  const YamlNode* one = map.optional("test");
  const YamlNode* several = map.optional("tests");
  if (one != nullptr && several != nullptr) {
    problems.add(*several, "\"test\" and \"tests\" are both here", "one of the two");
    return;
  }
  if (one == nullptr && several == nullptr) {
    problems.add(map.node(), "the key \"test\" is missing",
                 "test: or tests: with " + joined(vocabulary.tests));
    return;
  }
  const auto read = [&](const YamlNode& item) -> std::optional<std::string> {
    const auto index = readWord(item, vocabulary.tests, problems);
    return index ? std::optional(vocabulary.tests[*index]) : std::nullopt;
  };
  const YamlNode& given = one != nullptr ? *one : *several;
  scenario.tests_line = given.line;
  scenario.tests_column = given.column;
  if (one != nullptr) {
    if (const auto test = read(*one)) scenario.tests = {*test};
  } else if (const auto tests = readList(*several, kMaxTests, problems, read)) {
    scenario.tests = *tests;
    if (scenario.tests.size() > 1 && isFree(scenario)) {
      problems.add(*several, "the test free cannot be combined with other tests", "test: free");
    }
  }
}

// Reads `bench`, including the restrictions from tests on simulated hosts.
void readBench(MapReader& map, const Vocabulary& vocabulary, Scenario& scenario,
               Problems& problems) {
  const auto on_hosts = std::find_first_of(scenario.tests.begin(), scenario.tests.end(),
                                           vocabulary.on_hosts.begin(), vocabulary.on_hosts.end());
  const bool hosts = on_hosts != scenario.tests.end();
  if (hosts) scenario.bench = kSimulatedHosts;
  const YamlNode* value = map.optional("bench");
  if (value == nullptr) return;
  const auto bench = readWord(*value, vocabulary.benches, problems);
  if (!bench) return;
  scenario.bench = vocabulary.benches[*bench];
  if (hosts && scenario.bench != kSimulatedHosts) {
    problems.add(*value, "the test " + *on_hosts + " needs simulated hosts",
                 std::string(kSimulatedHosts) + ", or leave \"bench\" out");
  }
}

// `true`, `false`, or a map of changes to the default.
void readFastForward(const YamlNode& node, Scenario& scenario, Problems& problems) {
  if (node.kind != YamlNode::Kind::kMap) {
    if (readBool(node, problems).value_or(false)) scenario.fast_forward.emplace();
    return;
  }
  auto map = readMap(node, "fast_forward", problems);
  if (!map) return;
  SpecReader reader(std::move(*map), {}, nullptr, problems);
  readFields(reader, scenario.fast_forward.emplace());
  reader.finish();
}

// `transport`, `workload` and `fast_forward`, after everything that they are judged by.
void readHosts(MapReader& map, const Vocabulary& vocabulary, bool topology_known,
               Scenario& scenario, Problems& problems) {
  const bool own =
      std::any_of(scenario.tests.begin(), scenario.tests.end(), [&](const std::string& test) {
        const auto& all = vocabulary.with_workload;
        return std::find(all.begin(), all.end(), test) != all.end();
      });
  const std::string who = "test: " + joined(vocabulary.with_workload);
  const YamlNode* transport =
      isFree(scenario) ? map.required("transport") : map.optional("transport");
  if (transport != nullptr) readTransport(*transport, scenario, problems);
  if (const YamlNode* value = map.optional("fast_forward")) {
    if (!isFree(scenario) && !scenario.tests.empty()) {
      problems.add(*value, "the tests of this scenario decide that themselves", "test: free");
    } else {
      readFastForward(*value, scenario, problems);
    }
  }
  const YamlNode* workload = own ? map.required("workload") : map.optional("workload");
  if (workload == nullptr) return;
  if (!own && !scenario.tests.empty()) {
    problems.add(*workload, "the tests of this scenario bring their own workload", who);
  } else {
    readWorkload(*workload, topology_known, scenario, problems);
  }
}

// Credits with which no data is ever sent.
void refuseFewCredits(const YamlNode& root, const Scenario& scenario, Problems& problems) {
  const KeyPlaces places(root);
  for (const FewCredits& one : fewCredits(scenario, places)) {
    if (one.for_all) problems.add(places.at(one.place), one.what(), one.allowed());
  }
}

void readHead(MapReader& map, const Vocabulary& vocabulary, Scenario& scenario,
              Problems& problems) {
  if (const YamlNode* value = map.required("plumbline")) {
    readInteger(*value, kFormat, kFormat, problems);
  }
  if (const YamlNode* value = map.required("name")) {
    if (const auto name = readText(*value, kMaxScenarioName, problems)) scenario.name = *name;
  }
  readTests(map, vocabulary, scenario, problems);
  readBench(map, vocabulary, scenario, problems);
  if (const YamlNode* value = map.optional("profile")) {
    const std::vector<std::string> words{"quick", "standard"};
    if (const auto word = readWord(*value, words, problems)) {
      scenario.profile = *word == 0 ? Profile::kQuick : Profile::kStandard;
    }
  }
  if (const YamlNode* value = map.optional("seed")) {
    if (const auto seed = readInteger(*value, 0, ~std::uint64_t{0}, problems)) {
      scenario.seed = *seed;
    }
  }
}

}  // namespace

void readScenario(const YamlNode& root, const Vocabulary& vocabulary, Scenario& scenario,
                  Problems& problems) {
  auto map = readMap(root, "", problems);
  if (!map) return;
  readHead(*map, vocabulary, scenario, problems);
  const YamlNode* dut = map->required("dut");
  const std::size_t before = problems.count();
  if (dut != nullptr) readDut(*dut, scenario, problems);
  const bool topology_known = dut != nullptr && problems.count() == before;
  readHosts(*map, vocabulary, topology_known, scenario, problems);
  if (const YamlNode* value = map->optional("serving")) {
    readServing(*value, topology_known, scenario, problems);
  }
  if (const YamlNode* value = map->optional("endpoint")) readEndpoint(*value, scenario, problems);
  if (const YamlNode* value = map->optional("fpga")) readFpga(*value, scenario, problems);
  if (const YamlNode* value = map->optional("traffic")) {
    readTraffic(*value, topology_known, scenario, problems);
  }
  if (const YamlNode* value = map->optional("parameters")) {
    readParameters(*value, topology_known, scenario, problems);
  }
  if (const YamlNode* value = map->optional("dut_metrics")) {
    readDutMetrics(*value, scenario, problems);
  }
  if (const YamlNode* value = map->optional("limits"))
    readLimits(*value, vocabulary, scenario, problems);
  map->finish();
  if (problems.count() == 0) refuseFewCredits(root, scenario, problems);
  const YamlNode* transport = map->optional("transport");
  if (transport != nullptr && problems.count() == 0) {
    derivePathTimes(*transport, scenario, problems);
  }
}

std::string Problem::text(std::string_view file) const {
  std::string text(file);
  text += ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + what;
  if (!allowed.empty()) text += " (" + allowed + ")";
  return text;
}

std::vector<Problem> problemsOfLength(std::string_view text) {
  if (text.size() <= kMaxScenarioBytes) return {};
  return {{1, 1, "the file is too long for a scenario",
           "at most " + std::to_string(kMaxScenarioBytes) + " bytes"}};
}

ParseResult parseScenario(std::string_view text, std::string_view file,
                          const Vocabulary& vocabulary, const Access& access) {
  ParseResult result;
  result.scenario.file = file;
  result.scenario.access = access;
  result.scenario.text = text;
  const YamlTree tree = parseYaml(text);
  if (!tree.error.empty()) {
    result.problems.push_back({tree.root.line, tree.root.column, tree.error, tree.allowed});
    return result;
  }
  Problems problems;
  reportRepeatedKeys(tree.root, problems);
  const auto read = hasSweep(tree.root) ? readSweep : readScenario;
  read(tree.root, vocabulary, result.scenario, problems);
  result.problems = problems.sorted();
  return result;
}

Scenario loadScenario(const std::string& file, const Vocabulary& vocabulary) {
  // A pipe without another end is not waited for.
  int error = 0;
  constexpr std::size_t kMax = kMaxScenarioBytes + 1;  // one more than allowed: enough to see that
  constexpr int kMaxSeconds = 10;
  std::optional<std::string> text = readPipe(file, kMax, kMaxSeconds);
  if (!text) {
    const auto opened = openRegular(file, error);
    std::ifstream stream;
    if (opened) stream.open(opened->path(), std::ios::binary);
    text.emplace(kMax, '\0');
    if (opened) stream.read(text->data(), static_cast<std::streamsize>(text->size()));
    const bool read = opened && !stream.bad() && (stream.gcount() > 0 || stream.eof());
    text->resize(static_cast<std::size_t>(stream.gcount()));
    if (!read) text.reset();
  }
  if (!text) {
    throw Error(ErrorKind::kUsage, "the scenario file cannot be read", file,
                "`plumbline list scenarios` shows those that come with the program");
  }
  refuse(problemsOfLength(*text), file);
  ParseResult result = parseScenario(*text, file, vocabulary);
  refuse(result.problems, file);
  return std::move(result.scenario);
}

void refuse(const std::vector<Problem>& problems, std::string_view file) {
  if (problems.empty()) return;
  std::string all;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (i == kMaxProblemsShown) {
      all += "\n… and " + std::to_string(problems.size() - i) + " more";
      break;
    }
    all += (all.empty() ? "" : "\n") + problems[i].text(file);
  }
  throw Error(ErrorKind::kUsage, all);
}

}  // namespace plumbline::scenario
