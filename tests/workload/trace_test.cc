#include "workload/trace.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/workload/rank_network.h"

namespace plumbline::workload {
namespace {

std::vector<TraceEntry> good(std::string_view text, std::uint32_t ranks = 8) {
  const auto parsed = parseTrace(text, ranks);
  if (const auto* error = std::get_if<TraceError>(&parsed)) {
    ADD_FAILURE() << error->line << ":" << error->column << ": " << error->what;
    return {};
  }
  return std::get<std::vector<TraceEntry>>(parsed);
}

struct Mistake {
  std::string text;
  std::size_t line;
  std::size_t column;
};

TEST(Trace, ReadsEntries) {
  const auto entries = good(
      "time_ns,from,to,bytes,tag\r\n"
      "# a comment\n"
      "\n"
      "0,0,1,4096\n"
      " 12.5 ,\t3, 2 ,1099511627775,4294967295 # the largest\n"
      "1000000000000000.999,7,0,1");
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].time, Picoseconds(0));
  EXPECT_EQ(entries[0].from, 0U);
  EXPECT_EQ(entries[0].to, 1U);
  EXPECT_EQ(entries[0].bytes, 4096U);
  EXPECT_EQ(entries[1].time, Picoseconds(12'500));
  EXPECT_EQ(entries[1].bytes, (1ULL << 40) - 1);
  EXPECT_EQ(entries[1].tag, 0xFFFFFFFFU);
  EXPECT_EQ(entries[2].time, Picoseconds(1'000'000'000'000'000'999));
}

TEST(Trace, ReadsWhatOtherProgramsWrite) {
  for (const char* text :
       {"time_ns,from,to,bytes,tag\n12.5,3,2,100,7\n",
        "Time_NS,FROM,To,Bytes,TAG\r\n12.5,3,2,100,7",
        "\xEF\xBB\xBFtime_ns,from,to,bytes,tag\r\n12.5,3,2,100,7\r\n",
        "\"time_ns\",\"from\",\"to\",\"bytes\",\"tag\"\n\"12.5\",\"3\",\"2\",\"100\",\"7\"\n",
        "\xEF\xBB\xBF"
        "0012.50,03,02,0100,07"}) {
    const auto entries = good(text);
    ASSERT_EQ(entries.size(), 1U) << text;
    EXPECT_EQ(entries[0].time, Picoseconds(12'500));
    EXPECT_EQ(entries[0].from, 3U);
    EXPECT_EQ(entries[0].to, 2U);
    EXPECT_EQ(entries[0].bytes, 100U);
    EXPECT_EQ(entries[0].tag, 7U);
  }
}

TEST(Trace, ATornLastLineIsSaid) {
  const auto parsed = parseTrace("0,0,1,4096\n5,0,1", 8);
  const auto* error = std::get_if<TraceError>(&parsed);
  ASSERT_NE(error, nullptr);
  EXPECT_NE(error->what.find("the file ends in this line"), std::string::npos) << error->what;
}

TEST(Trace, MayBeEmpty) {
  EXPECT_TRUE(good("").empty());
  EXPECT_TRUE(good("time_ns,from,to,bytes\n").empty());
}

TEST(Trace, NamesLineAndColumnOfTheFirstMistake) {
  const std::vector<Mistake> mistakes{
      {"0,0,1,1\n5,0,1", 2, 6},                 // too few fields: the line's end
      {"0,0,1,1,0,9", 1, 11},                   // too many
      {"-1,0,1,1", 1, 1},                       // a sign
      {"1e3,0,1,1", 1, 2},                      // an exponent
      {"0.1234,0,1,1", 1, 3},                   // less than a picosecond
      {"0.,0,1,1", 1, 3},                       // no digit behind the point
      {"0.1.2,0,1,1", 1, 4},                    // two points
      {"0, 8,1,1", 1, 4},                       // rank 8 of 8
      {"0,0,4294967296,1", 1, 5},               // does not fit 32 bits
      {"0,3,3,1", 1, 5},                        // to itself
      {"0,0,1,0", 1, 7},                        // no bytes
      {"0,0,1,1099511627776", 1, 7},            // 2^40
      {"0,0,1,99999999999999999999999", 1, 7},  // does not fit anything
      {"0,0,1,1,4294967296", 1, 9},
      {"0,,1,1", 1, 3},
      {"1000000000000001,0,1,1", 1, 1},
      {"0,0,1,1\ntime_ns,from,to,bytes\n", 2, 1},  // a header in the middle
      {"0,0,1,1\n\n#\n0,0,1,x", 4, 7},
  };
  for (const Mistake& mistake : mistakes) {
    const auto parsed = parseTrace(mistake.text, 8);
    const auto* error = std::get_if<TraceError>(&parsed);
    ASSERT_NE(error, nullptr) << mistake.text;
    EXPECT_EQ(error->line, mistake.line) << mistake.text;
    EXPECT_EQ(error->column, mistake.column) << mistake.text << ": " << error->what;
    EXPECT_FALSE(error->what.empty());
  }
}

TEST(Trace, AHeaderOfOtherColumnsIsSaid) {
  for (const char* header : {"bytes,to,from,time_ns", "time_ns,from,to", "time,src,dst,size,tag",
                             "time_us,from,to,bytes"}) {
    const auto parsed = parseTrace(std::string(header) + "\n0,0,1,4096\n", 8);
    const auto* error = std::get_if<TraceError>(&parsed);
    ASSERT_NE(error, nullptr) << header;
    EXPECT_EQ(error->line, 1U) << header;
    EXPECT_EQ(error->column, 1U) << header;
    EXPECT_NE(error->what.find("time_ns,from,to,bytes[,tag] in this order"), std::string::npos)
        << error->what;
  }
}

TEST(Trace, IsReplayedAtItsTimes) {
  TraceProgram program;
  program.entries = good(
      "2000,0,1,1250\n"
      "0,0,2,1250\n"
      "0,1,0,2500\n");
  WorkloadSpec spec;
  JobSpec& job = spec.jobs.emplace_back();
  job.placement.ranks = 3;
  job.placement.first = 1;  // rank r on host r + 1
  job.start = microseconds(1);
  job.program = program;
  Workload workload(spec, 4);
  workload_test::RankNetwork network(
      workload, 4, workload_test::plainNetwork(gigabitsPerSecond(100), nanoseconds(500)));
  network.run();
  ASSERT_EQ(network.log().size(), 3U);
  EXPECT_EQ(network.log()[0].from, 1U);
  EXPECT_EQ(network.log()[0].message.to, 3U);
  EXPECT_EQ(network.log()[1].message.bytes, 2500U);
  EXPECT_EQ(network.log()[2].time, microseconds(3));
  const JobResult result = workload.results()[0];
  EXPECT_TRUE(result.finished);
  // 100 ns of wire and 500 ns each way.
  const std::vector<Picoseconds> completed{microseconds(3) + nanoseconds(1100),
                                           microseconds(1) + nanoseconds(1100),
                                           microseconds(1) + nanoseconds(1200)};
  EXPECT_EQ(result.trace_completed, completed);
}

TEST(Trace, EntriesAreCheckedAgainstTheJob) {
  WorkloadSpec spec;
  JobSpec& job = spec.jobs.emplace_back();
  job.placement.ranks = 3;
  job.program = TraceProgram{{{Picoseconds(0), 0, 3, 1, 0}}};
  EXPECT_THROW(Workload(spec, 8), Error);
}

}  // namespace
}  // namespace plumbline::workload
