// `trace:` of a job: the file that it names, and messages about an invalid file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/random.h"
#include "scenario/parse.h"
#include "tests/scenario/messages.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using workload::TraceProgram;

// A folder of its own for a scenario and its traces.
class TraceFile : public testing::Test {
 protected:
  TraceFile() {
    fs::create_directories(folder_ / "below");
    scenario_ = (folder_ / "s.yaml").string();
  }
  ~TraceFile() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  // A scenario on 4 hosts, whose line 3 is the job.
  ParseResult parse(const std::string& job) {
    return parseScenario(
        "{plumbline: 1, name: n, test: free, dut: {topology: {kind: clos2}},\n"
        "transport: {kind: uet}, workload:\n" +
            job + "}\n",
        scenario_, simVocabulary());
  }

  std::vector<workload::TraceEntry> entriesOf(const std::string& job) {
    const ParseResult result = parse(job);
    for (const Problem& problem : result.problems) ADD_FAILURE() << problem.text("s");
    if (!result.ok()) return {};
    return std::get<TraceProgram>(result.scenario.workload->jobs.at(0).program).entries;
  }

  std::vector<std::string> messages(const std::string& job) {
    return scenario::messages(parse(job));
  }

  fs::path folder_ = fs::path(testing::TempDir()) /
                     ("plumbline_trace_" +
                      std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
  std::string scenario_;
};

TEST_F(TraceFile, HasTheMessagesOfTheJob) {
  write("below/messages.csv", "time_ns,from,to,bytes,tag\n0,0,1,4096\n12.5,3,2,100,7\n");
  const auto entries = entriesOf("{kind: trace, trace: {file: below/messages.csv}}");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].bytes, 4096U);
  EXPECT_EQ(entries[1].time, Picoseconds(12'500));
  EXPECT_EQ(entries[1].from, 3U);
  EXPECT_EQ(entries[1].to, 2U);
  EXPECT_EQ(entries[1].tag, 7U);
}

// Part of a run's identity besides its text.
TEST_F(TraceFile, IsNotedWithWhatItHolds) {
  const std::string job = "[{kind: trace, ranks: 2, trace: {file: a.csv}}]";
  write("a.csv", "0,0,1,10\n");
  const auto first = parse(job).scenario.files;
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].name, "a.csv");
  EXPECT_EQ(first[0].bytes, 9U);
  EXPECT_EQ(parse(job).scenario.files, first);
  write("a.csv", "0,0,1,11\n");
  EXPECT_NE(parse(job).scenario.files, first);
  EXPECT_TRUE(parse("{kind: allreduce, ranks: 2, size: 1KiB}").scenario.files.empty());
}

TEST_F(TraceFile, OfRequestsMakesMessagesOfTheirPrompts) {
  write("r.csv",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,10,1\n"
        "2023-11-16 18:15:47,20,2\n2023-11-16 18:15:48,30,3\n");
  const auto entries = entriesOf(
      "{kind: trace, trace: {file: r.csv, format: requests, prefill: 1,\n"
      " kv_per_token: 128KiB, requests: 2}}");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[1].time, seconds(1));
  EXPECT_EQ(entries[1].from, 0U);
  EXPECT_EQ(entries[1].to, 2U);
  EXPECT_EQ(entries[1].bytes, 20U * 131'072);
}

// The file after the requests in use is not read: neither its size nor its mistakes matter.
TEST_F(TraceFile, OfALongFileOnlyWhatIsUsedIsRead) {
  const std::string head =
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,10,1\n"
      "2023-11-16 18:15:47,20,2\n";
  write("r.csv", head + "nonsense\n");
  // Sparse: takes no room on the disk.
  fs::resize_file(folder_ / "r.csv", std::uintmax_t{4} << 30);
  const std::string job =
      "{kind: trace, trace: {file: r.csv, format: requests, prefill: 1, kv_per_token: 128KiB";
  const ParseResult two = parse(job + ", requests: 2}}");
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(std::get<TraceProgram>(two.scenario.workload->jobs.at(0).program).entries.size(), 2U);
  ASSERT_EQ(two.scenario.files.size(), 1U);
  EXPECT_EQ(two.scenario.files[0].bytes, head.size());
  EXPECT_EQ(two.scenario.files[0].hash, hash64(head));
  EXPECT_THAT(messages(job + ", requests: 3}}"),
              ElementsAre(testing::HasSubstr("r.csv:4:9: fewer fields than the first line names")));
  EXPECT_THAT(messages(job + "}}"), ElementsAre(testing::HasSubstr("\"r.csv\" is too long")));
}

TEST_F(TraceFile, HasTheSelectionsOfExperts) {
  write("m.csv", "1,2\n2,1\n0,2\n2,2\n");
  const std::string job =
      "{kind: moe, experts: 2, top_k: 2, tokens: 2, routing: matrix, matrix: m.csv";
  const ParseResult result = parse(
      "{kind: moe, ranks: 2, experts: 2, top_k: 2, tokens: 2, routing: matrix,\n"
      " matrix: two.csv}");
  write("two.csv", "1,2\n2,1\n");
  const ParseResult found = parse(
      "{kind: moe, ranks: 2, experts: 2, top_k: 2, tokens: 2, routing: matrix,\n"
      " matrix: two.csv}");
  EXPECT_FALSE(result.ok());  // the file was not there
  ASSERT_TRUE(found.ok());
  const auto& moe = std::get<workload::MoeProgram>(found.scenario.workload->jobs.at(0).program);
  EXPECT_EQ(moe.matrix, (std::vector<std::uint32_t>{1, 2, 2, 1}));
  EXPECT_EQ(found.scenario.files.size(), 1U);
  EXPECT_THAT(messages(job + ", ranks: 2}"),
              ElementsAre("s:3:71: m.csv:3:1: the job has 2 ranks: there is a line too many"));
  write("m.csv", "1,2\n2,3\n");
  EXPECT_THAT(messages(job + ", ranks: 2}"),
              ElementsAre("s:3:71: m.csv:2:3: a decimal number of tokens is needed here, 0 to 2"));
  EXPECT_THAT(messages("{kind: moe, matrix: m.csv}"),
              ElementsAre("s:3:21: \"matrix\" needs routing: matrix (with routing: matrix)"));
  EXPECT_THAT(messages("{kind: moe, routing: matrix}"),
              ElementsAre("s:3:1: the key \"matrix\" is missing in \"workload\""));
}

TEST_F(TraceFile, MistakesOfAJobStandAtTheirKey) {
  EXPECT_THAT(
      messages("{kind: moe, experts: 2, top_k: 1}"),
      ElementsAre("s:3:22: \"2\": job 'moe1': 4 ranks have 2 experts and 0 replicas: some would "
                  "have none (at most 2 ranks, or 2 redundant experts)"));
  EXPECT_THAT(
      messages("{kind: moe, experts: 4, top_k: 5}"),
      ElementsAre("s:3:32: \"5\": job 'moe1': top_k is 5 of 4 experts (at most the number of "
                  "experts)"));
  EXPECT_THAT(
      messages("{kind: moe, experts: 4, top_k: 1, routing: k-hot, hot_experts: 4}"),
      ElementsAre(testing::StartsWith("s:3:64: \"4\": job 'moe1': 4 of 4 experts are hot")));
  EXPECT_THAT(messages("{kind: allreduce, ranks: 3, algorithm: halving-doubling}"),
              ElementsAre(testing::HasSubstr("s:3:40: ")));
  EXPECT_THAT(messages("{kind: moe, experts: 2, top_k: 1, redundant: 2}"), testing::IsEmpty());
}

// The ranks are those of the job, however they are placed.
TEST_F(TraceFile, IsJudgedByTheJobsRanks) {
  write("m.csv", "0,0,1,1\n0,2,0,1\n");
  EXPECT_THAT(messages("{kind: trace, ranks: 2, trace: {file: m.csv}}"),
              ElementsAre("s:3:39: m.csv:2:3: the job has ranks 0 to 1"));
  EXPECT_THAT(messages("{kind: trace, hosts: [3, 1], trace: {file: m.csv}}"),
              ElementsAre("s:3:44: m.csv:2:3: the job has ranks 0 to 1"));
  EXPECT_EQ(entriesOf("{kind: trace, hosts: [3, 1, 2], trace: {file: m.csv}}").size(), 2U);
}

TEST_F(TraceFile, MistakesHaveTheirPlaceInBothFiles) {
  write("bad.csv", "0,0,1,1\n1,0,1,zero\n");
  write("r.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,0,1\n");
  EXPECT_THAT(messages("{kind: trace, trace: {file: bad.csv}}"),
              ElementsAre("s:3:29: bad.csv:2:7: a number of bytes has decimal digits only"));
  EXPECT_THAT(messages("{kind: trace,\n trace: {format: requests, file: r.csv, prefill: 2, "
                       "kv_per_token: 1GiB}}"),
              ElementsAre("s:4:34: r.csv:2:21: out of range: 1 to 1023 context tokens, whose KV "
                          "cache is a message"));
}

TEST_F(TraceFile, HasAMessageAtLeast) {
  write("none.csv", "# no message\n");
  EXPECT_THAT(messages("{kind: trace, trace: {file: none.csv}}"),
              ElementsAre("s:3:29: none.csv has no message (a file with one at least)"));
}

TEST_F(TraceFile, KeysAreChecked) {
  write("m.csv", "0,0,1,1\n");
  EXPECT_THAT(messages("{kind: trace, trace: {}}"),
              ElementsAre("s:3:22: the key \"file\" is missing in \"trace\""));
  EXPECT_THAT(messages("{kind: trace, entries: [], trace: {file: m.csv}}"),
              ElementsAre("s:3:24: \"entries\" and \"trace\" are both here (one of the two)"));
  EXPECT_THAT(messages("{kind: trace, trace: {file: m.csv, format: requests}}"),
              ElementsAre("s:3:22: the key \"prefill\" is missing in \"trace\"",
                          "s:3:22: the key \"kv_per_token\" is missing in \"trace\""));
  EXPECT_THAT(messages("{kind: trace, trace: {file: m.csv, format: requests, prefill: 4, "
                       "kv_per_token: 0B}}"),
              ElementsAre("s:3:63: \"4\" is out of range (1 to 3)",
                          "s:3:80: \"0B\" is out of range (1B to 1TiB)"));
}

// A scenario from another user must not make the program read other files.
TEST_F(TraceFile, LiesInTheScenariosFolder) {
  for (const std::string name : {"/etc/passwd", "../m.csv", "below/../../m.csv"}) {
    EXPECT_THAT(messages("{kind: trace, trace: {file: " + name + "}}"),
                ElementsAre("s:3:29: \"" + name +
                            "\" is not in the scenario's folder (there or below it)"));
  }
  for (const std::string name : {"none.csv", "below"}) {
    EXPECT_THAT(
        messages("{kind: trace, trace: {file: " + name + "}}"),
        ElementsAre("s:3:29: \"" + name + "\" cannot be read (a file in the scenario's folder)"));
  }
}

// Every line of the public traces in the folder PLUMBLINE_REQUEST_TRACES becomes a message.
TEST_F(TraceFile, PublicTracesAreRead) {
  const char* traces = std::getenv("PLUMBLINE_REQUEST_TRACES");
  if (traces == nullptr) GTEST_SKIP() << "PLUMBLINE_REQUEST_TRACES names no folder";
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(traces)) {
    if (entry.path().extension() != ".csv") continue;
    ++files;
    fs::copy_file(entry.path(), folder_ / "public.csv", fs::copy_options::overwrite_existing);
    std::ifstream stream(folder_ / "public.csv");
    std::uint64_t lines = 0;
    std::uint64_t tokens = 0;
    std::string line;
    for (std::getline(stream, line); std::getline(stream, line); ++lines) {
      tokens += std::stoull(line.substr(line.find(',') + 1));
    }
    const auto entries = entriesOf(
        "{kind: trace, trace: {file: public.csv, format: requests, prefill: 2,\n"
        " kv_per_token: 128KiB}}");
    EXPECT_EQ(entries.size(), lines) << entry.path();
    std::uint64_t bytes = 0;
    for (const auto& message : entries) bytes += message.bytes;
    EXPECT_EQ(bytes, tokens * 131'072) << entry.path();
  }
  EXPECT_GT(files, 0U);
}

}  // namespace
}  // namespace plumbline::scenario
