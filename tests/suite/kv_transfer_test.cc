// Transfers of KV caches: the same messages for endpoints, card and simulated hosts, and the times
// that each of them can observe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/inference/inference.h"
#include "tests/suite/scripted_card.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using bench::TrialResult;
using bench::TrialSpec;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kKiB = 1024;
// Of a WRITE over IPv4 around its payload; without RETH 16 B less. Preamble and gap are 20 B more.
constexpr std::int64_t kHeaders = 14 + 20 + 8 + 12 + 16 + 4 + 4;

scenario::Scenario transfers(std::vector<Bytes> sizes) {
  scenario::Scenario scenario = onALink();
  scenario.tests = {"kv-transfer"};
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.topology.host_link_delay = nanoseconds(500);
  scenario.traffic.qps = {4};
  scenario.parameters.sizes = std::move(sizes);
  scenario.parameters.iterations = 20;
  scenario.parameters.repetitions = 2;
  return scenario;
}

bench::Capabilities endpoints() {
  bench::Capabilities bench = someBench();
  bench.line_rate = gigabitsPerSecond(100);
  bench.messages = true;
  bench.simulated_dut = false;
  bench.max_frame = Bytes(std::int64_t{8} << 30);
  bench.max_qps = 256;
  bench.observed = ObservationPoint::kEndpointSoftware;
  return bench;
}

// Every frame or message took a microsecond, but one that took three; `lost` of 1000 did not come.
TrialResult answer(const TrialSpec& spec, std::uint64_t lost) {
  TrialResult result = nothingWrong(spec);
  for (bench::StreamResult& stream : result.streams) {
    stream.received_frames -= lost;
    stream.lost = lost;
  }
  bench::GroupLatency latency;
  for (int i = 0; i < 19; ++i) latency.histogram.record(1'000'000);
  latency.histogram.record(3'000'000);
  result.latency.push_back(std::move(latency));
  return result;
}

TEST(KvTransfer, AsksCardAndEndpointsForTheSameMessages) {
  const scenario::Scenario scenario = transfers({Bytes(64), Bytes(64 * kKiB)});
  for (const bench::Capabilities& bench : {aCard(), endpoints()}) {
    Scripted runner([](const TrialSpec& spec) { return answer(spec, 0); });
    kvTransferProcedure().run({scenario, bench}, runner);
    ASSERT_EQ(runner.asked.size(), 8U);  // 2 sizes, alone and at line rate, twice
    const bench::StreamSpec& small = runner.asked[0].streams.at(0);
    EXPECT_EQ(small.frame, Bytes(kHeaders + 64));
    EXPECT_FALSE(small.queue_pairs);
    EXPECT_EQ(small.format.qps, 1U);
    EXPECT_EQ(std::get<bench::BurstLoad>(small.load).bursts, 20U);
    const bench::StreamSpec& large = runner.asked[2].streams.at(0);
    EXPECT_EQ(large.frame, Bytes(kHeaders + 4096));
    ASSERT_TRUE(large.queue_pairs);
    EXPECT_EQ(large.queue_pairs->message, Bytes(64 * kKiB));
    EXPECT_EQ(large.queue_pairs->message_frames, 16U);
    EXPECT_EQ(std::get<bench::BurstLoad>(large.load).frames, 16U);
    const bench::StreamSpec& loaded = runner.asked[6].streams.at(0);
    EXPECT_EQ(loaded.format.qps, 4U);
    EXPECT_EQ(std::get<bench::ConstantLoad>(loaded.load).rate, Fraction::one());
    EXPECT_EQ(loaded.queue_pairs->message, Bytes(64 * kKiB));
  }
}

TEST(KvTransfer, EndpointsTellTimesOfWholeMessages) {
  const scenario::Scenario scenario = transfers({Bytes(64 * kKiB)});
  Scripted runner([](const TrialSpec& spec) { return answer(spec, 250); });
  const auto result = kvTransferProcedure().run({scenario, endpoints()}, runner);
  const std::string alone = "64 KiB, 1 QP, one at a time";
  ASSERT_NE(findKpi(result, "transfer_p50_us", alone), nullptr);
  EXPECT_NEAR(findKpi(result, "transfer_p50_us", alone)->quantity.value, 1, 0.01);
  EXPECT_NEAR(findKpi(result, "transfer_max_us", alone)->quantity.value, 3, 0.01);
  EXPECT_NEAR(findKpi(result, "transfer_p99_less_p50_us", alone)->quantity.value, 2, 0.02);
  EXPECT_EQ(findKpi(result, "transfer_p50_us", alone)->quantity.observed,
            ObservationPoint::kEndpointSoftware);
  // 750 messages in the duration of a trial: the test's own choice.
  const std::string loaded = "64 KiB, 4 QPs, line rate";
  const double seconds = runner.asked.back().duration.toSeconds();
  ASSERT_NE(findKpi(result, "kv_gigabytes_per_s", loaded), nullptr);
  EXPECT_NEAR(findKpi(result, "kv_gigabytes_per_s", loaded)->quantity.value,
              750.0 * 65'536 / seconds / 1e9, 1e-9);
  EXPECT_NEAR(findKpi(result, "arrived_percent", loaded)->quantity.value, 75, 1e-9);
  // A message that is late at the end was too slow for line rate: there is no drain.
  EXPECT_EQ(runner.asked.back().drain, Picoseconds());
}

TEST(KvTransfer, TheCardTellsBoundsOfMessagesOfSeveralFrames) {
  const scenario::Scenario scenario = transfers({Bytes(4 * kKiB), Bytes(10'000)});
  bench::Capabilities card = aCard();
  card.line_rate = gigabitsPerSecond(100);
  Scripted runner([](const TrialSpec& spec) { return answer(spec, 0); });
  const auto result = kvTransferProcedure().run({scenario, card}, runner);
  // One frame: its latency, and its bits at 12.5 B/ns.
  const std::string one = "4 KiB, 1 QP, one at a time";
  const double frame_us = (kHeaders + 4096) / 12.5 / 1e3;
  ASSERT_NE(findKpi(result, "transfer_p50_us", one), nullptr);
  EXPECT_NEAR(findKpi(result, "transfer_p50_us", one)->quantity.value, 1 + frame_us, 0.01);
  // 10,000 B are three frames: two slots, and 1,808 B of payload without RETH at last.
  const std::string three = "10000 B, 1 QP, one at a time";
  const double wire_us = (2 * (kHeaders + 4096 + 20) + (kHeaders - 16 + 1808)) / 12.5 / 1e3;
  ASSERT_NE(findKpi(result, "transfer_min_us", three), nullptr);
  EXPECT_NEAR(findKpi(result, "transfer_min_us", three)->quantity.value, 1 + wire_us, 0.001);
  EXPECT_NEAR(findKpi(result, "transfer_max_us", three)->quantity.value, 3 + wire_us, 0.001);
  for (const char* absent : {"transfer_mean_us", "transfer_p50_us", "transfer_p99_us",
                             "transfer_p999_us", "transfer_p99_less_p50_us"}) {
    EXPECT_EQ(findKpi(result, absent, three), nullptr) << absent;
  }
  EXPECT_THAT(deviations(result),
              HasSubstr("percentiles of the time of messages of several frames"));
}

TEST(KvTransfer, RefusesWhatCannotBe) {
  const auto refusals = [](std::vector<Bytes> sizes, const bench::Capabilities& bench) {
    const scenario::Scenario scenario = transfers(std::move(sizes));
    const Plan plan = kvTransferProcedure().plan({scenario, bench});
    return plan.refusals.empty() ? std::string() : plan.refusals.front();
  };
  EXPECT_EQ(refusals({Bytes(64)}, aCard()), "");
  EXPECT_THAT(refusals({Bytes(65)}, aCard()), HasSubstr("padding"));
  EXPECT_THAT(refusals({Bytes(std::int64_t{1} << 30)}, aCard()), HasSubstr("65535"));
  EXPECT_EQ(refusals({Bytes(std::int64_t{1} << 30)}, endpoints()), "");
  scenario::Scenario udp = transfers({Bytes(64)});
  udp.traffic.format.transport = bench::Transport::kUdp;
  EXPECT_THAT(kvTransferProcedure().plan({udp, aCard()}).refusals.at(0), HasSubstr("rocev2"));
}

// Loads of a scenario are background where the card has further ports. Without them they are
// refused, but beside other tests they belong to these, and the background is a deviation.
TEST(KvTransfer, LoadsWithoutFurtherPortsBelongToOtherTests) {
  scenario::Scenario scenario = transfers({Bytes(64)});
  scenario.parameters.loads = {Fraction::percent(50)};
  EXPECT_THAT(kvTransferProcedure().plan({scenario, endpoints()}).refusals,
              ElementsAre(HasSubstr("parameters.loads")));
  scenario.tests = {"T5.2", "kv-transfer"};
  const Plan plan = kvTransferProcedure().plan({scenario, endpoints()});
  EXPECT_THAT(plan.refusals, IsEmpty());
  scenario.parameters.loads.reset();
  EXPECT_EQ(plan.points, kvTransferProcedure().plan({scenario, endpoints()}).points);
}

// On the simulated link all parts are known: the frames there, the propagation, and the way back of
// the acknowledgement, which has no payload and so takes less than a full frame.
TEST(KvTransfer, SimulatedHostsTellTimesOverTheirTransport) {
  const scenario::Scenario scenario = transfers({Bytes(4 * kKiB), Bytes(64 * kKiB)});
  SimRunner runner;
  runner.bench = bench::SimBench({.line_rate = gigabitsPerSecond(100)});
  const auto result = kvTransferProcedure().run({scenario, runner.bench.capabilities()}, runner);
  EXPECT_TRUE(result.valid);
  for (const std::int64_t frames : {1, 16}) {
    const std::string size = frames == 1 ? "4 KiB" : "64 KiB";
    const auto* p50 = findKpi(result, "transfer_p50_us", size + ", 1 QP, one at a time");
    ASSERT_NE(p50, nullptr);
    const double there_us =
        static_cast<double>((frames - 1) * (62 + 4096 + 20) + 62 + 4096) / 12.5 / 1e3;
    EXPECT_GT(p50->quantity.value, there_us + 2 * 0.5);
    EXPECT_LT(p50->quantity.value, there_us + 2 * 0.5 + 0.1);
    EXPECT_EQ(p50->quantity.observed, ObservationPoint::kModelled);
    // At line rate the wire is the limit: of 4,178 B in a slot 4,096 are payload.
    const auto* rate = findKpi(result, "kv_gigabytes_per_s", size + ", 4 QPs, line rate");
    ASSERT_NE(rate, nullptr);
    EXPECT_LT(rate->quantity.value, 12.5 * 4096 / 4178);
    EXPECT_GT(rate->quantity.value, 12.5 * 4096 / 4178 * 0.85);
    EXPECT_EQ(findKpi(result, "arrived_percent", size + ", 4 QPs, line rate"), nullptr);
  }
  EXPECT_THAT(deviations(result), HasSubstr("share of the offered messages"));
}

}  // namespace
}  // namespace plumbline::suite
