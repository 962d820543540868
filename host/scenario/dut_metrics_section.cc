// `dut_metrics:`
#include <algorithm>

#include "scenario/sections.h"

namespace plumbline::scenario {
namespace {

constexpr std::size_t kMaxWords = 32;
constexpr std::size_t kMaxWord = 1000;
// The tests that sample a DUT over time.
constexpr const char* kSoaks[] = {"T12.1", "T12.2"};

}  // namespace

void readDutMetrics(const YamlNode& node, Scenario& scenario, Problems& problems) {
  const bool soak =
      std::find_first_of(scenario.tests.begin(), scenario.tests.end(), std::begin(kSoaks),
                         std::end(kSoaks)) != scenario.tests.end();
  if (!soak && !scenario.tests.empty()) {
    problems.add(node, "no test of this scenario samples the DUT over time", "T12.1, T12.2");
  }
  auto map = readMap(node, "dut_metrics", problems);
  if (!map) return;
  DutMetricsSource& source = scenario.dut_metrics.emplace();
  const YamlNode* command = map->optional("command");
  const YamlNode* file = map->optional("file");
  map->finish();
  if ((command == nullptr) == (file == nullptr)) {
    problems.add(node, "a soak asks a command or reads a file", "one of \"command\" and \"file\"");
    return;
  }
  if (file != nullptr) {
    const auto name = readText(*file, kMaxWord, problems);
    const bool allowed =
        name && pathOfNamed(*file, *name, scenario.access, scenario.file, problems);
    if (allowed) source.file = *name;
    return;
  }
  allowProgram(*command, scenario.access, problems);
  const auto words = readList(*command, kMaxWords, problems, [&](const YamlNode& word) {
    return readText(word, kMaxWord, problems);
  });
  if (words) source.command = *words;
}

}  // namespace plumbline::scenario
