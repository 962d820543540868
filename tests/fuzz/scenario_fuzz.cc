// links: plumbline_scenario
// Any bytes as a scenario file: the parser must end, never throw, place every problem inside the
// file, and accept only scenarios that the fabric and procedures support.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "bench/trial/trial.h"
#include "fabric/spec/fabric_spec.h"
#include "scenario/parse.h"
#include "workload/placement.h"

namespace {

using plumbline::scenario::ParseResult;
using plumbline::scenario::Scenario;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

void checkSimulated(const Scenario& scenario, std::uint32_t hosts) {
  if (scenario.transport) {
    std::visit([](const auto& spec) { plumbline::transport::validate(spec); }, *scenario.transport);
  }
  const auto workload = scenario.workloadSpec();
  plumbline::workload::placeJobs(workload.jobs, hosts);
  const bool free = scenario.tests.front() == plumbline::scenario::kFreeProcedure;
  require(free == scenario.workload.has_value(), "a workload belongs to the test free");
  require(!free || scenario.transport.has_value(), "the test free has a transport");
  plumbline::bench::TrialSpec trial;
  trial.dut = scenario.fabricSpec();
  trial.transport = scenario.transport;
  trial.workload = workload;
  require(!trial.toJson().empty(), "an accepted scenario can be written");
}

void checkAccepted(const Scenario& scenario) {
  require(!scenario.name.empty(), "an accepted scenario has a name");
  require(!scenario.tests.empty(), "an accepted scenario has a test");
  plumbline::fabric::validate(scenario.fabricSpec());  // throws, and so aborts, when it cannot be
  const auto hosts = scenario.topology.hostCount();
  checkSimulated(scenario, hosts);
  if (scenario.endpoint) {
    using plumbline::bench::EndpointSpec;
    const std::uint32_t window = scenario.endpoint->window;
    require(window >= 1 && window <= EndpointSpec::kMaxWindow, "a window has messages");
  }
  const auto pairs = scenario.hostPairs();
  require(!pairs.empty(), "an accepted scenario has a pair of hosts");
  for (const auto& pair : pairs) {
    require(pair.from < hosts && pair.to < hosts && pair.from != pair.to, "pairs exist");
  }
}

// As YAML 1.1 breaks lines: LF, CR, both as one, NEL, LS and PS.
std::size_t linesOf(std::string_view text) {
  std::size_t lines = 1;
  while (!text.empty()) {
    std::size_t length = 1;
    bool ends = text[0] == '\n';
    for (const std::string_view sequence :
         {"\r\n", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
      if (ends || !text.starts_with(sequence)) continue;
      ends = true;
      length = sequence.size();
    }
    lines += ends ? 1 : 0;
    text.remove_prefix(length);
  }
  return lines;
}

void checkRefused(const ParseResult& result, std::string_view text) {
  const std::size_t lines = linesOf(text);
  for (const auto& problem : result.problems) {
    require(problem.line >= 1 && problem.line <= lines, "a problem is on a line of the file");
    require(problem.column >= 1 && problem.column <= text.size() + 1, "a column is in the file");
    require(!problem.what.empty(), "a problem says what is wrong");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const plumbline::scenario::Vocabulary vocabulary{
      {"T5.1", "T5.2", "T5.3", "free"},
      {"rtl", "fpga", "sim", "libfabric", "verbs"},
      {"free"},
      {"free"}};
  const ParseResult result = parseScenario(text, "fuzz", vocabulary);
  if (result.ok()) {
    checkAccepted(result.scenario);
  } else {
    checkRefused(result, text);
  }
  return 0;
}
