#include "transport/nic.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/transport/scripted_application.h"

namespace plumbline::transport_test {
namespace {

using transport::EndpointStats;
using transport::FlowStats;
using transport::Message;
using transport::Nic;
using transport::Protocol;
using transport::ProtocolId;

// Has `frames` to send and records its calls.
class FakeProtocol final : public Protocol {
 public:
  FakeProtocol(ProtocolId id, int frames, std::string& calls)
      : id_(id), frames_(frames), calls_(calls) {}

  [[nodiscard]] ProtocolId id() const override { return id_; }
  void post(const Message& message, Picoseconds) override { note("p", message.tag); }
  void receive(const fabric::Packet& packet, Picoseconds) override { note("r", packet.psn); }
  bool transmit(Picoseconds, fabric::PriorityMask, fabric::Packet& packet) override {
    if (frames_ == 0) return false;
    --frames_;
    packet = {.opcode = transport::opcodeOf(id_, 0)};
    return true;
  }
  void wake(Picoseconds now) override {
    note("w", now.count());
    setWakeAt(transport::kNever);
  }
  [[nodiscard]] const EndpointStats& stats() const override { return stats_; }
  void appendFlows(std::vector<FlowStats>&) const override {}
  void wakeNextAt(Picoseconds time) { setWakeAt(time); }

 private:
  void note(const char* what, std::int64_t value) {
    calls_ += std::to_string(static_cast<int>(id_)) + what + std::to_string(value) + " ";
  }

  ProtocolId id_;
  int frames_;
  std::string& calls_;
  EndpointStats stats_;
};

struct Bench {
  explicit Bench(int first_frames, int second_frames) {
    auto a = std::make_unique<FakeProtocol>(ProtocolId::kRoce, first_frames, calls);
    auto b = std::make_unique<FakeProtocol>(ProtocolId::kUet, second_frames, calls);
    first = a.get();
    second = b.get();
    std::vector<std::unique_ptr<Protocol>> protocols;
    protocols.push_back(std::move(a));
    protocols.push_back(std::move(b));
    first->wakeNextAt(nanoseconds(30));
    second->wakeNextAt(nanoseconds(20));
    nic = std::make_unique<Nic>(&application, std::move(protocols));
  }

  std::string calls;
  ScriptedApplication application;
  FakeProtocol* first = nullptr;
  FakeProtocol* second = nullptr;
  std::unique_ptr<Nic> nic;
};

TEST(Nic, ProtocolsTakeTurnsAndOneMayHaveTheWire) {
  Bench bench(2, 4);
  std::string order;
  fabric::Packet packet;
  while (bench.nic->transmit(Picoseconds{0}, 0, packet)) {
    order += transport::protocolOf(packet.opcode) == ProtocolId::kRoce ? 'r' : 'u';
  }
  EXPECT_EQ(order, "ruruuu");
}

TEST(Nic, PacketsGoToTheProtocolOfTheirOpcode) {
  Bench bench(0, 0);
  fabric::Packet packet{.psn = 5};
  packet.opcode = transport::opcodeOf(ProtocolId::kUet, 63);
  bench.nic->receive(packet, Picoseconds{0});
  packet.opcode = transport::opcodeOf(ProtocolId::kRoce, 1);
  bench.nic->receive(packet, Picoseconds{0});
  packet.opcode = transport::opcodeOf(ProtocolId::kStream, 1);  // of no protocol here
  bench.nic->receive(packet, Picoseconds{0});
  EXPECT_EQ(bench.calls, "2r5 1r5 ");
}

TEST(Nic, WakesWhoeverIsDueAndPostsToTheFirst) {
  Bench bench(0, 0);
  bench.application.postAt(nanoseconds(10), {.to = 1, .bytes = 1, .tag = 7});
  EXPECT_EQ(bench.nic->wakeAt(), Picoseconds{0});
  bench.nic->wake(Picoseconds{0});
  EXPECT_EQ(bench.nic->wakeAt(), nanoseconds(10));
  bench.nic->wake(nanoseconds(10));
  EXPECT_EQ(bench.nic->wakeAt(), nanoseconds(20));
  bench.nic->wake(nanoseconds(20));
  EXPECT_EQ(bench.nic->wakeAt(), nanoseconds(30));
  bench.nic->wake(nanoseconds(30));
  EXPECT_EQ(bench.nic->wakeAt(), transport::kNever);
  EXPECT_EQ(bench.calls, "1p7 2w20000 1w30000 ");
}

// Every counter has a different value, so that a forgotten one shows.
TEST(EndpointStats, MergeAddsEveryCounter) {
  EndpointStats one;
  std::uint64_t value = 1;
  const std::vector<std::uint64_t EndpointStats::*> counters = {
      &EndpointStats::data_sent,        &EndpointStats::bytes_sent,
      &EndpointStats::retransmitted,    &EndpointStats::control_sent,
      &EndpointStats::data_received,    &EndpointStats::payload_received,
      &EndpointStats::duplicates,       &EndpointStats::out_of_order,
      &EndpointStats::discarded,        &EndpointStats::ce_received,
      &EndpointStats::trimmed_received, &EndpointStats::cnp_sent,
      &EndpointStats::cnp_received,     &EndpointStats::nack_received,
      &EndpointStats::timeouts,         &EndpointStats::messages_completed,
      &EndpointStats::messages_failed};
  for (const auto counter : counters) one.*counter = value++;
  one.latency.record(500);
  EndpointStats sum;
  sum.merge(one);
  sum.merge(one);
  value = 1;
  for (const auto counter : counters) EXPECT_EQ(sum.*counter, 2 * value++);
  EXPECT_EQ(sum.latency.count(), 2U);
}

}  // namespace
}  // namespace plumbline::transport_test
