// A serving system on the packet-level fabric: KV cache crosses it as messages of the transport.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/sim/sim_bench.h"
#include "serving/spec_fields.h"
#include "tests/serving/serving_setup.h"
#include "tests/sim/stack.h"
#include "transport/roce/roce_spec.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::sim::testing {
namespace {

using bench::TrialResult;
using serving::RequestRecord;
using ::testing::HasSubstr;

// Bytes of a frame of RDMA Write with `payload`: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4,
// FCS 4; RETH 16 in the first packet of a message, immediate 4 in the last one.
std::int64_t frameBytes(std::int64_t payload, bool first, bool last) {
  return 62 + payload + (first ? 16 : 0) + (last ? 4 : 0);
}

// From the first bit on the sender's wire to the last bit at the receiver, over one cable: frames
// follow each other with preamble and gap (20 bytes).
Picoseconds messageTime(std::int64_t bytes, BitRate rate, Picoseconds delay) {
  constexpr std::int64_t kMtu = 4096;
  const auto bitTime = [&](std::int64_t octets) {
    return Picoseconds(
        static_cast<std::int64_t>(Int128{octets} * 8 * 1'000'000'000'000 / rate.bitsPerSecond()));
  };
  std::int64_t wire = 0;
  for (std::int64_t at = 0; at < bytes; at += kMtu) {
    const std::int64_t payload = std::min(kMtu, bytes - at);
    const bool last = at + kMtu >= bytes;
    wire += frameBytes(payload, at == 0, last) + (last ? 0 : 20);
  }
  return bitTime(wire) + delay;
}

// Prefill and decode on the two hosts of a cable.
TrialSpec cable() {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kLink;
  spec.dut.topology.link_rate = gigabitsPerSecond(400);
  spec.dut.topology.host_link_delay = nanoseconds(500);
  spec.transport = transport::RoceSpec{};
  auto& program = spec.serving.emplace();
  program.system = serving::plainSpec();
  program.system.reaction = microseconds(5);
  program.system.router.delay = microseconds(50);
  program.queue_pairs = 1;
  return spec;
}

TrialResult runTrial(const TrialSpec& spec, unsigned threads = 1) {
  bench::SimBench bench({.line_rate = spec.dut.topology.link_rate, .threads = threads});
  return bench.run(spec, {});
}

Picoseconds inStage(const RequestRecord& record, serving::Stage stage) {
  return record.first_stages[static_cast<std::size_t>(stage)];
}

// Fails to compile when a struct gets a member, as a reminder to declare its field: undeclared ones
// are not part of a trial's key.
[[maybe_unused]] void membersAsOfThisTest(serving::ServingProgram& p) {
  // `slo` is for observers of the trial and does not change results.
  [[maybe_unused]] auto& [p1, p2, p3, p4, p5] = p;
  // Without `times` and the workload's `trace`, of which the key has hashes, and `check_every`,
  // which changes no result.
  [[maybe_unused]] auto& [s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16,
                          s17] = p.system;
  [[maybe_unused]] auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
                          m17, m18, m19] = p.system.model;
  [[maybe_unused]] auto& [a1, a2, a3, a4, a5, a6, a7] = p.system.accelerator;
  [[maybe_unused]] auto& [e1, e2, e3, e4, e5, e6] = p.system.efficiency;
  [[maybe_unused]] auto& [v1, v2, v3, v4, v5, v6, v7] = p.system.servers;
  [[maybe_unused]] auto& [o1, o2, o3] = p.system.servers.prefill;
  [[maybe_unused]] auto& [k1, k2, k3] = p.system.memory;
  [[maybe_unused]] auto& [c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11] = p.system.scheduler;
  [[maybe_unused]] auto& [t1, t2, t3, t4, t5, t6, t7] = p.system.transfer;
  [[maybe_unused]] auto& [r1, r2, r3, r4, r5, r6, r7, r8, r9, r10] = p.system.router;
  [[maybe_unused]] auto& [w1, w2, w3, w4, w5] = p.system.window;
  [[maybe_unused]] auto& [z1, z2, z3, z4] = p.system.scaling;
  [[maybe_unused]] auto& [l1, l2, l3, l4, l5, l6] = p.workload;
  [[maybe_unused]] auto& [x1, x2, x3, x4] = p.workload.prefix;
}

TEST(ServingOnTheFabric, EveryFieldIsDeclared) {
  using spec::fieldsOf;
  EXPECT_EQ(fieldsOf<serving::ServingProgram>().size(), 4U);
  EXPECT_EQ(fieldsOf<serving::ServingSpec>().size(), 15U);
  EXPECT_EQ(fieldsOf<serving::ModelProfile>().size(), 19U);
  EXPECT_EQ(fieldsOf<serving::AcceleratorProfile>().size(), 7U);
  EXPECT_EQ(fieldsOf<serving::Efficiency>().size(), 6U);
  EXPECT_EQ(fieldsOf<serving::MappingSpec>().size(), 7U);
  EXPECT_EQ(fieldsOf<serving::PoolShape>().size(), 3U);
  EXPECT_EQ(fieldsOf<serving::KvMemory>().size(), 3U);
  EXPECT_EQ(fieldsOf<serving::SchedulerSpec>().size(), 11U);
  EXPECT_EQ(fieldsOf<serving::TransferSpec>().size(), 7U);
  EXPECT_EQ(fieldsOf<serving::RouterSpec>().size(), 10U);
  EXPECT_EQ(fieldsOf<serving::WindowSpec>().size(), 5U);
  EXPECT_EQ(fieldsOf<serving::ScalingSpec>().size(), 4U);
  EXPECT_EQ(fieldsOf<serving::WorkloadSpec>().size(), 5U);
  EXPECT_EQ(fieldsOf<serving::PrefixSpec>().size(), 4U);
}

TEST(ServingOnTheFabric, AnIdleTransferTakesItsTimeOnTheWireToThePicosecond) {
  for (const std::uint32_t tokens : {1U, 16U, 1000U, 4096U}) {
    TrialSpec spec = cable();
    spec.serving->workload = serving::fixedWorkload(1, tokens, 2, 3);
    const TrialResult result = runTrial(spec);
    ASSERT_TRUE(result.valid()) << result.faults.front();
    ASSERT_EQ(result.serving->requests.size(), 3U);
    for (const RequestRecord& record : result.serving->requests) {
      const auto bytes = static_cast<std::int64_t>(tokens) * 131'072;
      const Picoseconds wire = messageTime(bytes, gigabitsPerSecond(400), nanoseconds(500));
      EXPECT_EQ(record.last_arrival - record.first_post, wire) << tokens;
      // TTFT = router + prefill + reaction and wire + one step.
      EXPECT_EQ(record.first_token - record.arrival, microseconds(50) + microseconds(100) * tokens +
                                                         microseconds(5) + wire + milliseconds(2));
      EXPECT_EQ(inStage(record, serving::Stage::kTransfer), microseconds(5) + wire);
    }
  }
}

// Layer by layer the transfer is hidden except for the last layer where a layer's prefill takes
// longer than its wire time; where the wire is slower, it is hidden for the prefill time of the
// other layers.
TEST(ServingOnTheFabric, LayersHideBehindPrefill) {
  constexpr std::int64_t kLayers = 32;
  constexpr std::int64_t kTokens = 1024;
  for (const std::int64_t gbps : {400, 4}) {
    TrialSpec spec = cable();
    const BitRate rate = gigabitsPerSecond(gbps);
    spec.dut.topology.link_rate = rate;
    spec.serving->system.transfer.unit = serving::TransferUnit::kLayer;
    spec.serving->workload = serving::fixedWorkload(1, kTokens, 2, 1);
    const TrialResult result = runTrial(spec);
    const RequestRecord& record = result.serving->requests.front();
    const std::int64_t layer = kTokens * 131'072 / kLayers;
    const Picoseconds wire = messageTime(layer, rate, Picoseconds());
    const Picoseconds prefill = microseconds(100) * kTokens;
    const Picoseconds exposed = serving::layerwiseExposure(prefill, wire, kLayers);
    const Picoseconds measured = inStage(record, serving::Stage::kTransfer);
    // The model has neither reaction and propagation nor preamble and gap between messages, which
    // count where the wire is slower: 20 bytes each.
    const Picoseconds gaps = gbps == 4 ? nanoseconds(40) * (kLayers - 1) : Picoseconds();
    EXPECT_EQ(measured, exposed + microseconds(5) + nanoseconds(500) + gaps) << gbps;
    EXPECT_EQ(result.serving->messages, 32U);
  }
}

TEST(ServingOnTheFabric, EveryThreadCountGivesTheSameBytes) {
  TrialSpec spec = cable();
  spec.dut = leafSpine(4, 2, 4, gigabitsPerSecond(100), nanoseconds(200));
  auto& program = *spec.serving;
  program.system.servers.prefill = {2, 4, 1};
  program.system.servers.decode = {2, 4, 1};
  program.system.servers.gpus = program.system.servers.nics = 4;
  program.system.transfer.unit = serving::TransferUnit::kLayer;
  program.workload = serving::fixedWorkload(200, 512, 20, 40);
  program.queue_pairs = 4;
  const TrialResult one = runTrial(spec);
  TrialResult several = runTrial(spec, 3);
  ASSERT_TRUE(one.valid());
  several.wall_seconds = one.wall_seconds;
  several.fabric->peak_rss_bytes = one.fabric->peak_rss_bytes;
  EXPECT_EQ(one.toJson(), several.toJson());
  for (const RequestRecord& record : one.serving->requests) EXPECT_TRUE(record.finished());
}

TEST(ServingOnTheFabric, AResultIsStoredAndReadWhole) {
  TrialSpec spec = cable();
  spec.serving->workload = serving::fixedWorkload(50, 128, 4, 20);
  spec.serving->system.window.measure = milliseconds(200);
  const std::string text = runTrial(spec).toJson();
  EXPECT_EQ(TrialResult::fromJson(text).toJson(), text);
}

// Ten samples of each kind and one at the end; the fabric's have the recovery counters.
TEST(ServingOnTheFabric, SamplesAreStoredAndReadWhole) {
  TrialSpec spec = cable();
  spec.serving->workload = serving::fixedWorkload(50, 128, 4, UINT64_MAX);
  spec.serving->system.window = {Picoseconds(), milliseconds(200), seconds(1), true,
                                 milliseconds(20)};
  spec.sampling.emplace().interval = milliseconds(20);
  const TrialResult result = runTrial(spec);
  ASSERT_EQ(result.serving->samples.size(), 11U);
  ASSERT_GE(result.fabric->samples->samples.size(), 10U);
  ASSERT_TRUE(result.fabric->samples->samples.front().recovery);
  EXPECT_EQ(result.fabric->samples->samples.front().recovery->resent, 0U);
  const std::string text = result.toJson();
  EXPECT_EQ(TrialResult::fromJson(text).toJson(), text);
  // Results of older programs lack these counts: they are absent then, not 0.
  std::string old = text;
  const std::string counts = ",[0,0,0]]";
  for (auto at = old.find(counts); at != std::string::npos; at = old.find(counts)) {
    old.replace(at, counts.size(), "]");
  }
  EXPECT_FALSE(TrialResult::fromJson(old).fabric->samples->samples.front().recovery);
}

TEST(ServingOnTheFabric, BytesOnTheWireAreThoseOfTheModel) {
  TrialSpec spec = cable();
  spec.serving->workload = serving::fixedWorkload(100, 100, 1, 10);
  const TrialResult result = runTrial(spec);
  EXPECT_EQ(result.serving->bytes, 10U * 100 * 131'072);
  EXPECT_EQ(result.fabric->endpoints.payload_received, result.serving->bytes);
}

TEST(ServingOnTheFabric, UltraEthernetCarriesItToo) {
  TrialSpec spec = cable();
  transport::UetSpec uet;
  uet.base_rtt = microseconds(2);
  spec.transport = uet;
  spec.serving->workload = serving::fixedWorkload(100, 100, 4, 10);
  const TrialResult result = runTrial(spec);
  ASSERT_TRUE(result.valid()) << result.faults.front();
  EXPECT_EQ(result.fabric->endpoints.payload_received, 10U * 100 * 131'072);
  for (const RequestRecord& record : result.serving->requests) EXPECT_TRUE(record.finished());
}

// A queue pair of another job on the same wire takes every other turn.
TEST(ServingOnTheFabric, BackgroundOnTheSameNicHalvesTheRate) {
  TrialSpec spec = cable();
  spec.serving->workload = serving::fixedWorkload(1, 4096, 2, 1);
  const auto wireTime = [&] {
    const TrialResult result = runTrial(spec);
    const RequestRecord& record = result.serving->requests.front();
    return static_cast<double>((record.last_arrival - record.first_post).count());
  };
  const double alone = wireTime();
  spec.workload.emplace().jobs = {messagesTo(1, {0}, 64U << 20, 10'000)};
  EXPECT_NEAR(wireTime() / alone, 2, 0.01);
}

// RDMA Read: the decode side sends a request, which costs an additional crossing.
TEST(ServingOnTheFabric, AReadTakesTheWayOfTheRequestMore) {
  TrialSpec spec = cable();
  spec.serving->workload = serving::fixedWorkload(1, 16, 2, 1);
  const Picoseconds written = [&] {
    const TrialResult result = runTrial(spec);
    const RequestRecord& record = result.serving->requests.front();
    return record.last_arrival - record.first_post;
  }();
  spec.serving->system.transfer.verb = serving::TransferVerb::kRead;
  const TrialResult result = runTrial(spec);
  const RequestRecord& record = result.serving->requests.front();
  const Picoseconds read = record.last_arrival - record.first_post;
  // A request packet of 78 bytes on the wire and its way; the response has neither RETH nor
  // immediate, but an AETH in its first and last packet.
  const double more = static_cast<double>((read - written).count());
  EXPECT_NEAR(more, 78 * 20.0 + 500e3, 1e3);
}

// A message that its sender has given up: its request fails, others continue.
TEST(ServingOnTheFabric, LostKvCacheFailsItsRequest) {
  TrialSpec spec = cable();
  transport::RoceSpec roce;
  roce.retry_count = 1;
  spec.transport = roce;
  fabric::BitErrorSpec errors;
  errors.link = "*";
  errors.rate = 1e-3;  // no packet of 4096 bytes gets through
  spec.dut.bit_errors = {errors};
  spec.serving->workload = serving::fixedWorkload(100, 64, 4, 5);
  const TrialResult result = runTrial(spec);
  EXPECT_FALSE(result.valid());
  EXPECT_THAT(result.faults.front(), HasSubstr("messages of KV cache failed"));
  ASSERT_EQ(result.serving->requests.size(), 5U);
  for (const RequestRecord& record : result.serving->requests) {
    EXPECT_EQ(record.outcome, serving::Outcome::kFailed);
    EXPECT_EQ(record.first_token, serving::kNever);
  }
}

TEST(ServingOnTheFabric, WhatCannotBeIsRefused) {
  const bench::SimBench bench({});
  const auto refusal = [&](const auto& change) {
    TrialSpec spec = cable();
    spec.serving->workload = serving::fixedWorkload(1, 16, 2, 1);
    change(spec);
    const auto refusals = bench.refusals(spec);
    return refusals.empty() ? std::string() : refusals.front();
  };
  EXPECT_EQ(refusal([](TrialSpec&) {}), "");
  EXPECT_THAT(refusal([](TrialSpec& spec) { spec.serving->system.servers.decode.workers = 2; }),
              HasSubstr("NIC 2 would be host 2"));
  EXPECT_THAT(refusal([](TrialSpec& spec) { spec.serving->system.reaction = Picoseconds(); }),
              HasSubstr("reaction time above 0"));
  EXPECT_THAT(refusal([](TrialSpec& spec) { spec.serving->queue_pairs = 0; }),
              HasSubstr("1 to 256"));
  EXPECT_THAT(refusal([](TrialSpec& spec) {
                spec.serving->hosts = {0, 0};
              }),
              HasSubstr("each host once"));
  EXPECT_THAT(refusal([](TrialSpec& spec) {
                transport::RoceSpec roce;
                roce.service = transport::RoceService::kUc;
                spec.transport = roce;
              }),
              HasSubstr("a transport that acknowledges"));
}

}  // namespace
}  // namespace plumbline::sim::testing
