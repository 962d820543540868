// The testers of a run on several machines: as text, in the store, and as they are exported.
#include "results/agent_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "base/error.h"
#include "results/export.h"
#include "tests/paths/paths.h"
#include "tests/results/json_schema.h"
#include "tests/results/temp_directory.h"

namespace plumbline::results {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::IsEmpty;

AgentRecord fullAgent() {
  AgentRecord agent;
  agent.name = "10.0.0.2:8470";
  agent.software = "plumbline 0.1.0";
  agent.machine = "Linux";
  agent.run = 7;
  agent.outcome = "done";
  agent.trials = 12;
  agent.clock_offset_ns = -3'250'000'000'123;
  agent.clock_uncertainty_ns = 45'678;
  agent.clock_drift_ppm = -1.0 / 3.0;
  agent.clock_drift_uncertainty_ppm = 0.5;
  agent.late_ns = 12'345;
  agent.start_error_ns = -23;
  agent.late = true;
  return agent;
}

AgentRecord bareAgent() {
  AgentRecord agent;
  agent.name = "lab";
  agent.outcome = "lost";
  return agent;
}

TEST(AgentRecord, ComesBackAsItWas) {
  const std::string text = agentsJson({fullAgent(), bareAgent()});
  const auto back = agentsFromJson(text);
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].name, "10.0.0.2:8470");
  EXPECT_EQ(back[0].clock_offset_ns, -3'250'000'000'123);
  EXPECT_EQ(back[0].clock_drift_ppm, -1.0 / 3.0);
  EXPECT_EQ(back[0].start_error_ns, -23);
  EXPECT_TRUE(back[0].late);
  EXPECT_FALSE(back[1].late_ns.has_value());
  EXPECT_FALSE(back[1].clock_drift_ppm.has_value());
  EXPECT_EQ(agentsJson(back), text);
}

TEST(AgentRecord, WhatIsNoneIsRefused) {
  const std::string good = agentsJson({fullAgent()});
  const std::string trials = R"("trials":)" + std::to_string(fullAgent().trials);
  const auto place = good.find(trials);
  ASSERT_NE(place, std::string::npos);
  for (const char* number : {"-1", "1e115", "2.5", "true"}) {
    std::string text = good;
    text.replace(place, trials.size(), R"("trials":)" + std::string(number));
    EXPECT_THROW(agentsFromJson(text), Error) << number;
  }
  for (const char* text : {"", "[1]", "[{}]", "{", R"([{"attempt":"1"}])", "[null]"}) {
    EXPECT_THROW(agentsFromJson(text), Error) << text;
  }
  AgentRecord wrong = fullAgent();
  wrong.clock_drift_ppm = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(agentsJson({wrong}), Error);
  AgentRecord odd = fullAgent();
  odd.machine = "\xff";
  EXPECT_EQ(agentsFromJson(agentsJson({odd})).at(0).machine, "\xef\xbf\xbd");
}

TEST(AgentRecord, TheStoreKeepsThoseOfEveryAttempt) {
  const TempDirectory directory;
  auto store = ResultStore::open(directory.path());
  const std::int64_t run = store.createRun({"demo", "", "text", "sim", "quick", 1, ""}, "a", "b");
  const std::int64_t other = store.createRun({"demo", "", "text", "sim", "quick", 1, ""}, "a", "b");
  EXPECT_TRUE(store.loadRun(run).agents.empty());
  store.saveAgents(run, {fullAgent(), bareAgent()});
  store.saveAgents(run, {bareAgent()});
  const auto agents = store.loadRun(run).agents;
  ASSERT_EQ(agents.size(), 3u);
  EXPECT_EQ(agents[0].attempt, 1u);
  EXPECT_EQ(agents[1].name, "lab");
  EXPECT_EQ(agents[2].attempt, 2u);
  EXPECT_TRUE(store.loadRun(other).agents.empty());
}

TEST(AgentRecord, IsExportedAsTheSchemaSays) {
  std::ifstream file(checkoutPath("docs/result.schema.json"));
  const json schema = json::parse(file);
  StoredRun run;
  run.info.id = 1;
  run.info.identity.profile = "quick";
  EXPECT_FALSE(json::parse(exportJson(run)).contains("agents"));
  run.agents = {fullAgent(), bareAgent()};
  json document = json::parse(exportJson(run));
  EXPECT_THAT(schemaFaults(schema, document), IsEmpty());
  EXPECT_EQ(document.at("agents").at(0).at("late_ns"), 12'345);
  document["agents"][0].erase("clock_offset_ns");
  document["agents"][1]["outcome"] = "asleep";
  EXPECT_THAT(schemaFaults(schema, document), Contains("/agents/0: lacks clock_offset_ns"));
  EXPECT_THAT(schemaFaults(schema, document),
              Contains("/agents/1/outcome: not one of the allowed values"));
}

}  // namespace
}  // namespace plumbline::results
