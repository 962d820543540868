// The demands of the methodology in a run's report, and that the places which only a report can
// have are in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "session/reporting.h"
#include "suite/conformance/conformance.h"
#include "tests/results/temp_directory.h"

namespace plumbline::session {
namespace {

using suite::Place;
using testing::HasSubstr;

constexpr const char* kScenario = R"(plumbline: 1
name: demands
test: T6.5b
bench: sim
dut:
  topology: {kind: clos2, leaves: 2, spines: 2, hosts_per_leaf: 2, link: 400G}
  identification:
)";

// The report of a run of T9.1 whose scenario states `identification`.
std::string reportOf(const std::string& identification, const std::filesystem::path& directory) {
  results::StoredRun run;
  run.info.identity.scenario_name = "demands";
  run.info.identity.scenario_text = kScenario + identification;
  run.info.identity.bench = "sim";
  run.info.identity.profile = "quick";
  results::TestResult test;
  test.id = "T9.1";
  test.title = "AllReduce bus bandwidth";
  run.tests.push_back(test);
  std::ifstream stream(writeRunReport(run, directory));
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(DemandsInAReport, AreThoseOfItsTestsAndOfEveryReport) {
  const TempDirectory scratch;
  const std::string report = reportOf("    vendor: Example\n", scratch.path());
  EXPECT_THAT(report, HasSubstr("Demanded by the methodology ("));
  EXPECT_THAT(report, HasSubstr("no table busbw"));  // the sample has none
  EXPECT_THAT(report, HasSubstr("<h2>Demands on every report</h2>"));
  std::ifstream json(scratch.path() / "report.json");
  const std::string text{std::istreambuf_iterator<char>(json), std::istreambuf_iterator<char>()};
  EXPECT_THAT(text, HasSubstr("\"demands\": ["));
  EXPECT_THAT(text, HasSubstr("\"state\": \"missing\""));
}

// Every key of dut.identification in the data is known to the report, and every section in the data
// exists.
TEST(DemandsInAReport, NameKeysAndSectionsThatThereAre) {
  const std::string key = "dut.identification.";
  std::string stated;
  std::vector<std::string> sections;
  for (const suite::Demand& demand : suite::conformance(suite::Draft::kTraining).general) {
    for (const Place& place : demand.places) {
      if (place.kind == Place::Kind::kReport) sections.push_back(place.id);
      if (place.kind != Place::Kind::kScenario) continue;
      ASSERT_TRUE(place.id.starts_with(key)) << place.id;
      const std::string line = "    " + place.id.substr(key.size()) + ": stated\n";
      if (stated.find(line) == std::string::npos) stated += line;
    }
  }
  const TempDirectory scratch;
  const std::string report = reportOf(stated, scratch.path());
  // Items of the report beyond the draft.
  EXPECT_THAT(report, HasSubstr("Not stated: firmware.")) << stated;
  ASSERT_FALSE(sections.empty());
  for (const std::string& section : sections) {
    EXPECT_THAT(report, HasSubstr("<h2>" + section + "</h2>"));
  }
}

}  // namespace
}  // namespace plumbline::session
