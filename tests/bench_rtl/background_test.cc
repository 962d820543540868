// The Verilated card in a network with other traffic: the card's counters against the fabric's own
// records of the same frames.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "bench/card/packet.h"
#include "bench/card/rtl_bench.h"
#include "bench/card/rtl_trial.h"
#include "sim/wire.h"
#include "wire/frame.h"

namespace plumbline::bench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using fabric::RecordKind;

// The card's ports are hosts 0 and 1 of one switch; hosts 2 and 3 are simulated.
constexpr fabric::HostId kSender = 0;
constexpr fabric::HostId kReceiver = 1;
constexpr Picoseconds kDuration = microseconds(40);

StreamSpec cardStream(Bytes frame, Fraction rate) {
  StreamSpec stream;
  stream.name = "card";
  stream.from = kSender;
  stream.to = kReceiver;
  stream.frame = frame;
  stream.load = ConstantLoad{rate};
  return stream;
}

// Hosts 2 and 3 each send 4 KiB messages over UC to the card's receiver, one every `interval`.
workload::JobSpec incastOnReceiver(Picoseconds interval) {
  workload::JobSpec job;
  job.name = "background";
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.hosts = {kReceiver, 2, 3};
  workload::MessageProgram messages;
  messages.pattern = workload::Pattern::kIncast;
  messages.bytes = 4096;
  messages.load = workload::Arrivals{interval, false};
  job.program = messages;
  return job;
}

TrialSpec crowdedTrial(Picoseconds interval, Bytes frame, Fraction rate) {
  TrialSpec spec;
  spec.dut.topology.hosts = 4;
  spec.streams = {cardStream(frame, rate)};
  spec.duration = kDuration;
  spec.drain = microseconds(200);
  transport::RoceSpec roce;
  roce.service = transport::RoceService::kUc;
  spec.transport = roce;
  spec.workload.emplace();
  spec.workload->jobs = {incastOnReceiver(interval)};
  return spec;
}

// The fabric's own account of the frames that a card port sent into it, by their cookies' order.
class Account final : public fabric::Observer {
 public:
  explicit Account(const fabric::Fabric& fabric) {
    const fabric::Topology& topology = fabric.topology();
    const fabric::NodeId receiver = topology.hosts()[kReceiver];
    for (fabric::LinkId link = 0; link < topology.links().size(); ++link) {
      if (topology.links()[link].to == receiver) last_link_ = link;
    }
    delay_ = topology.links()[last_link_].delay;
    card_link_ = topology.nodes()[topology.hosts()[kSender]].out_links.front();
  }

  [[nodiscard]] std::uint32_t interests() const override {
    return bit(RecordKind::kDeparture) | bit(RecordKind::kDrop) | bit(RecordKind::kMark) |
           bit(RecordKind::kTrim) | bit(RecordKind::kXoff) | bit(RecordKind::kXon);
  }
  void onRecord(const fabric::Record& record) override {
    if (record.kind == RecordKind::kXoff || record.kind == RecordKind::kXon) {
      if (fabric::reverse(record.link) == card_link_) onPause(record);
      return;
    }
    if (record.packet.source != kSender) {
      if (record.kind == RecordKind::kDeparture && record.link == last_link_) ++others;
      return;
    }
    switch (record.kind) {
      case RecordKind::kDeparture:
        if (record.link != last_link_) break;
        if (latencies.empty()) first_sent = stampOf(record.packet);
        latencies.push_back(record.time + delay_ - stampOf(record.packet));
        bytes += record.packet.length;
        ce += record.packet.ce ? 1 : 0;
        break;
      case RecordKind::kDrop:
        ++drops[record.reason];
        break;
      case RecordKind::kMark:
        ++marks;
        break;
      default:
        ++trims;
        break;
    }
  }

  static Picoseconds stampOf(const fabric::Packet& packet) {
    return Picoseconds(static_cast<std::int64_t>(packet.stamp));
  }

  Picoseconds first_sent;              // the first frame that came out, when it went in
  std::vector<Picoseconds> latencies;  // of frames that came out, in their order
  std::uint64_t bytes = 0;
  std::uint64_t ce = 0;
  std::uint64_t marks = 0;
  std::uint64_t trims = 0;
  std::uint64_t others = 0;  // frames of simulated hosts that came out
  std::map<fabric::DropReason, std::uint64_t> drops;
  // Of the card's sender: pauses begun, and their time from the XOFF request to the XON request.
  std::uint64_t pauses = 0;
  Picoseconds paused;
  std::vector<Picoseconds> pause_frames;  // times of their first bits, if they leave at once
  Picoseconds paused_in_trial;            // of it, before the trial's duration is over
  std::optional<Picoseconds> paused_since;

 private:
  void onPause(const fabric::Record& record) {
    pause_frames.push_back(record.time + delay_);
    if (record.kind == RecordKind::kXoff) {
      if (paused_since) return;  // a refresh
      ++pauses;
      paused_since = record.time;
    } else {
      paused += record.time - *paused_since;
      paused_in_trial += std::min(record.time, kDuration) - std::min(*paused_since, kDuration);
      paused_since.reset();
    }
  }

  fabric::LinkId last_link_ = 0;
  fabric::LinkId card_link_ = 0;
  Picoseconds delay_;
};

struct Observed {
  TrialResult result;
  Account account;
  std::vector<card::CapturedFrame> captured;
  std::vector<workload::JobResult> jobs;
};

Observed observe(const TrialSpec& spec) {
  static RtlBench bench;
  EXPECT_THAT(bench.refusals(spec), IsEmpty());
  std::vector<card::CapturedFrame> captured;
  TrialHooks hooks;
  hooks.captured = [&](const card::CapturedFrame& frame) { captured.push_back(frame); };
  CardGroup card(1, 2);
  RtlTrial trial(card, spec, bench.capabilities(), hooks);
  Account account(trial.fabric());
  trial.fabric().observe(account);
  TrialResult result = trial.run();
  return {std::move(result), std::move(account), std::move(captured),
          trial.simHosts().jobResults()};
}

// Other traffic takes two thirds of the wire, so that 60 % of the card's own make a queue of some
// 100 kB in 40 us.
TrialSpec overload() { return crowdedTrial(microseconds(1), Bytes(1024), Fraction::percent(60)); }

TEST(Background, IsSeenByTheCardAndNotMistakenForItsOwn) {
  const Observed seen = observe(overload());
  ASSERT_THAT(seen.result.faults, IsEmpty());
  const PortResult& port = seen.result.ports.at(kReceiver);
  EXPECT_GT(port.untagged, 70U);
  EXPECT_LE(port.untagged, seen.account.others);
  EXPECT_EQ(port.untagged + seen.result.streams[0].received_frames, port.rx_frames);
  EXPECT_EQ(port.icrc_errors + port.fcs_errors, 0U);
  EXPECT_EQ(seen.result.lost(), 0U);
}

TEST(Background, MarksAreCountedAsOftenAsTheFabricMarked) {
  TrialSpec spec = overload();
  fabric::EcnSpec ecn;
  ecn.kmin = Bytes(20'000);
  ecn.kmax = Bytes(60'000);
  ecn.pmax = Fraction::percent(50);
  spec.dut.switches.ecn = {ecn};
  const Observed seen = observe(spec);
  ASSERT_THAT(seen.result.faults, IsEmpty());
  const StreamResult& stream = seen.result.streams[0];
  EXPECT_EQ(stream.ce, seen.account.marks);
  EXPECT_EQ(stream.ce, seen.account.ce);
  EXPECT_GT(stream.ce, stream.sent_frames / 5);
  EXPECT_LT(stream.ce, stream.sent_frames);
  EXPECT_EQ(stream.received_frames, stream.sent_frames);
  EXPECT_EQ(stream.bad_icrc, 0U);

  // Frames that cannot be marked are not.
  spec.streams[0].format.ect = false;
  EXPECT_EQ(observe(spec).result.streams[0].ce, 0U);
}

TEST(Background, DelaysEveryFrameAsTheFabricSays) {
  TrialSpec spec = overload();
  spec.capture_port = kReceiver;
  const Observed seen = observe(spec);
  ASSERT_THAT(seen.result.faults, IsEmpty());
  const StreamResult& stream = seen.result.streams[0];
  const std::vector<Picoseconds>& expected = seen.account.latencies;
  ASSERT_EQ(expected.size(), stream.sent_frames);
  const auto clock = static_cast<double>(sim::kClockPeriodMax.count());

  std::size_t next = 0;
  for (const card::CapturedFrame& frame : seen.captured) {
    const wire::DecodedFrame decoded = wire::decodeFrame(frame.bytes);
    if (frame.sent || !decoded.tag) continue;
    ASSERT_LT(next, expected.size());
    EXPECT_EQ(decoded.tag->sequence, next);
    const auto measured =
        frame.timestamp.count() - static_cast<std::int64_t>(decoded.tag->departure);
    EXPECT_NEAR(static_cast<double>(measured), static_cast<double>(expected[next].count()), clock)
        << next;
    ++next;
  }
  EXPECT_EQ(next, expected.size());

  const stats::Histogram& histogram = seen.result.latency.at(0).histogram;
  const auto [min, max] = std::minmax_element(expected.begin(), expected.end());
  EXPECT_EQ(histogram.count(), expected.size());
  EXPECT_NEAR(static_cast<double>(histogram.minimum()), static_cast<double>(min->count()), clock);
  EXPECT_NEAR(static_cast<double>(histogram.maximum()), static_cast<double>(max->count()), clock);
  EXPECT_GT(*max, *min + microseconds(5));  // the queue was there
}

TEST(Background, DropsAreTheFramesThatAreMissing) {
  TrialSpec spec = crowdedTrial(nanoseconds(700), Bytes(4100), Fraction::percent(60));
  spec.dut.switches.buffer_per_port = Bytes(20'000);
  const Observed seen = observe(spec);
  ASSERT_THAT(seen.result.faults, IsEmpty());
  const StreamResult& stream = seen.result.streams[0];
  EXPECT_GT(stream.lost, 10U);
  ASSERT_EQ(seen.account.drops.size(), 1U);
  EXPECT_EQ(stream.lost, seen.account.drops.at(fabric::DropReason::kBufferFull));
  EXPECT_EQ(stream.received_frames, stream.sent_frames - stream.lost);
}

TEST(Background, TrimmedFramesComeCutAndAreCounted) {
  TrialSpec spec = overload();
  fabric::TrimSpec trim;
  trim.threshold = Bytes(30'000);
  trim.keep = Bytes(128);
  spec.dut.switches.trim = trim;
  spec.capture_port = kReceiver;
  const Observed seen = observe(spec);
  ASSERT_THAT(seen.result.faults, IsEmpty());
  const StreamResult& stream = seen.result.streams[0];
  EXPECT_GT(seen.account.trims, 10U);
  EXPECT_LT(seen.account.trims, stream.sent_frames);
  // The tag is within the kept part: the frame is not lost, but its ICRC is.
  EXPECT_EQ(stream.bad_icrc, seen.account.trims);
  EXPECT_EQ(stream.received_frames, stream.sent_frames);
  EXPECT_EQ(stream.received_bytes,
            stream.sent_bytes - seen.account.trims * std::uint64_t{1024 - 128});
  EXPECT_EQ(stream.received_bytes, seen.account.bytes);
  std::uint64_t cut = 0;
  for (const card::CapturedFrame& frame : seen.captured) {
    if (frame.bytes.size() != 128) continue;
    ++cut;
    const wire::DecodedFrame decoded = wire::decodeFrame(frame.bytes);
    EXPECT_TRUE(decoded.fcs->ok());
    EXPECT_TRUE(decoded.ipv4_checksum->ok());
    EXPECT_EQ(decoded.ipv4()->dscp, kTrimmedDscp);
    EXPECT_EQ(decoded.ipv4()->total_length, 128 - 18);
    EXPECT_EQ(decoded.udp->length, 1024 - 4 - 14 - 20);
  }
  EXPECT_EQ(cut, seen.account.trims);

  // Another DSCP is not trimmable.
  spec.streams[0].format.dscp = 24;
  EXPECT_EQ(observe(spec).account.trims, 0U);
}

// 64 bytes end before the tag of a RoCE frame: it only counts as lost.
TEST(Background, FramesTrimmedBeforeTheirTagAreLost) {
  TrialSpec spec = overload();
  fabric::TrimSpec trim;
  trim.threshold = Bytes(30'000);
  spec.dut.switches.trim = trim;
  const Observed seen = observe(spec);
  ASSERT_THAT(seen.result.faults, IsEmpty());
  EXPECT_GT(seen.account.trims, 10U);
  EXPECT_EQ(seen.result.lost(), seen.account.trims);
}

TEST(Background, PfcPausesTheCard) {
  TrialSpec spec = overload();
  fabric::PfcSpec pfc;
  pfc.xoff = Bytes(20'000);
  pfc.xon = Bytes(10'000);
  spec.dut.switches.pfc = pfc;
  const Observed seen = observe(spec);
  ASSERT_THAT(seen.result.faults, IsEmpty());
  const StreamResult& stream = seen.result.streams[0];
  const PriorityCounters& counters = seen.result.ports.at(kSender).priority[3];
  ASSERT_FALSE(seen.account.paused_since);
  EXPECT_GT(seen.account.pauses, 1U);
  EXPECT_EQ(counters.rx_xoff, seen.account.pauses);
  EXPECT_EQ(counters.rx_xon, seen.account.pauses);
  // Both ends of a pause take the same path; a frame's end is known to a clock.
  EXPECT_NEAR(static_cast<double>(counters.paused.count()),
              static_cast<double>(seen.account.paused.count()),
              static_cast<double>(seen.account.pauses) * 2 *
                  static_cast<double>(sim::kClockPeriodMax.count()));
  EXPECT_THAT(seen.account.drops, IsEmpty());
  EXPECT_EQ(stream.received_frames, stream.sent_frames);
  // 40 us at 60 % are 287 frames; a paused card gives up its slots.
  const std::uint64_t unpaused = observe(overload()).result.streams[0].sent_frames;
  const double share = seen.account.paused_in_trial.toMicroseconds() / kDuration.toMicroseconds();
  EXPECT_EQ(unpaused, 288U);
  EXPECT_NEAR(static_cast<double>(unpaused - stream.sent_frames),
              static_cast<double>(unpaused) * share, static_cast<double>(seen.account.pauses) + 1);
  for (const unsigned other : {0U, 1U, 2U, 4U, 5U, 6U, 7U}) {
    EXPECT_EQ(seen.result.ports.at(kSender).priority[other].paused, Picoseconds());
  }
}

TEST(Background, PauseFramesComeAsFramesAtTheirTime) {
  TrialSpec spec = overload();
  fabric::PfcSpec pfc;
  pfc.xoff = Bytes(20'000);
  pfc.xon = Bytes(10'000);
  pfc.quanta = 0x1234;
  spec.dut.switches.pfc = pfc;
  spec.capture_port = kSender;
  const Observed seen = observe(spec);
  ASSERT_THAT(seen.result.faults, IsEmpty());
  ASSERT_FALSE(seen.captured.empty());
  ASSERT_TRUE(seen.captured.front().sent);
  const Picoseconds origin = seen.captured.front().timestamp - seen.account.first_sent;
  std::size_t next = 0;
  for (const card::CapturedFrame& frame : seen.captured) {
    if (frame.sent) continue;
    ASSERT_LT(next, seen.account.pause_frames.size());
    EXPECT_EQ(frame.bytes.size(), 64U);
    const wire::DecodedFrame decoded = wire::decodeFrame(frame.bytes);
    ASSERT_TRUE(decoded.pfc() != nullptr && decoded.fcs->ok());
    EXPECT_EQ(decoded.pfc()->enabled, 1U << 3);
    EXPECT_EQ(decoded.pfc()->quanta[3], next % 2 == 0 ? 0x1234 : 0);
    EXPECT_NEAR(static_cast<double>((frame.timestamp - origin).count()),
                static_cast<double>(seen.account.pause_frames[next].count()),
                static_cast<double>(sim::kClockPeriodMax.count()));
    ++next;
  }
  EXPECT_EQ(next, seen.account.pause_frames.size());
  EXPECT_GT(next, 3U);
}

// Simulated hosts that do not communicate with the card but share the spine with it.
TEST(Background, OfACollectiveRunsBesideTheCard) {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kClos2;
  spec.dut.topology.spines = 1;
  spec.dut.topology.hosts_per_leaf = 3;
  spec.streams = {cardStream(Bytes(1024), Fraction::percent(50))};
  spec.streams[0].to = 3;
  spec.duration = microseconds(60);
  spec.drain = microseconds(100);
  spec.workload.emplace();
  workload::JobSpec job;
  job.name = "ring";
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.hosts = {1, 4, 2, 5};
  workload::TrainingProgram training;
  training.iterations = 1;
  training.collectives = {{.bytes = std::uint64_t{64} * 1024}};
  job.program = training;
  spec.workload->jobs = {job};
  const Observed seen = observe(spec);
  ASSERT_THAT(seen.result.faults, IsEmpty());
  ASSERT_EQ(seen.jobs.size(), 1U);
  EXPECT_TRUE(seen.jobs[0].finished);
  // The ring crosses the spine twice each way: with the card's half there is not enough room.
  const auto unloaded = fabric::Fabric(spec.dut).unloadedLatency(0, 3, Bytes(1024));
  const stats::Histogram& latency = seen.result.latency.at(0).histogram;
  EXPECT_GT(latency.maximum(), static_cast<std::uint64_t>((unloaded + microseconds(1)).count()));
  EXPECT_NEAR(static_cast<double>(latency.minimum()), static_cast<double>(unloaded.count()),
              static_cast<double>(sim::kClockPeriodMax.count()));
  EXPECT_EQ(seen.result.lost(), 0U);
}

TEST(Background, IsTheSameInEveryTrial) {
  TrialSpec spec = overload();
  spec.dut.switches.ecn = {fabric::EcnSpec{.kmin = Bytes(20'000)}};
  RtlBench bench;
  const auto once = [&] {
    TrialResult result = bench.run(spec, {});
    result.wall_seconds = 0;
    return result.toJson();
  };
  const std::string first = once();
  EXPECT_EQ(once(), first);
}

TEST(Background, IsRefusedWhereTheCardWouldHaveToTakePart) {
  const RtlBench bench;
  TrialSpec spec = overload();
  spec.transport.reset();  // RC
  EXPECT_THAT(bench.refusals(spec), Contains(HasSubstr("answers no messages")));
  spec = overload();
  auto& messages = std::get<workload::MessageProgram>(spec.workload->jobs[0].program);
  messages.bidirectional = true;
  EXPECT_THAT(bench.refusals(spec), Contains(HasSubstr("sends no messages")));
  spec = overload();
  spec.workload->jobs[0].placement.hosts = {kReceiver, 2, 9};
  EXPECT_FALSE(bench.refusals(spec).empty());
}

}  // namespace
}  // namespace plumbline::bench
