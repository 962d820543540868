// The closed forms of docs/methods on fabrics that no document names: rates, cables, switches,
// sizes and numbers of hosts at random. Expected values are arithmetic of frames, stores and
// propagation, and nothing of the product's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "suite/inference/inference.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

constexpr int kPayload = 4096;
constexpr int kRoceFrame = 4158;  // Ethernet, IPv4, UDP, BTH, ICRC, FCS
constexpr int kRoceSlot = 4178;   // with preamble and gap
constexpr int kReth = 16;         // of a message's first packet

constexpr int kFabrics = 40;

// A two-tier Clos. Times in ns, rates in bits per ns.
struct RandomFabric {
  explicit RandomFabric(RandomStream& random) {
    const auto one = [&random](const auto& values) { return values[random.below(values.size())]; };
    rate = one(std::vector<int>{25, 50, 100, 200, 400, 800});
    fabric_rate = rate * one(std::vector<int>{1, 1, 2});
    const int host_cable = one(std::vector<int>{1, 50, 123, 500, 2000});
    const int fabric_cable = one(std::vector<int>{10, 250, 777, 5000});
    const int latency = one(std::vector<int>{50, 300, 600, 1111});
    path = 2 * host_cable + 2 * fabric_cable + 3 * latency;
    leaves = one(std::vector<std::uint32_t>{3, 4, 5, 8, 11});
    scenario.bench = "sim";
    scenario.profile = scenario::Profile::kQuick;
    scenario.seed = random.next();
    fabric::TopologySpec& topology = scenario.topology;
    topology.kind = fabric::TopologyKind::kClos2;
    topology.leaves = leaves;
    topology.spines = one(std::vector<std::uint32_t>{3, 4, 8});
    topology.hosts_per_leaf = 1;  // no two flows on a link
    topology.link_rate = gigabitsPerSecond(rate);
    topology.fabric_rate = gigabitsPerSecond(fabric_rate);
    topology.host_link_delay = nanoseconds(host_cable);
    topology.fabric_link_delay = nanoseconds(fabric_cable);
    scenario.switches.latency = nanoseconds(latency);
    scenario.switches.shared_buffer.emplace().total = Bytes(64'000'000);
    scenario.parameters.repetitions = 1;
    text = fmt::format("{} G hosts, {} G fabric, {} + {} ns of cable, {} ns of switch, {} leaves",
                       rate, fabric_rate, host_cable, fabric_cable, latency, leaves);
  }

  // Of `bytes` on a host's link.
  [[nodiscard]] double onHostLink(double bytes) const { return bytes * 8 / rate; }
  // At the host, both switches of a leaf and the spine.
  [[nodiscard]] double stores(double frame) const {
    return 2 * frame * 8 / rate + 2 * frame * 8 / fabric_rate;
  }
  // A message of whole packets, from its post until its last bit is stored at the other end. The
  // RETH holds back what follows it at each store.
  [[nodiscard]] double message(int packets) const {
    return onHostLink((packets - 1.0) * kRoceSlot) + stores(kReth) + stores(kRoceFrame) + path;
  }

  scenario::Scenario scenario;
  int rate = 0;
  int fabric_rate = 0;
  double path = 0;  // propagation and switches
  std::uint32_t leaves = 0;
  std::string text;
};

// A rank's ACKs go the other way over the links of its data, where a packet waits for at most one.
constexpr int kAckSlot = 86;

TEST(ClosedForms, ARingTakesItsSteps) {
  RandomStream random(1, "ring");
  for (int i = 0; i < kFabrics; ++i) {
    RandomFabric fabric(random);
    const auto ranks = static_cast<std::uint32_t>(2 + random.below(fabric.leaves - 1));
    const int packets = std::vector<int>{1, 2, 5, 16, 40}[random.below(5)];
    const double size = static_cast<double>(ranks) * packets * kPayload;
    fabric.scenario.parameters.ranks = {ranks};
    fabric.scenario.parameters.sizes = {{Bytes(static_cast<std::int64_t>(size))}};
    fabric.scenario.parameters.iterations = 5;
    fabric.scenario.parameters.balancing = {{"spray"}};
    const results::TestResult result = runTest(allReduceProcedure(), fabric.scenario);
    double measured = 0;
    for (const results::Kpi& one : result.kpis) {
      if (one.name == "busbw_gbps") measured = one.quantity.value;
    }
    const auto bandwidth = [&](double step) {
      return size * 8 / (2 * (ranks - 1.0) * step) * 2 * (ranks - 1) / ranks;
    };
    const double step = fabric.message(packets);
    EXPECT_LE(measured, bandwidth(step) * 1.0001) << fabric.text;
    EXPECT_GE(measured, bandwidth(step + fabric.stores(kAckSlot)) * 0.9999)
        << fabric.text << ", " << ranks << " ranks, " << packets << " packets";
  }
}

TEST(ClosedForms, AMessageOf64BytesTakesItsWayThereAndBack) {
  RandomStream random(2, "message");
  for (int i = 0; i < kFabrics / 4; ++i) {
    RandomFabric fabric(random);
    fabric.scenario.parameters.sizes = {{Bytes(64)}};
    fabric.scenario.parameters.iterations = 50;
    const results::TestResult result = runTest(serviceLatencyProcedure(), fabric.scenario);
    struct Service {
      const char* name;
      int frame, ack;
    };
    for (const Service& service :
         {Service{"RC", 142, 66}, Service{"ROD", 166, 78}, Service{"RUD", 166, 78}}) {
      const std::string point = fmt::format("64 B, zero load, {}", service.name);
      EXPECT_NEAR(kpi(result, "message_p50_ns", point).value,
                  2 * fabric.path + fabric.stores(service.frame) + fabric.stores(service.ack), 0.2)
          << fabric.text << ", " << point;
    }
  }
}

TEST(ClosedForms, TransfersOfOnePairFillTheLink) {
  RandomStream random(3, "transfers");
  for (int i = 0; i < kFabrics; ++i) {
    RandomFabric fabric(random);
    const std::int64_t size = std::int64_t{64 << 10} << 2 * random.below(3);
    fabric.scenario.parameters.sizes = {{Bytes(size)}};
    fabric.scenario.parameters.flows = {{1}};
    const results::TestResult result = runTest(kvThroughputProcedure(), fabric.scenario);
    double measured = 0;
    for (const results::Kpi& one : result.kpis) {
      if (one.name == "kv_gigabytes_per_s") measured = one.quantity.value;
    }
    // 64 MiB at the link's rate, and one way there and back.
    const double whole = 64 << 20;
    const double packets = static_cast<double>(size) / kPayload;
    const double wire =
        fabric.onHostLink(whole / static_cast<double>(size) * (packets * kRoceSlot + kReth));
    const double way = 2 * fabric.path + fabric.stores(kRoceFrame) + fabric.stores(82);
    EXPECT_LE(measured, whole / wire * 1.0001) << fabric.text;
    EXPECT_GE(measured, whole / (wire + way) * 0.999) << fabric.text << ", " << size << " B";
  }
}

// With a bucket's communication shorter than its eighth of the compute phase, the last one is left.
TEST(ClosedForms, AnOverlappedJobHidesAllBucketsButOne) {
  RandomStream random(4, "overlap");
  for (int i = 0; i < kFabrics; ++i) {
    RandomFabric fabric(random);
    const auto ranks = static_cast<std::uint32_t>(2 + random.below(fabric.leaves - 1));
    const int packets = std::vector<int>{2, 8}[random.below(2)];  // of a bucket's chunk
    constexpr int kBuckets = 8;
    constexpr int kIterations = 3;
    const double compute = 1e7 * static_cast<double>(1 + random.below(3));  // 10 ms and more
    const double steps = 2 * (ranks - 1.0);
    const double bucket = steps * fabric.message(packets);
    ASSERT_LT(bucket, compute / kBuckets) << fabric.text;
    fabric.scenario.parameters.ranks = {ranks};
    fabric.scenario.parameters.sizes = {
        {Bytes(std::int64_t{ranks} * packets * kBuckets * kPayload)}};
    fabric.scenario.parameters.iterations = kIterations;
    fabric.scenario.parameters.balancing = {{"spray"}};
    fabric.scenario.parameters.compute = {{Picoseconds(static_cast<std::int64_t>(compute * 1000))}};
    const results::TestResult result = runTest(syntheticJctProcedure(), fabric.scenario);
    for (const results::Kpi& one : result.kpis) {
      if (!one.point.ends_with("overlapped")) continue;
      // Of all iterations [ms].
      const double least = kIterations * bucket * 1e-6;
      const double acks = kIterations * steps * fabric.stores(kAckSlot) * 1e-6;
      if (one.name == "effective_comm_overhead_ms") {
        EXPECT_GE(one.quantity.value, least * 0.9999) << fabric.text;
        EXPECT_LE(one.quantity.value, (least + acks) * 1.0001) << fabric.text;
      }
      if (one.name == "hidden_fraction") {
        const double whole = kIterations * steps * fabric.message(packets * kBuckets) * 1e-6;
        EXPECT_GE(one.quantity.value, 1 - (least + acks) / whole - 1e-4) << fabric.text;
        EXPECT_LE(one.quantity.value, 1 - least / (whole + acks) + 1e-4) << fabric.text;
      }
    }
  }
}

}  // namespace
}  // namespace plumbline::suite
