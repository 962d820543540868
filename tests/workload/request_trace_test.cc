#include "workload/request_trace.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace plumbline::workload {
namespace {

const std::string kHead = "TIMESTAMP,ContextTokens,GeneratedTokens\n";

std::vector<TraceEntry> good(const std::string& lines, const RequestRules& rules) {
  const auto parsed = parseRequestTrace(kHead + lines, rules);
  if (const auto* error = std::get_if<TraceError>(&parsed)) {
    ADD_FAILURE() << error->line << ":" << error->column << ": " << error->what;
    return {};
  }
  return std::get<std::vector<TraceEntry>>(parsed);
}

TraceError mistake(const std::string& text, const RequestRules& rules = {}) {
  const auto parsed = parseRequestTrace(text, rules);
  const auto* error = std::get_if<TraceError>(&parsed);
  EXPECT_NE(error, nullptr) << text;
  return error != nullptr ? *error : TraceError();
}

TEST(RequestTrace, ARequestIsTheKvCacheOfItsPrompt) {
  const auto entries = good(
      "2024-02-29 23:59:59.9799600,374,44\r\n\n"
      "2024-03-01 00:00:00,1,0\n"
      "2024-03-01 00:00:00.000000000001,2048,4294967295",
      {.ranks = 4, .prefill = 2, .bytes_per_token = 131'072});
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].time, Picoseconds(0));
  EXPECT_EQ(entries[0].bytes, 374U * 131'072);
  EXPECT_EQ(entries[0].tag, 44U);
  EXPECT_EQ(entries[1].time, Picoseconds(20'040'000'000));
  EXPECT_EQ(entries[1].bytes, 131'072U);
  EXPECT_EQ(entries[2].time, Picoseconds(20'040'000'001));
  EXPECT_EQ(entries[2].tag, 0xFFFFFFFFU);
}

// The same three requests as other programs write them.
TEST(RequestTrace, ReadsFilesInTheWild) {
  const std::vector<std::string> files{
      kHead + "2024-05-10 00:00:00.5,10,1\n2024-05-10 00:00:01,20,2\n2024-05-10 00:00:02,30,3\n",
      // Offsets, and no fraction where there is none.
      kHead +
          "2024-05-10 00:00:00.500000+00:00,10,1\n2024-05-10 00:00:01+00:00,20,2\n"
          "2024-05-10 00:00:02+00:00,30,3",
      kHead + "2024-05-10T00:00:00.5Z,10,1\n2024-05-10T00:00:01Z,20,2\n2024-05-10t00:00:02z,30,3\n",
      kHead +
          "2024-05-10 05:30:00.5+0530,10,1\n2024-05-09 23:00:01-01,20,2\n"
          "2024-05-10 00:00:02 UTC,30,3\n",
      // Spreadsheets: a byte order mark, CRLF, quotes, empty lines.
      "\xEF\xBB\xBFTIMESTAMP,ContextTokens,GeneratedTokens\r\n2024-05-10 00:00:00.5,10,1\r\n\r\n"
      "2024-05-10 00:00:01,20,2\r\n2024-05-10 00:00:02,30,3\r\n\r\n",
      "\"TIMESTAMP\",\"ContextTokens\",\"GeneratedTokens\"\n\"2024-05-10 "
      "00:00:00.5\",\"10\",\"1\"\n"
      "\"2024-05-10 00:00:01\",\"20\",\"2\"\n\"2024-05-10 00:00:02\",\"30\",\"3\"\n",
      // Other columns, and another order.
      ",Model,generatedtokens,timestamp,CONTEXTTOKENS\n0,\"a, b\",1,2024-05-10 00:00:00.5,10\n"
      "1,c,2,2024-05-10 00:00:01,20\n2,c,3,2024-05-10 00:00:02,30\n",
  };
  for (const std::string& text : files) {
    const auto parsed =
        parseRequestTrace(text, {.ranks = 2, .prefill = 1, .bytes_per_token = 1024});
    if (const auto* error = std::get_if<TraceError>(&parsed)) {
      ADD_FAILURE() << text << error->line << ":" << error->column << ": " << error->what;
      continue;
    }
    const auto& entries = std::get<std::vector<TraceEntry>>(parsed);
    ASSERT_EQ(entries.size(), 3U) << text;
    EXPECT_EQ(entries[0].time, Picoseconds(0)) << text;
    EXPECT_EQ(entries[1].time, milliseconds(500)) << text;
    EXPECT_EQ(entries[2].time, milliseconds(1500)) << text;
    for (std::uint32_t i = 0; i < 3; ++i) {
      EXPECT_EQ(entries[i].bytes, 10'240U * (i + 1)) << text;
      EXPECT_EQ(entries[i].tag, i + 1) << text;
    }
  }
}

TEST(RequestTrace, ColumnsHaveOneNameEach) {
  EXPECT_EQ(mistake("TIMESTAMP,ContextTokens,GeneratedTokens,contexttokens\n").column, 41U);
  EXPECT_NE(mistake("TIMESTAMP,ContextTokens\n").what.find("it has no GeneratedTokens"),
            std::string::npos);
}

TEST(RequestTrace, TakesPrefillAndDecodeRanksInTurn) {
  std::string lines;
  for (int i = 0; i < 6; ++i) lines += "2023-11-16 18:15:46,1,1\n";
  const auto entries = good(lines, {.ranks = 5, .prefill = 2, .bytes_per_token = 1});
  ASSERT_EQ(entries.size(), 6U);
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(entries[i].from, i % 2) << i;
    EXPECT_EQ(entries[i].to, 2 + i % 3) << i;
  }
}

TEST(RequestTrace, CountsFromTheEarliestOfThoseUsed) {
  const std::string lines =
      "2023-11-16 00:00:05,1,1\n2023-11-16 00:00:03.5,1,1\n2023-11-16 00:00:01,1,1\nnonsense";
  const auto two = good(lines, {.max = 2});
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].time, milliseconds(1'500));
  EXPECT_EQ(two[1].time, Picoseconds(0));
  EXPECT_TRUE(good("", {}).empty());
}

TEST(RequestTrace, NamesLineAndColumnOfTheFirstMistake) {
  struct Mistake {
    std::string line;
    std::size_t column;
  };
  const std::vector<Mistake> mistakes{
      {"2023-11-16 18:15:46,1", 22},                 // too few fields: the line's end
      {"2023-11-16 18:15:46", 20},                   //
      {"16.11.2023 18:15:46,1,1", 1},                // another form of time
      {"2023-02-29 18:15:46,1,1", 1},                // no such day
      {"2023-11-16 24:00:00,1,1", 1},                // no such hour
      {"2023-11-16 18:15:46.,1,1", 1},               // no digit behind the point
      {"2023-11-16 18:15:46.1234567890123,1,1", 1},  // less than a picosecond
      {"2023-11-16 18:15:46.1x,1,1", 1},             //
      {"2023-11-16 18:15:46,0,1", 21},               // no prompt
      {"2023-11-16 18:15:46,-1,1", 21},              //
      {"2023-11-16 18:15:46,1099511627776,1", 21},   // more than a message holds
      {"2023-11-16 18:15:46,1,4294967296", 23},      //
      {"2023-11-16 18:15:46,1,1,1", 25},             // too many fields
      {"2023-11-16 18:15:46+1,1,1", 1},              // an offset of one digit
      {"2023-11-16 18:15:46+01:0,1,1", 1},           //
      {"2023-11-16 18:15:46+24:00,1,1", 1},          // no such offset
      {"2023-11-16 18:15:46+01:60,1,1", 1},          //
      {"2023-11-16 18:15:46 CET,1,1", 1},            //
      {"2023-11-16 18:15:46Z,1,1", 1},               // the previous one has no offset
      {"2023-11-16 18:15:46,1.0,1", 21},             //
      {"2023-11-16 18:15:46,\"1\",\"x\"", 26},       // behind the quote
      {"2023-11-16 18:15:46,1,", 23},                //
      {"2023-11-28 08:02:27,1,1", 1},                // 10^6 s after the first
  };
  for (const Mistake& one : mistakes) {
    const TraceError error = mistake(kHead + "2023-11-16 18:15:47,1,1\n\n" + one.line);
    EXPECT_EQ(error.line, 4U) << one.line;
    EXPECT_EQ(error.column, one.column) << one.line << ": " << error.what;
    EXPECT_FALSE(error.what.empty());
  }
  EXPECT_EQ(mistake("").line, 1U);
  EXPECT_EQ(mistake("time_ns,from,to,bytes\n").line, 1U);
}

TEST(RequestTrace, RefusesRulesThatCannotBe) {
  EXPECT_THROW(parseRequestTrace(kHead, {.ranks = 4, .prefill = 0}), Error);
  EXPECT_THROW(parseRequestTrace(kHead, {.ranks = 4, .prefill = 4}), Error);
  EXPECT_THROW(parseRequestTrace(kHead, {.bytes_per_token = 0}), Error);
  EXPECT_THROW(parseRequestTrace(kHead, {.bytes_per_token = 1ULL << 40}), Error);
}

}  // namespace
}  // namespace plumbline::workload
