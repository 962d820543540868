// JSON in both directions: round trips, and validation of input from others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <variant>

#include "control/api_types.h"
#include "control/live_message.h"
#include "tests/control/openapi.h"

namespace plumbline::control {
namespace {

using testing::IsEmpty;

// The largest number that the schema validator supports.
constexpr std::uint64_t kLarge = std::numeric_limits<std::int64_t>::max();

LiveInterval fullInterval() {
  LiveInterval live;
  live.sequence = 3;
  live.time_ms = 1'772'000'000'123;
  live.run = 12;
  live.elapsed_s = 1.25;
  live.eta_s = 0.1;
  live.kpi = "loss 0 ppm, P99 1.25 µs";
  live.bench = "sim";
  live.observed = "modelled";
  live.trial = {"T5.2", "64 B, \"quoted\"", 1,         2,       8,       false,
                true,   1'000'000,          2'000'000, 500'000, {"late"}};
  live.ports = {{1, "host1", kLarge, 2, 3, 4, 5, 6, {{3, 5, 6}}, 7.5, 8.25}};
  live.flows = {{"a", 0, 1, 10, 9, 900, 1, 2, 3, 4, 5e9}};
  live.flow_count = 1;
  live.links = {{"leaf0-spine1", 400'000'000'000, true, 1, 2, 3, 4, 5, 6, 0.75}};
  live.link_count = 1;
  live.pauses = {{"leaf0-host1", 3, 10, 20, true}};
  live.pause_count = 5;
  live.latency = LiveLatency{3, 100, 300, 600, {{100, 2}, {4351, 1}}};
  live.congestion = {1, 2, 3, 4, 5, 6, 7, 8};
  live.fairness = {0.5, std::nullopt, 1.5};
  const LiveTtft ttft{2, 0.5, 0.0625, 0.125, 0.25, 0.03125, 0.03125};
  const LiveServingWorker worker{1, 2, 300, 4'000};
  live.serving = {{"tenant 2",
                   10,
                   8,
                   1,
                   0,
                   kLarge,
                   7,
                   700,
                   1,
                   std::nullopt,
                   ttft,
                   0.02,
                   0.03,
                   {6, 5, 4, ttft, 0.4, 0.5, std::nullopt, 0.02, 0.03, 0.04},
                   {2, {2, 4, 600, 8'000}, {worker, worker}},
                   {1, {std::nullopt, std::nullopt, std::nullopt, 4'000}, {}}}};
  return live;
}

TEST(LiveInterval, ComesBackAsItWas) {
  const LiveInterval live = fullInterval();
  const auto back = LiveInterval::fromJson(live.toJson());
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->toJson(), live.toJson());
  EXPECT_EQ(back->sequence, 3u);
  EXPECT_EQ(back->eta_s, 0.1);
  EXPECT_EQ(back->trial.label, "64 B, \"quoted\"");
  EXPECT_EQ(back->ports.at(0).tx_frames, kLarge);
  EXPECT_EQ(back->latency->delta.at(1).bucket, 4351u);
  EXPECT_EQ(back->fairness.flow_jfi, 0.5);
  EXPECT_EQ(back->fairness.link_jfi, std::nullopt);
  EXPECT_EQ(back->trial.faults, std::vector<std::string>{"late"});
  const LiveServing& system = back->serving.at(0);
  EXPECT_EQ(system.transferring, std::nullopt);
  EXPECT_EQ(system.measured.ttft_p99_s, std::nullopt);
  EXPECT_EQ(system.measured.itl_p95_s, 0.03);
  EXPECT_EQ(system.ttft->queue_s, 0.125);
  EXPECT_EQ(system.prefill.workers.at(1).pages_used, 300u);
  EXPECT_EQ(system.decode.all.waiting, std::nullopt);
}

TEST(LiveInterval, CountersHave64Bits) {
  LiveInterval live = fullInterval();
  live.ports[0].tx_frames = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(LiveInterval::fromJson(live.toJson())->ports.at(0).tx_frames,
            std::numeric_limits<std::uint64_t>::max());
}

TEST(LiveInterval, IsAsTheDescriptionSays) {
  EXPECT_THAT(openApiFaults("LiveInterval", fullInterval().toJson()), IsEmpty());
  LiveInterval bare;
  bare.sequence = 1;
  bare.run = 1;
  bare.observed = "tester";
  EXPECT_THAT(openApiFaults("LiveInterval", bare.toJson()), IsEmpty());
}

TEST(LiveInterval, WhatIsNoneIsRefused) {
  const std::string good = fullInterval().toJson();
  const auto broken = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return LiveInterval::fromJson(text.replace(at, from.size(), to)).has_value();
  };
  EXPECT_FALSE(broken("\"run\":12", "\"run\":\"12\""));
  EXPECT_FALSE(broken("\"run\":12", "\"run\":1.5"));
  EXPECT_FALSE(broken("\"run\":12", "\"run\":18446744073709551615"));
  EXPECT_FALSE(broken("\"sequence\":3", "\"sequence\":-3"));
  EXPECT_FALSE(broken("\"sequence\":3", "\"sequence\":true"));
  EXPECT_FALSE(broken("[4351,1]", "[7424,1]"));  // no such bucket
  EXPECT_FALSE(broken("[4351,1]", "[4351]"));
  EXPECT_FALSE(broken("\"kpi\"", "\"kpj\""));
  EXPECT_TRUE(broken("\"kpi\"", "\"newer\":1,\"kpi\""));  // a newer server may say more
  for (const char* text : {"", "{}", "[]", "null", "1", "{\"sequence\":1}", "{", "\xff"}) {
    EXPECT_FALSE(LiveInterval::fromJson(text).has_value()) << text;
  }
}

TEST(LiveInterval, LatencyDeltasAddUp) {
  std::vector<std::uint64_t> counts;
  addLatency({3, 0, 0, 0, {{7, 2}, {9, 1}}}, counts);
  addLatency({5, 0, 0, 0, {{9, 1}, {4351, 1}}}, counts);
  ASSERT_EQ(counts.size(), stats::kHistogramBuckets);
  EXPECT_EQ(counts[7], 2u);
  EXPECT_EQ(counts[9], 2u);
  EXPECT_EQ(counts[4351], 1u);
}

TEST(LiveMessage, EachKindIsKnownAgain) {
  const LiveInterval live = fullInterval();
  RunState run;
  run.id = 4;
  run.status = "done";
  run.exit_code = 1;
  for (const std::string& text :
       {toMessage(LiveHello{"i", 2, 3}), toMessage(live), toMessage(run), toMessage(LiveLost{9})}) {
    EXPECT_THAT(openApiFaults("LiveMessage", text), IsEmpty()) << text;
    const auto message = parseMessage(text);
    ASSERT_TRUE(message.has_value()) << text;
    std::visit([&](const auto& content) { EXPECT_EQ(toMessage(content), text); }, *message);
  }
  for (const char* text : {"", "{}", "[1]", R"({"type":"interval"})", R"({"type":"other"})",
                           R"({"type":3})", R"({"type":"lost","count":-1})"}) {
    EXPECT_FALSE(parseMessage(text).has_value()) << text;
  }
}

TEST(Requests, MayLeaveOutWhatHasADefault) {
  RunRequest request;
  EXPECT_EQ(readRequest(R"({"scenario":{"name":"quickstart"},"capture_port":2})", request), "");
  EXPECT_EQ(request.scenario.name, "quickstart");
  EXPECT_EQ(request.capture_port, 2u);
  EXPECT_EQ(request.threads, 1u);
  EXPECT_EQ(request.reservation, std::nullopt);
  EXPECT_FALSE(request.resume);
  EXPECT_FALSE(request.start.has_value());
  EXPECT_EQ(readRequest(R"({"resume":true,"start":{"at_ns":1790000000000000001}})", request), "");
  EXPECT_TRUE(request.resume);
  EXPECT_EQ(request.start->at_ns, 1'790'000'000'000'000'001);
  EXPECT_FALSE(request.start->hold_s.has_value());
  EXPECT_FALSE(request.start->clock_offset_ns.has_value());
}

TEST(Requests, SayWhatIsWrongWithThem) {
  RunRequest request;
  request.owner = "as before";
  const auto fault = [&request](const char* text) { return readRequest(text, request); };
  EXPECT_EQ(fault("{").substr(0, 31), "the document is not JSON: byte ");
  EXPECT_EQ(fault(R"({"a": "\ud83d"})"), "the document is not JSON: byte 14");
  EXPECT_EQ(fault(R"({"a": 1e999})"), "the document is not JSON");
  EXPECT_EQ(fault("[]"), "the document is not an object");
  EXPECT_EQ(fault(R"({"scenario":{"bnech":"sim"}})"), "\"scenario.bnech\" is not known here");
  EXPECT_EQ(fault(R"({"threads":-1})"), "\"threads\" is out of range");
  EXPECT_EQ(fault(R"({"threads":4294967296})"), "\"threads\" is out of range");
  EXPECT_EQ(fault(R"({"threads":1.0})"), "\"threads\" is not a whole number");
  EXPECT_EQ(fault(R"({"owner":null})"), "\"owner\" is not a text");
  EXPECT_EQ(fault(R"({"scenario":[]})"), "\"scenario\" is not an object");
  EXPECT_EQ(fault(R"({"start":{"at_ns":1.5}})"), "\"start.at_ns\" is not a whole number");
  EXPECT_EQ(fault(R"({"start":{"at":1}})"), "\"start.at\" is not known here");
  EXPECT_EQ(fault(R"({"owner":"a","owner":"a"})"), "\"owner\" is there twice");
  EXPECT_EQ(fault(R"({"owner":"a","scenario":{"name":"b","\u006eame":"c"}})"),
            "\"scenario.name\" is there twice");
  EXPECT_EQ(request.owner, "as before");
}

TEST(Answers, TextThatIsNoUtf8IsStillJson) {
  Refusal refusal;
  refusal.status = 400;
  refusal.what = "\xff\xfe";
  Refusal back;
  EXPECT_TRUE(fromJson(toJson(refusal), back));
  EXPECT_EQ(back.status, 400);
  EXPECT_THAT(openApiFaults("Refusal", toJson(refusal)), IsEmpty());
}

TEST(OpenApi, NoticesWhatIsWrong) {
  EXPECT_THAT(openApiFaults("Refusal", R"({"status":"x"})"), testing::Not(IsEmpty()));
  EXPECT_THAT(openApiFaults("LiveHello",
                            R"({"type":"hello","instance":"i","oldest":0,"latest":0,"more":1})"),
              testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace plumbline::control
