// The cable between card and DUT: frames of the link itself do not enter the DUT.
#include "bench/card/fabric_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "wire/addresses.h"
#include "wire/frame.h"

namespace plumbline::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Picoseconds kQuantum = Picoseconds(5'120);  // 512 bits at 100 Gb/s
constexpr Picoseconds kStart = microseconds(3);       // card time

// Hosts 0 and 1 are the card's, host 2 is simulated and silent. The card itself is not used: its
// frames are made here.
class FabricLinkTest : public testing::Test {
 protected:
  FabricLinkTest() : card_(1, 2) {
    TrialSpec spec;
    spec.dut.topology.hosts = 3;
    spec.dut.switches.pfc.emplace();
    spec.dut.switches.pfc->response = nanoseconds(40);
    spec.workload.emplace();
    workload::JobSpec job;
    job.placement.rule = workload::PlacementRule::kExplicit;
    job.placement.hosts = {1, 2};
    workload::MessageProgram messages;
    messages.pattern = workload::Pattern::kIncast;
    job.program = messages;
    job.start = seconds(1);
    spec.workload->jobs = {job};
    link_ = std::make_unique<FabricLink>(card_, spec, std::vector<std::uint32_t>{0, 1});
    link_->startAt(kStart);
  }

  void fromCard(std::uint32_t port, const wire::FrameSpec& spec, Picoseconds time) {
    fromCard(port, wire::encodeFrame(spec), time);
  }
  void fromCard(std::uint32_t port, wire::Buffer bytes, Picoseconds time) {
    link_->onFrameFromCard(port, std::make_shared<wire::Buffer>(std::move(bytes)), kStart + time);
  }
  static wire::FrameSpec control(const wire::Network& network) {
    wire::FrameSpec spec;
    spec.destination = wire::kMacControlAddress;
    spec.source = wire::hostMac(1);
    spec.network = network;
    return spec;
  }
  static wire::FrameSpec data(wire::MacAddress destination) {
    wire::FrameSpec spec;
    spec.destination = destination;
    spec.source = wire::hostMac(0);
    spec.network = wire::Ipv4Header{};
    spec.udp = wire::UdpHeader{.source_port = 7, .destination_port = 9};
    return spec;
  }
  // Of the switch's port towards host 1, at the fabric's time `now`.
  fabric::LinkCounters towardsHost1(Picoseconds now) {
    link_->advanceTo(kStart + now);
    return link_->fabric().linkCounters(3);
  }

  CardGroup card_;
  std::unique_ptr<FabricLink> link_;
};

TEST_F(FabricLinkTest, PfcOfTheCardPausesTheSwitch) {
  wire::PfcHeader pfc;
  pfc.enabled = 0x28;
  pfc.quanta[3] = 100;
  fromCard(1, control(pfc), microseconds(1));
  // On the cable for 50 ns, all 64 bytes there after 5.12 ns, obeyed 40 ns later.
  const Picoseconds begins = microseconds(1) + nanoseconds(50) + kQuantum + nanoseconds(40);
  EXPECT_EQ(towardsHost1(begins - Picoseconds(1)).xoff_received, 0U);
  EXPECT_EQ(towardsHost1(begins + kQuantum * 10).paused[3], kQuantum * 10);
  EXPECT_EQ(towardsHost1(begins + kQuantum * 200).paused[3], kQuantum * 100);
  EXPECT_EQ(towardsHost1(begins + kQuantum * 200).paused[5], Picoseconds());

  // A longer one that an XON ends.
  pfc.quanta[3] = 0xFFFF;
  fromCard(1, control(pfc), microseconds(10));
  pfc.quanta[3] = 0;
  fromCard(1, control(pfc), microseconds(17));
  EXPECT_EQ(towardsHost1(microseconds(400)).paused[3], kQuantum * 100 + microseconds(7));
  EXPECT_THAT(link_->faults(), IsEmpty());
  EXPECT_EQ(link_->framesFromCard(), 0U);
}

TEST_F(FabricLinkTest, MacControlDoesNotEnterTheFabric) {
  fromCard(1, control(wire::PauseHeader{0xFFFF}), microseconds(1));
  fromCard(1, control(wire::CcUpdate{}), microseconds(2));
  EXPECT_TRUE(link_->empty());
  EXPECT_EQ(link_->fabric().framesInside(), 0U);
  const fabric::LinkCounters counters = towardsHost1(microseconds(10));
  EXPECT_EQ(counters.xoff_received, 0U);
  EXPECT_EQ(link_->fabric().linkCounters(2).packets, 0U);
  EXPECT_THAT(link_->faults(), IsEmpty());
}

TEST_F(FabricLinkTest, SaysWhatNoSwitchWouldForward) {
  fromCard(0, data(wire::hostMac(77)), microseconds(1));
  fromCard(0, data(wire::hostMac(2)), microseconds(2));
  wire::Buffer damaged = wire::encodeFrame(data(wire::hostMac(1)));
  damaged[40] ^= 1;
  fromCard(0, damaged, microseconds(3));
  fromCard(5, data(wire::hostMac(1)), microseconds(4));
  wire::PfcHeader pfc;
  pfc.enabled = 0x18;
  pfc.quanta[3] = 100;
  pfc.quanta[4] = 200;
  fromCard(1, control(pfc), microseconds(5));
  EXPECT_THAT(link_->faults(),
              ElementsAre(HasSubstr("no host has the address"), HasSubstr("host 2, which is simul"),
                          HasSubstr("bad FCS"), HasSubstr("nothing to send"),
                          HasSubstr("different times")));
  EXPECT_TRUE(link_->empty());
  EXPECT_EQ(link_->framesFromCard(), 4U);
}

TEST_F(FabricLinkTest, SaysWhenATtlDoesNotLast) {
  wire::FrameSpec spec = data(wire::hostMac(1));
  std::get<wire::Ipv4Header>(spec.network).ttl = 1;
  fromCard(0, spec, microseconds(1));
  EXPECT_FALSE(link_->empty());
  link_->advanceTo(kStart + microseconds(5));
  EXPECT_THAT(link_->faults(), ElementsAre(HasSubstr("TTL")));
  EXPECT_TRUE(link_->empty());
  EXPECT_EQ(link_->framesToCard(), 0U);
}

}  // namespace
}  // namespace plumbline::bench
