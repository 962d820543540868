// Every operation of the description, in-process: answers agree with the description, and errors
// are refused with the right status.
#include "control/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "base/json.h"
#include "base/work.h"
#include "results/store.h"
#include "tests/control/openapi.h"
#include "tests/control/parts.h"
#include "tests/paths/paths.h"
#include "tests/results/json_schema.h"

namespace plumbline::control {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class ApiTest : public testing::Test {
 protected:
  ApiAnswer ask(const std::string& method, const std::string& target,
                const std::string& body = {}) {
    ApiRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.host = "localhost:8470";
    if (method == "POST") request.content_type = "application/json";
    return parts_.api.handle(request);
  }

  // The same for an operation of the description, whose answer must match it.
  json asked(const std::string& method, const std::string& path, int status,
             const std::string& body = {}, const std::string& argument = {}) {
    std::string target = path;
    if (const auto open = target.find('{'); open != std::string::npos) {
      target.replace(open, target.find('}') - open + 1, argument);
    }
    std::string upper = method;
    std::transform(upper.begin(), upper.end(), upper.begin(), ::toupper);
    const ApiAnswer answer = ask(upper, target, body);
    EXPECT_EQ(answer.status, status) << answer.body;
    const std::string schema = openApiAnswer(path, method, answer.status);
    if (schema == "result.schema.json") {
      std::ifstream file(checkoutPath("docs/result.schema.json"));
      EXPECT_THAT(results::schemaFaults(json::parse(file), json::parse(answer.body)), IsEmpty());
    } else if (!schema.empty()) {
      EXPECT_EQ(answer.content_type, "application/json");
      EXPECT_THAT(openApiFaults(schema, answer.body), IsEmpty()) << answer.body;
    }
    covered_.insert(method + " " + path);
    return schema.empty() ? json(answer.body) : json::parse(answer.body);
  }

  json waitForEnd(std::int64_t run) {
    for (;;) {
      json state = asked("get", "/api/v1/runs/{id}", 200, {}, std::to_string(run));
      if (!state.at("active").get<bool>()) return state;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  static std::string runOf(const std::string& scenario) {
    return json{{"scenario", {{"scenario", scenario}, {"name", "mine.yaml"}}}}.dump();
  }

  ServerParts parts_;
  std::set<std::string> covered_;
};

TEST_F(ApiTest, EveryOperationAnswersAsDescribed) {
  const json can = asked("get", "/api/v1/capabilities", 200);
  EXPECT_EQ(can.at("instance"), "instance");
  EXPECT_FALSE(can.at("tests").empty());
  EXPECT_FALSE(asked("get", "/api/v1/ports", 200).empty());
  const json reading = asked("get", "/api/v1/clock", 200);
  EXPECT_LE(reading.at("received_ns"), reading.at("answered_ns"));

  const json reservation =
      asked("post", "/api/v1/reservations", 201, R"({"ports":["sim"],"owner":"ann"})");
  asked("post", "/api/v1/reservations", 409, R"({"ports":["sim"],"owner":"ben"})");
  EXPECT_EQ(parts_.hosts(), "reserved");
  const json refused = asked("post", "/api/v1/runs", 409, runOf(smallScenario()));
  EXPECT_EQ(refused.at("what"), "\"ann\" has reserved port sim");
  asked("delete", "/api/v1/reservations/{id}", 204, {}, reservation.at("id"));
  asked("delete", "/api/v1/reservations/{id}", 404, {}, reservation.at("id"));

  const json scenarios = asked("get", "/api/v1/scenarios", 200);
  EXPECT_TRUE(std::any_of(scenarios.begin(), scenarios.end(),
                          [](const json& one) { return one.at("name") == "quickstart"; }));
  const json quickstart = asked("get", "/api/v1/scenarios/{name}", 200, {}, "quickstart");
  EXPECT_THAT(quickstart.at("text").get<std::string>(), HasSubstr("name: quickstart"));
  asked("get", "/api/v1/scenarios/{name}", 404, {}, "..%2fquickstart");

  const std::string body = json{{"scenario", smallScenario()}}.dump();
  EXPECT_TRUE(asked("post", "/api/v1/scenarios/validate", 200, body).at("valid"));
  const json plan = asked("post", "/api/v1/scenarios/plan", 200, body);
  EXPECT_EQ(plan.at("tests").at(0).at("id"), "T9.1");
  EXPECT_EQ(plan.at("ports"), json::array({"sim"}));
  EXPECT_EQ(plan.at("topology").at("nodes").size(), 12u);  // 8 hosts, 2 leaves, 2 spines
  EXPECT_EQ(plan.at("topology").at("links").size(), 24u);  // 8 + 4 cables, both directions
  EXPECT_EQ(plan.at("topology").at("failures").at(0).at("element"), "leaf1-spine0");

  const json begun = asked("post", "/api/v1/runs", 201, runOf(smallScenario()));
  const std::int64_t id = begun.at("id");
  const std::string run = std::to_string(id);
  EXPECT_EQ(begun.at("name"), "small");
  EXPECT_EQ(begun.at("file"), "mine.yaml");
  const json ended = waitForEnd(id);
  EXPECT_EQ(ended.at("status"), "done");
  EXPECT_EQ(ended.at("exit_code"), 0);
  EXPECT_GT(ended.at("trials"), 0);
  EXPECT_EQ(asked("get", "/api/v1/runs", 200).size(), 1u);
  asked("post", "/api/v1/runs/{id}/stop", 409, {}, run);
  asked("post", "/api/v1/runs/{id}/resume", 409, {}, run);
  asked("post", "/api/v1/runs/{id}/start", 409, R"({"trial":1})", run);
  asked("post", "/api/v1/runs/{id}/start", 404, R"({"trial":1})", "77");
  EXPECT_EQ(asked("get", "/api/v1/runs/{id}/results", 200, {}, run).at("tests").size(), 1u);
  EXPECT_THAT(asked("get", "/api/v1/runs/{id}/summary", 200, {}, run).get<std::string>(),
              HasSubstr("T9.1"));
  EXPECT_THAT(asked("get", "/api/v1/runs/{id}/tables", 200, {}, run).get<std::string>(),
              HasSubstr("Bus bandwidth"));
  EXPECT_THAT(asked("get", "/api/v1/runs/{id}/report", 200, {}, run).get<std::string>(),
              StartsWith("<!DOCTYPE html>"));
  asked("get", "/api/v1/runs/{id}/capture", 404, {}, run);
  const json trials = asked("get", "/api/v1/runs/{id}/trials", 200, {}, run);
  EXPECT_EQ(trials.at("trials").size(), ended.at("trials"));
  EXPECT_FALSE(trials.at("more"));
  const std::string log = asked("get", "/api/v1/runs/{id}/log", 200, {}, run).get<std::string>();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), ended.at("trials"));
  asked("get", "/api/v1/live", 426);
  const std::string metrics = asked("get", "/metrics", 200).get<std::string>();
  EXPECT_THAT(metrics, HasSubstr("\nplumbline_runs_active 0\n"));
  EXPECT_THAT(metrics, HasSubstr("\nplumbline_http_requests_total{status=\"409\"} "));

  for (const std::string& operation : openApiOperations()) {
    EXPECT_TRUE(covered_.contains(operation)) << operation << " is not tested";
  }
}

TEST_F(ApiTest, MistakesOfAScenarioHavePositions) {
  const std::string wrong = "plumbline: 1\nname: x\ntest: T9.9\ndut: {topology: {kind: ring}}\n";
  const json answer = asked("post", "/api/v1/scenarios/validate", 200,
                            json{{"scenario", wrong}, {"name", "x.yaml"}}.dump());
  EXPECT_FALSE(answer.at("valid"));
  EXPECT_GE(answer.at("problems").size(), 2u);
  EXPECT_EQ(answer.at("problems").at(0).at("line"), 3);
  EXPECT_EQ(answer.at("problems").at(0).at("column"), 7);
  const json refused = asked("post", "/api/v1/runs", 422, runOf(wrong));
  EXPECT_EQ(refused.at("problems"), answer.at("problems"));
  EXPECT_TRUE(asked("get", "/api/v1/runs", 200).empty());
}

TEST_F(ApiTest, WhatTheBenchCannotDoIsSaid) {
  // The card has no simulated hosts, if there is a card.
  const json scenario{{"scenario", smallScenario()}, {"bench", "rtl"}};
  const json answer = asked("post", "/api/v1/scenarios/validate", 200, scenario.dump());
  EXPECT_FALSE(answer.at("valid"));
  EXPECT_THAT(answer.at("problems"), IsEmpty());
  EXPECT_THAT(answer.at("refusals"), Not(IsEmpty()));
  asked("post", "/api/v1/scenarios/plan", 422, scenario.dump());
  asked("post", "/api/v1/runs", 422, json{{"scenario", scenario}}.dump());
}

TEST_F(ApiTest, ASecondRunIsRefusedWhileTheFirstHasItsPorts) {
  const json first = asked("post", "/api/v1/runs", 201, runOf(smallScenario(5'000)));
  const json refused = asked("post", "/api/v1/runs", 409, runOf(smallScenario()));
  EXPECT_EQ(refused.at("what"), "run 1 has port sim");
  EXPECT_THAT(refused.at("remedy").get<std::string>(), HasSubstr("stop run 1"));
  const json stopping = asked("post", "/api/v1/runs/{id}/stop", 202, {}, "1");
  EXPECT_EQ(stopping.at("status"), "stopping");
  const json ended = waitForEnd(1);
  EXPECT_EQ(ended.at("status"), "aborted");
  EXPECT_EQ(asked("get", "/api/v1/runs", 200).size(), 1u);  // the refused one left nothing behind
  asked("post", "/api/v1/runs", 201, runOf(smallScenario()));
  EXPECT_EQ(waitForEnd(2).at("status"), "done");
}

// A run may end so soon after the stop request that it is over before the answer is written.
TEST_F(ApiTest, AStopIsAnsweredAsOneHoweverSoonTheRunEnds) {
  for (int i = 1; i <= 30; ++i) {
    asked("post", "/api/v1/runs", 201, runOf(smallScenario(5'000)));
    const json stopping = asked("post", "/api/v1/runs/{id}/stop", 202, {}, std::to_string(i));
    EXPECT_EQ(stopping.at("status"), "stopping");
    EXPECT_EQ(waitForEnd(i).at("status"), "aborted");
  }
}

TEST_F(ApiTest, AResumedRunEndsLikeOneThatWasNeverStopped) {
  asked("post", "/api/v1/runs", 201, runOf(smallScenario(60)));
  while (asked("get", "/api/v1/runs/{id}", 200, {}, "1").at("trials") < 2) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ask("POST", "/api/v1/runs/1/stop");
  waitForEnd(1);
  if (asked("get", "/api/v1/runs/{id}", 200, {}, "1").at("status") == "aborted") {
    asked("post", "/api/v1/runs/{id}/resume", 201, {}, "1");
  }
  EXPECT_EQ(waitForEnd(1).at("status"), "done");
  asked("post", "/api/v1/runs", 201, runOf(smallScenario(60)));
  waitForEnd(2);
  const json resumed = asked("get", "/api/v1/runs/{id}/results", 200, {}, "1");
  const json direct = asked("get", "/api/v1/runs/{id}/results", 200, {}, "2");
  EXPECT_EQ(resumed.at("tests"), direct.at("tests"));
}

TEST_F(ApiTest, ARequestToResumeFindsTheRun) {
  const auto request = [](bool resume) {
    return json{{"scenario", {{"scenario", smallScenario(60)}}}, {"resume", resume}}.dump();
  };
  EXPECT_EQ(asked("post", "/api/v1/runs", 201, request(true)).at("id"), 1);  // nothing to resume
  while (asked("get", "/api/v1/runs/{id}", 200, {}, "1").at("trials") < 2) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ask("POST", "/api/v1/runs/1/stop");
  ASSERT_EQ(waitForEnd(1).at("status"), "aborted");
  const json resumed = asked("post", "/api/v1/runs", 201, request(true));
  EXPECT_EQ(resumed.at("id"), 1);
  EXPECT_GE(resumed.at("trials"), 2);
  EXPECT_EQ(waitForEnd(1).at("status"), "done");
  // The log has every trial of this attempt, those that were stored already among them.
  const std::string log = asked("get", "/api/v1/runs/{id}/log", 200, {}, "1").get<std::string>();
  std::size_t stored = 0;
  std::size_t lines = 0;
  std::istringstream stream(log);
  for (std::string line; std::getline(stream, line); ++lines) {
    stored += json::parse(line).at("stored").get<bool>() ? 1 : 0;
  }
  EXPECT_EQ(lines, asked("get", "/api/v1/runs/{id}", 200, {}, "1").at("trials"));
  EXPECT_GE(stored, 2u);
  EXPECT_LT(stored, lines);
  // A further request begins a new one: there is no unfinished run.
  EXPECT_EQ(asked("post", "/api/v1/runs", 201, request(true)).at("id"), 2);
}

// A run of one trace does not go on with another.
TEST_F(ApiTest, AResumedRunHasTheFilesThatItBeganWith) {
  const auto trace = parts_.files() / "t.csv";
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::to_string(i) + ",0,1,1000000000\n";
  std::ofstream(trace) << text;
  const std::string scenario = R"(plumbline: 1
name: traced
test: free
dut: {topology: {kind: clos2, leaves: 2, spines: 2, hosts_per_leaf: 4, link: 1G}}
transport: {kind: roce}
workload: {kind: trace, ranks: 2, trace: {file: t.csv}}
)";
  asked("post", "/api/v1/runs", 201, runOf(scenario));
  ask("POST", "/api/v1/runs/1/stop");
  ASSERT_EQ(waitForEnd(1).at("status"), "aborted");
  std::ofstream(trace) << "0,0,1,64\n";
  const json refused = asked("post", "/api/v1/runs/{id}/resume", 409, {}, "1");
  EXPECT_THAT(refused.at("what").get<std::string>(), HasSubstr("the files of run 1 have changed"));
  std::ofstream(trace) << text;
  asked("post", "/api/v1/runs/{id}/resume", 201, {}, "1");
  ask("POST", "/api/v1/runs/1/stop");
  waitForEnd(1);
}

// However long the trial: this one would take minutes.
TEST_F(ApiTest, AStopEndsALongTrial) {
  const std::string scenario = R"(plumbline: 1
name: long
test: free
dut: {topology: {kind: clos2, leaves: 2, spines: 2, hosts_per_leaf: 8}}
transport: {kind: roce}
workload: {kind: permutation, ranks: 16, size: 16GiB, messages: 1}
)";
  asked("post", "/api/v1/runs", 201, runOf(scenario));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto asked_at = std::chrono::steady_clock::now();
  ask("POST", "/api/v1/runs/1/stop");
  EXPECT_EQ(waitForEnd(1).at("status"), "aborted");
  EXPECT_LT(std::chrono::steady_clock::now() - asked_at, std::chrono::seconds(10));
}

// However many runs are stored, an answer has no more than a thousand.
TEST_F(ApiTest, RunsAreListedInPages) {
  asked("post", "/api/v1/runs", 201, runOf(smallScenario(1)));
  waitForEnd(1);
  parts_.copyRun(1'004);
  const json first = asked("get", "/api/v1/runs", 200);
  ASSERT_EQ(first.size(), 1'000U);
  EXPECT_EQ(first.back().at("id"), 1'000);
  const json second = json::parse(ask("GET", "/api/v1/runs?since=1000").body);
  ASSERT_EQ(second.size(), 5U);
  EXPECT_EQ(second.front().at("id"), 1'001);
  EXPECT_EQ(ask("GET", "/api/v1/runs?since=1005").body, "[]");
}

// Tables and reports are work that a request starts: they end with their time, or with the client.
TEST_F(ApiTest, WhatIsReadOfARunEndsWhenItIsNotWanted) {
  asked("post", "/api/v1/runs", 201, runOf(smallScenario(2)));
  waitForEnd(1);
  for (const char* what : {"report", "tables", "summary", "results"}) {
    const std::string target = std::string("/api/v1/runs/1/") + what;
    EXPECT_EQ(ask("GET", target).status, 200) << what;
    {
      const WorkScope given_up({[] { return true; }, {}, {}});
      EXPECT_EQ(ask("GET", target).status, 503) << what;
    }
    const WorkScope late({{}, std::chrono::steady_clock::now(), "this takes too long"});
    const ApiAnswer answer = ask("GET", target);
    EXPECT_EQ(answer.status, 422) << what;
    EXPECT_THAT(answer.body, HasSubstr("this takes too long")) << what;
  }
  EXPECT_EQ(ask("GET", "/api/v1/runs/1/report").status, 200);
}

// A capture that does not fit into the memory that the server may take is not read.
TEST_F(ApiTest, WhatIsTooLargeToBeSentIsNotRead) {
  asked("post", "/api/v1/runs", 201, runOf(smallScenario(1)));
  waitForEnd(1);
  const auto file = parts_.directory.path() / "results" / "run-1" / "capture.pcapng";
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file).put('x');
  EXPECT_EQ(ask("GET", "/api/v1/runs/1/capture").status, 200);
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);  // takes no room on the disk
  const ApiAnswer answer = ask("GET", "/api/v1/runs/1/capture");
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("--max-memory"));
}

TEST_F(ApiTest, OneDamagedResultHidesNoRun) {
  for (int run = 1; run <= 2; ++run) {
    asked("post", "/api/v1/runs", 201, runOf(smallScenario(2)));
    waitForEnd(run);
  }
  sqlite3* database = nullptr;
  const auto file = parts_.directory.path() / "results" / results::ResultStore::kFileName;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  sqlite3_exec(database, "UPDATE test_results SET result = '{' WHERE run = 1", nullptr, nullptr,
               nullptr);
  sqlite3_close(database);
  EXPECT_EQ(asked("get", "/api/v1/runs", 200).size(), 2U);
  EXPECT_THAT(asked("get", "/api/v1/runs/{id}/summary", 200, {}, "1").get<std::string>(),
              HasSubstr("NOT VALID: the result of T9.1"));
  EXPECT_THAT(asked("get", "/api/v1/runs/{id}/summary", 200, {}, "2").get<std::string>(),
              Not(HasSubstr("NOT VALID")));
  EXPECT_EQ(json::parse(ask("GET", "/api/v1/runs?since=1").body).size(), 1U);
}

TEST_F(ApiTest, ScenariosThatAreSentNameNoFileProgramOrPeer) {
  const auto refused = [&](const std::string& section, const std::string& test) {
    const std::string scenario =
        "plumbline: 1\nname: n\n" + test + "\ndut: {topology: {kind: clos2}}\n" + section + "\n";
    const json sent{{"scenario", scenario}};
    const json answer = asked("post", "/api/v1/scenarios/validate", 200, sent.dump());
    EXPECT_FALSE(answer.at("valid").get<bool>());
    asked("post", "/api/v1/scenarios/plan", 422, sent.dump());
    return answer.at("problems").dump();
  };
  EXPECT_THAT(refused("dut_metrics: {command: [id]}", "test: T12.1"),
              HasSubstr("starts no program"));
  EXPECT_THAT(refused("dut_metrics: {file: /etc/passwd}", "test: T12.1"),
              HasSubstr("cannot be used"));
}

TEST_F(ApiTest, WhatNeedsTooMuchMemoryIsRefusedBeforeItIsBuilt) {
  const std::string big = R"(plumbline: 1
name: big
test: T5.1
bench: sim
dut: {topology: {kind: clos2, leaves: 1024, spines: 1024, hosts_per_leaf: 8}}
)";
  setMemoryLimit(1'000'000'000);
  const auto began = std::chrono::steady_clock::now();
  const json answer =
      asked("post", "/api/v1/scenarios/validate", 200, json{{"scenario", big}}.dump());
  setMemoryLimit(0);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
  EXPECT_THAT(answer.at("problems").dump(), HasSubstr("and the program may take 1 GB"));
}

TEST_F(ApiTest, TrialsAndLogComeInParts) {
  asked("post", "/api/v1/runs", 201, runOf(smallScenario(5)));
  waitForEnd(1);
  const json all = asked("get", "/api/v1/runs/{id}/trials", 200, {}, "1").at("trials");
  const auto rest = [&](const std::string& since) {
    return json::parse(ask("GET", "/api/v1/runs/1/trials?since=" + since).body);
  };
  EXPECT_EQ(rest("1").at("trials"), json(std::vector<json>(all.begin() + 1, all.end())));
  EXPECT_TRUE(rest("1000").at("trials").empty());
  EXPECT_FALSE(rest("18446744073709551615").at("more"));
  const std::string log = ask("GET", "/api/v1/runs/1/log").body;
  const std::size_t second = log.find('\n') + 1;
  EXPECT_EQ(ask("GET", "/api/v1/runs/1/log?since=" + std::to_string(second)).body,
            log.substr(second));
  EXPECT_EQ(ask("GET", "/api/v1/runs/1/log?since=" + std::to_string(log.size())).body, "");
  EXPECT_EQ(ask("GET", "/api/v1/runs/1/log?since=18446744073709551615").body, "");
  EXPECT_EQ(ask("GET", "/api/v1/runs/1/log?since=x").status, 400);
  EXPECT_EQ(ask("GET", "/api/v1/runs/1/trials?sinc=1").status, 400);
  EXPECT_EQ(ask("GET", "/api/v1/runs/2/trials").status, 404);
  EXPECT_EQ(ask("GET", "/api/v1/runs/2/log").status, 404);
}

TEST_F(ApiTest, ARunBeginsWhenItWasAskedTo) {
  const auto request = [](std::int64_t at_ns) {
    return json{{"scenario", {{"scenario", smallScenario()}}},
                {"start", {{"at_ns", at_ns}, {"clock_offset_ns", -1'500'000'000}}}}
        .dump();
  };
  const std::int64_t now = asked("get", "/api/v1/clock", 200).at("answered_ns");
  for (const std::int64_t wrong :
       {std::int64_t{0}, now - 61'000'000'000, now + 7'200'000'000'000, INT64_MIN, INT64_MAX}) {
    asked("post", "/api/v1/runs", 422, request(wrong));
  }
  const std::int64_t at = now + 400'000'000;
  const json begun = asked("post", "/api/v1/runs", 201, request(at));
  EXPECT_EQ(begun.at("start_at_ns"), at);
  const json ended = waitForEnd(1);
  EXPECT_EQ(ended.at("status"), "done");
  EXPECT_GE(ended.at("started_ns"), at);
  EXPECT_THAT(asked("get", "/metrics", 200).get<std::string>(),
              HasSubstr("\nplumbline_clock_offset_seconds -1.5\n"));
  // Stopped before its start, it measures nothing.
  asked("post", "/api/v1/runs", 201, request(now + 3'000'000'000'000));
  ask("POST", "/api/v1/runs/2/stop");
  const json stopped = waitForEnd(2);
  EXPECT_EQ(stopped.at("status"), "aborted");
  EXPECT_EQ(stopped.at("trials"), 0);
  EXPECT_TRUE(stopped.at("started_ns").is_null());
}

TEST_F(ApiTest, EveryTrialBeginsWhenItIsToldTo) {
  const auto request = [](const json& start) {
    return json{{"scenario", {{"scenario", smallScenario(3)}}}, {"start", start}}.dump();
  };
  for (const char* wrong :
       {R"({})", R"({"at_ns":1,"hold_s":5})", R"({"hold_s":0})", R"({"hold_s":3601})"}) {
    asked("post", "/api/v1/runs", 422, request(json::parse(wrong)));
  }
  asked("post", "/api/v1/runs", 201, request({{"hold_s", 600}}));
  const auto waiting = [&](std::uint64_t trial) {
    for (;;) {
      json state = asked("get", "/api/v1/runs/{id}", 200, {}, "1");
      if (!state.at("waiting").is_null() && state.at("waiting").at("trial") == trial) return state;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  };
  const auto order = [&](const json& what, int status) {
    return asked("post", "/api/v1/runs/{id}/start", status, what.dump(), "1");
  };
  const json first = waiting(1);
  EXPECT_EQ(first.at("waiting").at("test"), "T9.1");
  EXPECT_TRUE(first.at("start_trial").is_null());
  EXPECT_EQ(first.at("trials"), 0);
  order({{"trial", 2}}, 409);
  order({{"trial", 1}, {"at_ns", 5}}, 422);
  order({{"trial", 1}}, 202);
  EXPECT_EQ(waiting(1).at("trials"), 0);
  // Far enough ahead for a busy machine to answer before the trial begins.
  const std::int64_t at =
      asked("get", "/api/v1/clock", 200).at("answered_ns").get<std::int64_t>() + 2'000'000'000;
  EXPECT_TRUE(order({{"trial", 1}, {"at_ns", at}}, 202).at("waiting").is_null());
  const json second = waiting(2);
  EXPECT_EQ(second.at("start_trial"), 1);
  EXPECT_EQ(second.at("start_at_ns"), at);
  EXPECT_GE(second.at("started_ns"), at);
  EXPECT_EQ(second.at("trials"), 1);
  asked("post", "/api/v1/runs/{id}/stop", 202, {}, "1");
  const json ended = waitForEnd(1);
  EXPECT_EQ(ended.at("status"), "aborted");
  EXPECT_EQ(ended.at("trials"), 1);
  EXPECT_TRUE(ended.at("waiting").is_null());
  order({{"trial", 2}}, 409);
}

TEST_F(ApiTest, LimitsDecideTheExitCode) {
  asked("post", "/api/v1/runs", 201, runOf(smallScenario(2, "limits: {busbw_gbps: 100000}\n")));
  EXPECT_EQ(waitForEnd(1).at("exit_code"), 1);
  EXPECT_THAT(asked("get", "/api/v1/runs/{id}/summary", 200, {}, "1").get<std::string>(),
              HasSubstr("limit busbw_gbps at least 100000: MISSED"));
}

TEST_F(ApiTest, RequestsThatAreWrongAreRefused) {
  EXPECT_EQ(ask("GET", "/").status, 404);
  EXPECT_EQ(ask("GET", "/api/v2/runs").status, 404);
  EXPECT_EQ(ask("GET", "/api/v1/runsx").status, 404);
  EXPECT_EQ(ask("GET", "/api/v1/runs/").status, 404);
  EXPECT_EQ(ask("GET", "/api/v1/runs/x").status, 404);
  EXPECT_EQ(ask("GET", "/api/v1/runs/99999999999999999999").status, 404);
  EXPECT_EQ(ask("GET", "/api/v1/runs/7").status, 404);
  EXPECT_EQ(ask("POST", "/api/v1/runs/7/stop").status, 404);
  EXPECT_EQ(ask("GET", "/api/v1/runs/7/report/x").status, 404);
  EXPECT_EQ(ask("PUT", "/api/v1/runs").status, 405);
  EXPECT_EQ(ask("POST", "/metrics").status, 405);
  EXPECT_EQ(ask("POST", "/api/v1/runs", "{").status, 400);
  EXPECT_EQ(ask("POST", "/api/v1/runs", R"({"threads":0,"scenario":{"name":"quickstart"}})").status,
            400);
  EXPECT_EQ(ask("POST", "/api/v1/runs", R"({"scenario":{}})").status, 404);
  EXPECT_EQ(ask("POST", "/api/v1/runs", R"({"scenario":{"name":"../etc/passwd"}})").status, 404);
  EXPECT_EQ(ask("POST", "/api/v1/live").status, 405);
  EXPECT_EQ(ask("BREW", "/api/v1/runs").status, 501);
  EXPECT_EQ(ask("GET", "/api/v1/runs/0x1").status, 404);
  ApiRequest form;
  form.method = "POST";
  form.target = "/api/v1/runs";
  form.content_type = "text/plain";
  form.body = "{}";
  EXPECT_EQ(parts_.api.handle(form).status, 415);
  const json overridden{{"scenario", smallScenario()}, {"profile", "endless"}};
  EXPECT_EQ(ask("POST", "/api/v1/scenarios/plan", overridden.dump()).status, 422);
  const json captured{{"scenario", {{"scenario", smallScenario()}}}, {"capture_port", 0}};
  EXPECT_EQ(ask("POST", "/api/v1/runs", captured.dump()).status, 422);
}

// RFC 9110: 9.3.2, 9.3.7, 15.5.6.
TEST_F(ApiTest, EveryResourceSaysItsMethods) {
  struct Resource {
    const char* path;
    const char* methods;
    int head;
  };
  for (const Resource& one : {Resource{"/metrics", "GET, HEAD, OPTIONS", 200},
                              Resource{"/api/v1/capabilities", "GET, HEAD, OPTIONS", 200},
                              Resource{"/api/v1/ports", "GET, HEAD, OPTIONS", 200},
                              Resource{"/api/v1/clock", "GET, HEAD, OPTIONS", 200},
                              Resource{"/api/v1/live", "GET, HEAD, OPTIONS", 426},
                              Resource{"/api/v1/scenarios", "GET, HEAD, OPTIONS", 200},
                              Resource{"/api/v1/scenarios/quickstart", "GET, HEAD, OPTIONS", 200},
                              Resource{"/api/v1/scenarios/validate", "POST, OPTIONS", 405},
                              Resource{"/api/v1/runs", "GET, HEAD, POST, OPTIONS", 200},
                              Resource{"/api/v1/runs/7", "GET, HEAD, OPTIONS", 404},
                              Resource{"/api/v1/runs/7/stop", "POST, OPTIONS", 405},
                              Resource{"/api/v1/reservations", "POST, OPTIONS", 405},
                              Resource{"/api/v1/reservations/x", "DELETE, OPTIONS", 405}}) {
    const ApiAnswer refused = ask("PATCH", one.path);
    EXPECT_EQ(refused.status, 405) << one.path;
    EXPECT_EQ(refused.allow, one.methods) << one.path;
    const ApiAnswer options = ask("OPTIONS", one.path);
    EXPECT_EQ(options.status, 204) << one.path;
    EXPECT_EQ(options.allow, one.methods) << one.path;
    EXPECT_THAT(options.body, IsEmpty());
    EXPECT_EQ(ask("HEAD", one.path).status, one.head) << one.path;
  }
  EXPECT_EQ(ask("OPTIONS", "*").status, 204);
  for (const char* none : {"/nothing", "/api/v1/nothing", "/api/v1/scenarioss",
                           "/api/v1/runs/7/nothing", "/api/v1/runs/7/log/x"}) {
    EXPECT_EQ(ask("OPTIONS", none).status, 404) << none;
    EXPECT_EQ(ask("PUT", none).status, 404) << none;
  }
  EXPECT_EQ(ask("HEAD", "/api/v1/ports").body, ask("GET", "/api/v1/ports").body);
  EXPECT_EQ(ask("GET", "/api/v1/runs?").status, 200);
}

TEST_F(ApiTest, WhatWasMadeHasAPlace) {
  const ApiAnswer run = ask("POST", "/api/v1/runs", runOf(smallScenario()));
  ASSERT_EQ(run.status, 201) << run.body;
  EXPECT_EQ(run.location, "/api/v1/runs/1");
  EXPECT_EQ(ask("GET", run.location).status, 200);
  EXPECT_EQ(ask("GET", "/api/v1/runs/01").status, 200);
  waitForEnd(1);
}

TEST(ApiAccess, ATokenIsAskedForEverywhere) {
  ServerParts parts({"secret", false});
  ApiRequest request{"GET", "/api/v1/capabilities", "", "lab3:8470", "", "", "", ""};
  EXPECT_EQ(parts.api.handle(request).status, 401);
  for (const char* wrong : {"Bearer", "Bearer ", "Bearer secreT", "Bearer secrets", "Basic secret",
                            "secret", "bearer secreT"}) {
    request.authorization = wrong;
    EXPECT_EQ(parts.api.handle(request).status, 401) << wrong;
    EXPECT_EQ(parts.api.upgrade(request).refusal->status, 401) << wrong;
  }
  for (const char* right : {"bearer secret", "BEARER secret", "Bearer secret"}) {
    request.authorization = right;
    EXPECT_EQ(parts.api.handle(request).status, 200) << right;
    EXPECT_FALSE(
        parts.api.upgrade({"GET", "/api/v1/live", "", "lab3:8470", "", right, "", "13"}).refusal);
  }
  request.target = "/metrics";
  EXPECT_EQ(parts.api.handle(request).status, 200);
  request.authorization.clear();
  EXPECT_EQ(parts.api.handle(request).status, 401);
  request.target = "/nowhere";
  EXPECT_EQ(parts.api.handle(request).status, 401);
}

TEST(ApiAccess, OtherSitesAreRefused) {
  ServerParts parts({"", true});
  ApiRequest request{"GET", "/api/v1/ports", "", "127.0.0.1:8470", "", "", "", ""};
  const auto status = [&](const char* host, const char* origin) {
    request.host = host;
    request.origin = origin;
    return parts.api.handle(request).status;
  };
  EXPECT_EQ(status("127.0.0.1:8470", ""), 200);
  EXPECT_EQ(status("localhost", ""), 200);
  EXPECT_EQ(status("[::1]:8470", "http://[::1]:8470"), 200);
  EXPECT_EQ(status("LOCALHOST:8470", "http://localhost:8470"), 200);
  EXPECT_EQ(status("127.1.2.3", ""), 200);
  EXPECT_EQ(status("evil.example:8470", ""), 403);  // its name leads to loopback
  EXPECT_EQ(status("127.evil.example", ""), 403);
  EXPECT_EQ(status("127.0.0.1.evil.example:8470", ""), 403);
  EXPECT_EQ(status("localhost.evil.example", ""), 403);
  EXPECT_EQ(status("[::2]:8470", ""), 403);
  EXPECT_EQ(status("127.0.0.1:8470", "http://evil.example"), 403);
  EXPECT_EQ(status("127.0.0.1:8470", "null"), 403);
  EXPECT_EQ(status("", ""), 403);
}

TEST(ApiUpgrade, OnlyTheLiveStreamIsAWebSocket) {
  ServerParts parts;
  const auto upgrade = [&](const char* target) {
    return parts.api.upgrade({"GET", target, "", "localhost", "", "", "", "13"});
  };
  EXPECT_EQ(upgrade("/api/v1/live").since, 0u);
  EXPECT_EQ(upgrade("/api/v1/live?since=17").since, 17u);
  EXPECT_FALSE(upgrade("/api/v1/live?since=17").refusal.has_value());
  EXPECT_EQ(upgrade("/api/v1/live?since=-1").refusal->status, 400);
  EXPECT_EQ(upgrade("/api/v1/live?sinc=1").refusal->status, 400);
  EXPECT_EQ(upgrade("/api/v1/live?since=99999999999999999999").refusal->status, 400);
  EXPECT_EQ(upgrade("/api/v1/runs").refusal->status, 404);
}

TEST(RunManager, ShuttingDownFinishesTheTrialAndStartsNothingMore) {
  ServerParts parts;
  RunRequest request;
  request.scenario.scenario = smallScenario(5'000);
  const std::int64_t run = parts.runs.start(request).id;
  while (parts.runs.state(run).trials < 3) std::this_thread::yield();
  parts.runs.shutDown();
  const RunState state = parts.runs.state(run);
  EXPECT_EQ(state.status, "aborted");
  EXPECT_GE(state.trials, 3u);
  EXPECT_EQ(parts.runs.active(), 0u);
  EXPECT_THROW(parts.runs.start(request), std::exception);
  EXPECT_EQ(parts.hosts(), "free");
}

}  // namespace
}  // namespace plumbline::control
