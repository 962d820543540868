// Files of `serving:`: step times and traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/hash64.h"
#include "scenario/parse.h"
#include "tests/results/temp_directory.h"
#include "tests/scenario/messages.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ServingFiles : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  // The section's keys are on line 3.
  ParseResult parse(const std::string& keys, const Access& access = {}) {
    return parseScenario(
        "{plumbline: 1, name: n, test: T5.2, dut: {topology: {kind: switch, hosts: 64}},\n"
        "serving: {\n" +
            keys + "}}\n",
        (folder_.path() / "s").string(), testVocabulary(), access);
  }

  TempDirectory folder_;
};

constexpr const char* kTimes =
    "phase,batch,tokens,context,ms\nprefill,1,512,0,54.5\ndecode,8,8,4096,16\n";
constexpr const char* kTrace =
    "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:00,100,10\n"
    "2023-11-16 18:17:04,200,20\n";

TEST_F(ServingFiles, AreReadAndIdentifyTheRun) {
  write("times.csv", kTimes);
  write("t.csv", kTrace);
  const ParseResult result = parse("times: times.csv, trace: {file: t.csv}");
  EXPECT_THAT(messages(result), IsEmpty());
  const ServingSection& section = *result.scenario.serving;
  ASSERT_TRUE(section.program.system.times);
  serving::StepLoad prompt;
  prompt.add(512, 0);
  EXPECT_EQ(section.program.system.times->prefill(prompt).total, microseconds(54'500));
  ASSERT_TRUE(section.workload);
  EXPECT_EQ(section.workload->arrivals.kind, serving::ArrivalKind::kTrace);
  EXPECT_EQ(section.workload->prompt.kind, serving::LengthKind::kTrace);
  EXPECT_EQ(section.workload->output.kind, serving::LengthKind::kTrace);
  EXPECT_EQ(serving::requestRate(*section.workload), 0.25);
  ASSERT_EQ(result.scenario.files.size(), 2U);
  EXPECT_EQ(result.scenario.files[0].hash, hash64(kTimes));
  EXPECT_EQ(result.scenario.files[1].hash, hash64(kTrace));
}

TEST_F(ServingFiles, ATraceGivesWhatTheWorkloadDoesNot) {
  write("t.csv", kTrace);
  const ParseResult result =
      parse("trace: {file: t.csv}, workload: {arrivals: {rate: 3}, output: 7}");
  EXPECT_THAT(messages(result), IsEmpty());
  const serving::WorkloadSpec& load = *result.scenario.serving->workload;
  EXPECT_EQ(load.arrivals.kind, serving::ArrivalKind::kPoisson);
  EXPECT_EQ(load.prompt.kind, serving::LengthKind::kTrace);
  EXPECT_EQ(load.output.low, 7U);
  EXPECT_THAT(
      messages(parse("trace: {file: t.csv}, workload: {arrivals: {rate: 3}, prompt: 9, output: "
                     "7}")),
      ElementsAre(HasSubstr("neither times nor lengths of the trace are used")));
  EXPECT_THAT(messages(parse("workload: {prompt: {kind: trace}}")),
              ElementsAre(HasSubstr("prompt lengths of no trace")));
  EXPECT_THAT(messages(parse("workload: {prompt: {kind: trace, low: 3}}")),
              ElementsAre(HasSubstr("\"low\"")));
}

TEST_F(ServingFiles, MistakesAreReportedInBothFiles) {
  write("times.csv", "phase,batch,tokens,context,ms\nprefill,1,512,0,fast\n");
  write("t.csv", std::string(kTrace) + "2023-11-16 18:17:09,x,20\n");
  EXPECT_THAT(messages(parse("times: times.csv, trace: {file: t.csv}")),
              ElementsAre(AllOf(HasSubstr("s:3:8: times.csv:2:17: "), HasSubstr("ms is no")),
                          AllOf(HasSubstr("s:3:33: t.csv:4:21: "), HasSubstr("ContextTokens"))));
  EXPECT_THAT(messages(parse("times: none.csv")), ElementsAre(HasSubstr("s:3:8: ")));
  EXPECT_THAT(messages(parse("trace: {format: azure}")), ElementsAre(HasSubstr("\"file\"")));
  EXPECT_THAT(messages(parse("trace: {file: t.csv, format: mooncake}")),
              ElementsAre(HasSubstr("no JSON object")));
}

TEST_F(ServingFiles, OfTheNetworkAreReadBelowTheServersFolderOnly) {
  write("t.csv", kTrace);
  EXPECT_THAT(messages(parse("trace: {file: t.csv}", {.origin = Origin::kNetwork})),
              ElementsAre(HasSubstr("--files")));
  Access access{.origin = Origin::kNetwork};
  access.files = folder_.path().string();
  EXPECT_THAT(messages(parse("trace: {file: t.csv}", access)), IsEmpty());
  EXPECT_THAT(messages(parse("times: ../times.csv", access)), ElementsAre(HasSubstr("s:3:8: ")));
}

// The report of a stored run needs no file.
TEST_F(ServingFiles, OfAStoredScenarioAreNotOpened) {
  const ParseResult result =
      parse("times: gone.csv, trace: {file: gone.csv}", {.origin = Origin::kStored});
  EXPECT_THAT(messages(result), IsEmpty());
  EXPECT_TRUE(result.scenario.serving->program.system.times);
  EXPECT_TRUE(result.scenario.serving->workload->trace);
}

}  // namespace
}  // namespace plumbline::scenario
