#include "serving/trace_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"

namespace plumbline::serving {
namespace {

using Opener = std::function<std::unique_ptr<TraceReader>(std::istream&)>;

const Opener kAzure = [](std::istream& text) { return azureTrace(text, "t"); };
const Opener kBurst = [](std::istream& text) { return burstGptTrace(text, "t"); };
const Opener kMooncake = [](std::istream& text) { return mooncakeTrace(text, "t"); };

std::vector<Request> all(const Opener& open, const std::string& text) {
  std::istringstream stream(text);
  const auto reader = open(stream);
  std::vector<Request> requests;
  while (auto request = reader->next()) requests.push_back(std::move(*request));
  return requests;
}

std::string faultOf(const Opener& open, const std::string& text) {
  try {
    all(open, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.where();
  }
  return "none";
}

TEST(AzureTrace, ReadsRequests) {
  const auto requests = all(kAzure,
                            "GeneratedTokens,TIMESTAMP,x,ContextTokens\n"
                            "10,2024-05-10 00:00:00.009930+00:00,,4808\n"
                            "0,2024-05-10 00:00:01+00:00,,5\n"
                            "8,2024-05-10 00:00:02.009930+00:00,,3180\n");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].arrival, Picoseconds());
  EXPECT_EQ(requests[0].prompt, 4808U);
  EXPECT_EQ(requests[1].arrival, seconds(2));
  EXPECT_EQ(requests[1].output, 8U);
  EXPECT_TRUE(requests[1].prefix.empty());
}

TEST(AzureTrace, BadLinesAreRefused) {
  const std::string head = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
  EXPECT_EQ(faultOf(kAzure, ""), "t:1:1");
  EXPECT_EQ(faultOf(kAzure, "TIMESTAMP,ContextTokens\n"), "t:1:1");
  EXPECT_EQ(faultOf(kAzure, "TIMESTAMP,ContextTokens,GeneratedTokens,TIMESTAMP\n"), "t:1:41");
  EXPECT_EQ(faultOf(kAzure, head + "2023-11-16 18:17:03,1\n"), "t:2:22");
  EXPECT_EQ(faultOf(kAzure, head + "2023-11-16 18:17:03,1,2,3\n"), "t:2:25");
  EXPECT_EQ(faultOf(kAzure, head + "yesterday,1,2\n"), "t:2:1");
  EXPECT_EQ(faultOf(kAzure, head + "2023-11-16 18:17:03,0,2\n"), "t:2:21");
  EXPECT_EQ(faultOf(kAzure, head + "2023-11-16 18:17:03,1,2000000000\n"), "t:2:23");
  EXPECT_EQ(faultOf(kAzure, head + "2023-11-16 18:17:03,1,2\n2023-11-16 18:17:02.9,1,2\n"),
            "t:3:1");
  EXPECT_EQ(faultOf(kAzure, head + "2023-11-16 18:17:03,1,2\n2023-11-16 18:17:04Z,1,2\n"), "t:3:1");
  EXPECT_EQ(faultOf(kAzure, head + std::string(70'000, 'x') + "\n"), "t:2:1");
}

TEST(BurstGptTrace, ReadsRequestsAndCountsFailures) {
  std::istringstream stream(
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "5,ChatGPT,472,18,490,Conversation log\n"
      "45.25,ChatGPT,1087,0,1087,Conversation log\n"
      "118.5,GPT-4,417,276,693,API log\n");
  const auto reader = burstGptTrace(stream, "t");
  EXPECT_EQ(reader->next()->prompt, 472U);
  const auto second = reader->next();
  EXPECT_EQ(second->arrival, milliseconds(113'500));
  EXPECT_EQ(second->output, 276U);
  EXPECT_FALSE(reader->next());
  EXPECT_EQ(reader->dropped(), 1U);
}

// As Python and pandas write them: 0.1 + 0.25, small numbers, whole numbers of a column with gaps.
TEST(BurstGptTrace, ReadsFloats) {
  const auto requests = all(kBurst,
                            "Timestamp,Request tokens,Response tokens\n"
                            "0.0,472.0,18.0\n"
                            "1e-05,1.0,2\n"
                            "0.35000000000000003,1e3,4.0\n"
                            "3999999.1234567890126,5,6\n");
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(requests[0].prompt, 472U);
  EXPECT_EQ(requests[0].output, 18U);
  EXPECT_EQ(requests[1].arrival, microseconds(10));
  EXPECT_EQ(requests[2].arrival, milliseconds(350));
  EXPECT_EQ(requests[2].prompt, 1000U);
  EXPECT_EQ(requests[3].arrival, Picoseconds(3'999'999'123'456'789'013));
}

TEST(BurstGptTrace, BadLinesAreRefused) {
  const std::string head = "Timestamp,Request tokens,Response tokens\n";
  EXPECT_EQ(faultOf(kBurst, head + "x,1,1\n"), "t:2:1");
  EXPECT_EQ(faultOf(kBurst, head + "1.,1,1\n"), "t:2:1");
  EXPECT_EQ(faultOf(kBurst, head + "-1,1,1\n"), "t:2:1");
  for (const char* time : {"", "nan", "inf", "-1e-5", "1e", "1e9", "4000000.1", "0x1"}) {
    EXPECT_EQ(faultOf(kBurst, head + time + ",1,1\n"), "t:2:1") << time;
  }
  for (const char* tokens : {"1.5", "0.0", "1e-1", "-1.0", "nan", "1e99", "67108865.0"}) {
    EXPECT_EQ(faultOf(kBurst, head + "1," + tokens + ",1\n"), "t:2:3") << tokens;
  }
  EXPECT_EQ(faultOf(kBurst, head + "2,1,1\n1,1,1\n"), "t:3:1");
}

TEST(MooncakeTrace, ReadsRequestsAndPrefixes) {
  const auto requests =
      all(kMooncake,
          R"({"timestamp": 3000, "input_length": 600, "output_length": 52, "hash_ids": [46, 47]})"
          "\n\n"
          R"({"timestamp": 6000, "input_length": 512, "output_length": 1, "hash_ids": [46]})"
          "\n");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].arrival, Picoseconds());
  EXPECT_EQ(requests[1].arrival, seconds(3));
  EXPECT_EQ(requests[0].prefix, (std::vector<std::uint64_t>{46, 47}));
  const auto first = pageHashes(requests[0], 16);
  const auto second = pageHashes(requests[1], 16);
  EXPECT_EQ(first.size(), 37U);   // 599 / 16
  EXPECT_EQ(second.size(), 31U);  // the last token is computed
  for (std::size_t i = 0; i < second.size(); ++i) EXPECT_EQ(first[i], second[i]);
}

std::string mooncakeLine(int timestamp) {
  return "{\"timestamp\": " + std::to_string(timestamp) +
         ", \"input_length\": 5, \"output_length\": 1, \"hash_ids\": []}\n";
}

// Three requests of one tick of 3 s are a second apart; those of the last tick as before it.
TEST(MooncakeTrace, TicksAreSpread) {
  std::istringstream stream(mooncakeLine(0) + mooncakeLine(0) + mooncakeLine(0) +
                            mooncakeLine(3000) + mooncakeLine(3000));
  const auto reader = mooncakeTrace(stream, "t", {512, true});
  std::vector<double> times;
  while (const auto request = reader->next()) times.push_back(request->arrival.toSeconds());
  EXPECT_EQ(times, (std::vector<double>{0, 1, 2, 3, 4.5}));
}

TEST(MooncakeTrace, BadLinesAreRefused) {
  EXPECT_EQ(faultOf(kMooncake, mooncakeLine(0) + "{\n"), "t:2:1");
  EXPECT_EQ(faultOf(kMooncake, "[1]\n"), "t:1:1");
  EXPECT_EQ(faultOf(kMooncake, mooncakeLine(5) + mooncakeLine(4)), "t:2:1");
  const std::string rest = R"("output_length": 1, "hash_ids": [1]})";
  EXPECT_EQ(faultOf(kMooncake, R"({"timestamp": 0, "input_length": 5, )" + rest), "none");
  EXPECT_EQ(faultOf(kMooncake, R"({"timestamp": 0, )" + rest), "t:1:1");
  EXPECT_EQ(faultOf(kMooncake, R"({"timestamp": 0, "input_length": 0, )" + rest), "t:1:1");
  EXPECT_EQ(faultOf(kMooncake, R"({"timestamp": 0.5, "input_length": 5, )" + rest), "t:1:1");
  EXPECT_EQ(faultOf(kMooncake, R"({"timestamp": -1, "input_length": 5, )" + rest), "t:1:1");
  EXPECT_EQ(faultOf(kMooncake, R"({"timestamp": 0, "input_length": "5", )" + rest), "t:1:1");
  EXPECT_EQ(faultOf(kMooncake, R"({"timestamp": 0, "input_length": 5, "output_length": 1,
"hash_ids": [1, 2]})"),
            "t:1:1");
  EXPECT_EQ(faultOf(kMooncake, R"({"timestamp": 0, "input_length": 5, "output_length": 1, )"
                               R"("hash_ids": [1, 2]})"),
            "t:1:1");
}

// The public traces in the folder PLUMBLINE_REQUEST_TRACES: every line, against a plain reading.
TEST(AzureTrace, PublicTracesAreRead) {
  const char* folder = std::getenv("PLUMBLINE_REQUEST_TRACES");
  if (folder == nullptr) GTEST_SKIP() << "PLUMBLINE_REQUEST_TRACES names no folder";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".csv") continue;
    ++files;
    std::uint64_t lines = 0;
    std::uint64_t prompt = 0;
    std::uint64_t output = 0;
    std::ifstream plain(entry.path());
    std::string line;
    for (std::getline(plain, line); std::getline(plain, line); ++lines) {
      const std::size_t comma = line.find(',');
      prompt += std::stoull(line.substr(comma + 1));
      output += std::stoull(line.substr(line.find(',', comma + 1) + 1));
    }
    std::ifstream stream(entry.path());
    const auto reader = azureTrace(stream, entry.path().string());
    while (const auto request = reader->next()) {
      --lines;
      prompt -= request->prompt;
      output -= request->output;
    }
    EXPECT_EQ(lines, reader->dropped()) << entry.path();
    EXPECT_EQ(output, 0U) << entry.path();
    EXPECT_TRUE(prompt == 0 || reader->dropped() > 0) << entry.path();
  }
  EXPECT_GT(files, 0U);
}

}  // namespace
}  // namespace plumbline::serving
