// The idle round trip that is derived from a topology, against times that packets took.
#include "bench/sim/base_rtt.h"

#include <gtest/gtest.h>

#include "tests/sim/stack.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::sim::testing {
namespace {

using bench::idleRoundTrip;
using transport::UetSpec;

// One packet of a whole MTU from `from` to `to` without other traffic: until its ACK is back.
Picoseconds measured(TrialSpec spec, const UetSpec& uet, HostId from, HostId to) {
  spec.transport = uet;
  spec.workload.emplace();
  spec.workload->jobs = {messagesBetween({{from, to}}, uet.mtu_payload, 1)};
  Stack stack(spec);
  stack.run(milliseconds(1));
  stack.expectFinished();
  return stack.job(0).total.last_done - stack.job(0).total.first_posted;
}

TrialSpec trialOn(fabric::FabricSpec dut) {
  TrialSpec spec;
  spec.dut = std::move(dut);
  return spec;
}

// Two links of 1 us and a switch of 600 ns each way; 4198 bytes and 78 bytes twice each at
// 400 Gb/s.
TEST(BaseRtt, OfOneSwitchIsTheClosedForm) {
  const auto dut = oneSwitch(4, gigabitsPerSecond(400), microseconds(1));
  const UetSpec uet;
  EXPECT_EQ(idleRoundTrip(dut, std::nullopt, uet),
            Picoseconds(2 * 2'600'000 + 2 * (4198 + 78) * 20));
}

// A frame of 4174 bytes and an ACK of 66.
TEST(BaseRtt, OfRcHasItsFrames) {
  const auto dut = oneSwitch(4, gigabitsPerSecond(400), microseconds(1));
  EXPECT_EQ(idleRoundTrip(dut, std::nullopt, transport::RoceSpec()),
            Picoseconds(2 * 2'600'000 + 2 * (4174 + 66) * 20));
}

// Cables of 300 us: twice the round trip is 2.4 ms, above 4.096 us * 2^9 and below 2^10.
TEST(BaseRtt, SetsTimeoutsThatItExceeds) {
  for (const std::int64_t cable_us : {1, 300}) {
    const bool far = cable_us == 300;
    const auto dut = oneSwitch(4, gigabitsPerSecond(400), microseconds(cable_us));
    bench::TransportSpec roce = transport::RoceSpec();
    bench::fitToPath(roce, dut, std::nullopt);
    EXPECT_EQ(std::get<transport::RoceSpec>(roce).ack_timeout,
              nanoseconds(std::int64_t{4096} << (far ? 10 : 8)));
    bench::TransportSpec uet = UetSpec();
    bench::fitToPath(uet, dut, std::nullopt);
    const Picoseconds round_trip(4 * cable_us * 1'000'000 + 1'200'000 + 2 * (4198 + 78) * 20);
    EXPECT_EQ(std::get<UetSpec>(uet).base_rtt, round_trip);
    EXPECT_EQ(std::get<UetSpec>(uet).rto, far ? round_trip * 2 : milliseconds(1));
  }
}

TEST(BaseRtt, IsWhatOnePacketTakes) {
  TrialSpec rail;
  rail.dut = leafSpine(3, 2, 3, gigabitsPerSecond(100), nanoseconds(700));
  rail.dut.topology.fabric_rate = gigabitsPerSecond(400);
  TrialSpec cut_through = rail;
  cut_through.dut.switches.forwarding = fabric::Forwarding::kCutThrough;
  UetSpec plain;
  UetSpec small;
  small.mtu_payload = 1024;
  small.ipv6 = true;
  small.crc = true;
  UetSpec credit;
  credit.congestion_control = transport::UetCongestionControl::kNsccRccc;
  for (const TrialSpec& spec : {rail, cut_through}) {
    for (const UetSpec& uet : {plain, small, credit}) {
      EXPECT_EQ(idleRoundTrip(spec.dut, std::nullopt, uet), measured(spec, uet, 0, 8));
    }
  }
}

// A job under one leaf does not cross the spines; the longest way of any job counts.
TEST(BaseRtt, DependsOnWhereTheJobsSit) {
  TrialSpec spec = trialOn(leafSpine(2, 2, 3, gigabitsPerSecond(100), microseconds(1)));
  const UetSpec uet;
  const Picoseconds below = measured(spec, uet, 0, 1);
  const Picoseconds across = measured(spec, uet, 0, 5);
  ASSERT_LT(below, across);
  spec.workload.emplace();
  spec.workload->jobs = {messagesTo(0, {1, 2}, 4096, 1)};
  EXPECT_EQ(idleRoundTrip(spec.dut, spec.workload, uet), below);
  spec.workload->jobs.push_back(messagesTo(3, {2, 4}, 4096, 1));
  spec.workload->jobs.back().name = "across";
  EXPECT_EQ(idleRoundTrip(spec.dut, spec.workload, uet), across);
}

TEST(BaseRtt, IsTheFabricsWhereNoJobHasTwoHosts) {
  TrialSpec spec = trialOn(leafSpine(2, 2, 3, gigabitsPerSecond(100), microseconds(1)));
  const UetSpec uet;
  const Picoseconds across = measured(spec, uet, 0, 5);
  spec.workload.emplace();
  spec.workload->jobs = {messagesTo(0, {1}, 4096, 1)};
  spec.workload->jobs[0].placement.hosts = {0};
  EXPECT_EQ(idleRoundTrip(spec.dut, spec.workload, uet), across);
}

}  // namespace
}  // namespace plumbline::sim::testing
