// Traces in memory: the requested part, its rate, and the resulting load.
#include "serving/stored_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "base/hash64.h"
#include "serving/workload.h"

namespace plumbline::serving {
namespace {

using ::testing::ElementsAre;

constexpr const char* kText =
    "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    "2023-11-16 18:17:00,100,10\n"
    "2023-11-16 18:17:01,200,20\n"
    "2023-11-16 18:17:03,300,90\n"
    "2023-11-16 18:17:05,400,40\n";

StoredTrace stored(const TraceRules& rules, const char* text = kText) {
  std::istringstream stream(text);
  return StoredTrace::read(stream, "t.csv", rules);
}

std::vector<double> arrivals(const StoredTrace& trace) {
  std::vector<double> times;
  for (const Request& request : trace.requests()) times.push_back(request.arrival.toSeconds());
  return times;
}

TEST(StoredTrace, HasThePartThatIsAskedFor) {
  EXPECT_THAT(arrivals(stored({})), ElementsAre(0, 1, 3, 5));
  TraceRules rules;
  rules.skip = seconds(1);
  rules.requests = 2;
  EXPECT_THAT(arrivals(stored(rules)), ElementsAre(0, 2));
  rules.skip = seconds(5);
  EXPECT_THROW(stored(rules), Error);
}

TEST(StoredTrace, MeansAndRateAreThoseOfItsRequests) {
  const StoredTrace trace = stored({});
  EXPECT_EQ(trace.rate(), 3.0 / 5);
  EXPECT_EQ(trace.meanPrompt(), 250);
  EXPECT_EQ(trace.meanOutput(), 40);
  EXPECT_EQ(trace.maxOutput(), 90U);
  EXPECT_EQ(trace.length(), seconds(5));
  EXPECT_EQ(trace.extent().bytes, std::string(kText).size());
  EXPECT_EQ(trace.extent().hash, hash64(kText));
}

// The identity of trials depends on the requests, whatever their source.
TEST(StoredTrace, HashIsThatOfTheRequests) {
  std::string text = kText;
  const std::uint64_t hash = stored({}).hash();
  EXPECT_EQ(stored({}, (text + "# a comment\n").c_str()).hash(), hash);
  text.replace(text.find("400"), 3, "401");
  EXPECT_NE(stored({}, text.c_str()).hash(), hash);
  TraceRules rules;
  rules.requests = 3;
  EXPECT_NE(stored(rules).hash(), hash);
}

WorkloadSpec loadOf(StoredTrace trace) {
  WorkloadSpec spec;
  spec.arrivals.kind = ArrivalKind::kTrace;
  spec.prompt.kind = LengthKind::kTrace;
  spec.output.kind = LengthKind::kTrace;
  spec.trace = std::make_shared<const StoredTrace>(std::move(trace));
  return spec;
}

TEST(StoredTrace, TimesAreScaledToTheRateThatIsAskedFor) {
  WorkloadSpec spec = loadOf(stored({}));
  EXPECT_EQ(requestRate(spec), 0.6);
  setRequestRate(spec, 6);
  EXPECT_DOUBLE_EQ(requestRate(spec), 6);
  EXPECT_EQ(traceLength(spec), milliseconds(500));
  // Each run reads it from its beginning.
  for (int run = 0; run < 2; ++run) {
    Workload workload(spec, 1);
    EXPECT_EQ(workload.next()->arrival, Picoseconds());
    EXPECT_EQ(workload.next()->arrival, milliseconds(100));
    EXPECT_EQ(workload.next()->arrival, milliseconds(300));
    const auto last = workload.next();
    EXPECT_EQ(last->prompt, 400U);
    EXPECT_EQ(last->output, 40U);
    EXPECT_FALSE(workload.next());
  }
}

TEST(StoredTrace, LengthsWithoutTimesLastForTheirRequests) {
  WorkloadSpec spec = loadOf(stored({}));
  spec.arrivals.kind = ArrivalKind::kConstant;
  setRequestRate(spec, 8);
  EXPECT_EQ(traceLength(spec), milliseconds(500));
  EXPECT_EQ(meanPrompt(spec), 250);
  EXPECT_EQ(maxOutput(spec), 90U);
  spec.prompt = {};
  spec.output = {};
  EXPECT_THROW(check(spec, false), Error) << "nothing of the trace is used";
}

// A rate would be a division by zero.
TEST(StoredTrace, RequestsOfOneTimeHaveNoTimesToScale) {
  std::vector<Request> same(2);
  EXPECT_THROW(check(loadOf(StoredTrace(same)), false), Error);
  EXPECT_THROW(StoredTrace({Request()}), Error);
}

}  // namespace
}  // namespace plumbline::serving
