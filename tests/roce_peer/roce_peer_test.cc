// The card against an independent RDMA implementation: the Linux kernel's soft-RoCE, in a virtual
// machine at the end of port 0's wire. It must accept, store and answer the card's RoCEv2 packets,
// and the card must recognise its answers as RoCEv2.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "roce_guest.h"
#include "test_card.h"
#include "tests/paths/paths.h"
#include "wire/addresses.h"
#include "wire/crc.h"
#include "wire/frame.h"

namespace plumbline::roce_peer {
namespace {

using hw_test::makeFlow;
using hw_test::TestCard;
using hw_test::WireFrame;

constexpr std::uint32_t kGuestHost = 1;  // the card's port is host 0
constexpr std::uint32_t kQueuePairs = 8;
constexpr std::uint32_t kCardQp = 0x300;
// Four frames before it wraps.
constexpr std::uint32_t kFirstPsn = 0xFFFFFC;
constexpr std::uint32_t kPsnMask = 0xFFFFFF;
// Payload of all but the last frame of a message, as the queue pairs are connected.
constexpr std::uint32_t kMtu = 1024;
constexpr std::uint32_t kBthOffset = 14 + 20 + 8;
constexpr std::uint32_t kHeaders = kBthOffset + 12;
constexpr std::uint32_t kChecks = 4 + 4;
constexpr std::uint32_t kRethBytes = 16;
constexpr std::uint8_t kRcWriteMiddle = 0x07;
constexpr std::uint8_t kRcWriteLast = 0x08;
constexpr std::uint8_t kAckRequest = 0x80;
constexpr std::uint8_t kNakSequence = 0x60;
constexpr std::uint8_t kNakRemoteAccess = 0x62;
// Time limit of the real clock for the guest's reactions.
constexpr std::chrono::seconds kPatience{60};
// Card time between two frames: some milliseconds of the real clock.
constexpr Picoseconds kGap = microseconds(10);

struct Answer {
  std::uint8_t opcode = 0;
  std::uint32_t qp = 0;
  std::uint32_t psn = 0;
  std::uint8_t syndrome = 0;
  std::uint32_t msn = 0;
  wire::Buffer payload;
};

// The guest, made once for all tests.
std::unique_ptr<RoceGuest> shared_guest;

class RocePeerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::filesystem::path image = builtPath("roce-guest");
    if (!exists(image / "vmlinuz") || !exists(image / "responder.img")) return;
    GuestOptions options;
    options.image = image;
    options.mac = wire::hostMac(kGuestHost);
    options.address = wire::hostIpv4(kGuestHost);
    options.peer_mac = wire::hostMac(0);
    options.peer_address = wire::hostIpv4(0);
    options.peer_qp = kCardQp;
    options.peer_psn = kFirstPsn;
    options.queue_pairs = kQueuePairs;
    shared_guest = std::make_unique<RoceGuest>(options);
  }
  static void TearDownTestSuite() { shared_guest.reset(); }

  void SetUp() override {
    if (!shared_guest) {
      GTEST_SKIP() << "no guest in " << builtPath("roce-guest")
                   << ": tests/roce_peer/build-guest makes one";
    }
    card_ = std::make_unique<TestCard>(2);
    card_->driver.setCapture(0, true, false);
    card_->wire.observe = [this](const WireFrame& frame, const wire::DecodedFrame& decoded) {
      if (frame.port == 0) note(decoded);
    };
    card_->wire.forward = [this](const WireFrame& frame) {
      if (frame.port != 0 || !wire::fcsOk(*frame.bytes)) return;
      guest().send(wire::ByteView(*frame.bytes).first(frame.bytes->size() - wire::kFcsSize));
    };
    card_->wire.tick = [this](Picoseconds now) { bringAnswers(now); };
  }

  static RoceGuest& guest() { return *shared_guest; }

  // Frames of the guest go to the card, polled every microsecond.
  void bringAnswers(Picoseconds now) {
    if (now < next_poll_) return;
    next_poll_ = now + microseconds(1);
    while (std::optional<wire::Buffer> frame = guest().receive()) {
      // Its NIC pads frames that are too short.
      frame->resize(std::max(frame->size(), wire::kMinFrameSize - wire::kFcsSize));
      wire::appendFcs(*frame);
      card_->wire.put(0, std::make_shared<const std::vector<std::uint8_t>>(std::move(*frame)), now);
    }
  }

  // A stream to queue pair `index` of the guest.
  [[nodiscard]] static wire::StreamTemplateSpec stream(std::uint32_t index, std::uint8_t opcode,
                                                       std::uint32_t payload) {
    wire::StreamTemplateSpec spec;
    spec.destination_mac = wire::hostMac(kGuestHost);
    spec.source_mac = wire::hostMac(0);
    spec.source_ipv4 = wire::hostIpv4(0);
    spec.destination_ipv4 = wire::hostIpv4(kGuestHost);
    spec.ecn = wire::Ecn::kEct0;
    spec.roce_opcode = opcode;
    spec.dest_qp = guest().queuePair(index);
    spec.psn = kFirstPsn;
    spec.virtual_address = guest().regionAddress(index);
    spec.rkey = guest().rkey();
    const std::size_t extension = wire::findRoceOpcode(opcode)->extensionSize();
    spec.length = static_cast<std::uint32_t>(kHeaders + extension + payload + kChecks);
    return spec;
  }

  // Its flow: `frames` frames kGap apart, each requesting an acknowledgement.
  [[nodiscard]] static card::FlowConfig flow(const wire::StreamTemplateSpec& spec,
                                             std::uint32_t frames) {
    card::FlowConfig flow = makeFlow(spec, 0);
    flow.head[kBthOffset + 8] |= kAckRequest;
    flow.burst_frames = frames;
    flow.period = card::FinePeriod::fromPicoseconds(kGap);
    return flow;
  }

  // Sends the flows of port 0 and runs until `done`, or the guest has had its time.
  void run(const std::vector<card::FlowConfig>& flows, const std::function<bool()>& done) {
    card_->driver.loadFlows(0, flows);
    card_->start();
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!done() && std::chrono::steady_clock::now() < deadline) {
      card_->sim.runUntil(card_->sim.now() + microseconds(5));
      collect();
    }
  }

  // Takes the card's captures of the answers and the guest's output.
  void collect() {
    for (const card::CapturedFrame& frame : card_->sim.readCaptured()) {
      const wire::DecodedFrame decoded = wire::decodeFrame(frame.bytes);
      const wire::RoceLayer* roce = decoded.roce();
      if (roce == nullptr) continue;  // other packets of a kernel: neighbour solicitations
      EXPECT_TRUE(decoded.ok()) << describe(decoded);
      EXPECT_TRUE(frame.fcs_ok);
      EXPECT_TRUE(frame.icrc_checked && frame.icrc_ok) << describe(decoded);
      ++answers_captured_;
      Answer answer;
      answer.opcode = roce->bth.opcode;
      answer.qp = roce->bth.dest_qp;
      answer.psn = roce->bth.psn;
      if (roce->aeth) {
        answer.syndrome = roce->aeth->syndrome;
        answer.msn = roce->aeth->msn;
      }
      answer.payload.assign(decoded.payload.begin(), decoded.payload.end());
      answers_.push_back(answer);
    }
    guest().listen();
  }

  // Payloads that were sent, by the place that RETH gave the first one of their message.
  void note(const wire::DecodedFrame& decoded) {
    const wire::RoceLayer* roce = decoded.roce();
    if (roce == nullptr) return;
    ++sent_;
    if (roce->reth) message_.clear();
    message_.insert(message_.end(), decoded.payload.begin(), decoded.payload.end());
  }

  // CRC of a region with the last message at its beginning and zeros after it.
  [[nodiscard]] std::uint32_t expectedSum() const {
    wire::Buffer region = message_;
    region.resize(guest().regionBytes());
    return wire::crc32(region);
  }

  std::unique_ptr<TestCard> card_;
  Picoseconds next_poll_;
  std::vector<Answer> answers_;
  std::uint64_t answers_captured_ = 0;
  std::uint64_t sent_ = 0;
  wire::Buffer message_;
};

TEST_F(RocePeerTest, WritesAreStoredAndAcknowledged) {
  constexpr std::uint32_t kFrames = 12;
  const auto write = flow(stream(0, wire::roce_opcode::kRcWriteOnly, 256), kFrames);
  run({write}, [&] { return answers_.size() >= kFrames && guest().regionSum(0) == expectedSum(); });
  ASSERT_EQ(answers_.size(), kFrames) << guest().log();
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    EXPECT_EQ(answers_[i].opcode, wire::roce_opcode::kRcAcknowledge);
    EXPECT_EQ(answers_[i].qp, kCardQp);
    EXPECT_EQ(answers_[i].psn, (kFirstPsn + i) & kPsnMask);
    EXPECT_EQ(answers_[i].msn, i + 1);
    EXPECT_EQ(answers_[i].syndrome >> 5, 0) << "an ACK";
  }
  EXPECT_EQ(guest().regionSum(0), expectedSum()) << "what is stored is what was sent";
  const card::PortCounters counters = card_->driver.counters(0);
  EXPECT_EQ(counters.tx_frames, kFrames);
  EXPECT_GE(counters.rx_frames, kFrames);
  EXPECT_EQ(counters.rx_icrc_errors, 0U);
  EXPECT_EQ(counters.rx_fcs_errors, 0U);
}

TEST_F(RocePeerTest, MessagesOfSeveralFramesAreOne) {
  constexpr std::uint32_t kMessages = 3;
  constexpr std::uint32_t kFrames = 4;
  constexpr std::uint32_t kLastPayload = 300;
  card::FlowConfig write = makeFlow(stream(1, wire::roce_opcode::kRcWriteFirst, kMtu), 0);
  const auto part = [](std::uint8_t opcode, std::uint32_t payload) {
    const card::FlowConfig made = makeFlow(stream(1, opcode, payload), 0);
    return card::MessagePart{made.head, made.length, made.payload_offset, made.tag_offset};
  };
  write.message =
      card::Message{kFrames, part(kRcWriteMiddle, kMtu), part(kRcWriteLast, kLastPayload)};
  write.message->last.head[kBthOffset + 8] |= kAckRequest;
  write.queue_pairs.emplace();
  write.queue_pairs->pairs.push_back({guest().queuePair(1), kFirstPsn});
  wire::store32(&write.head[kHeaders + kRethBytes - 4], (kFrames - 1) * kMtu + kLastPayload);
  write.burst_frames = kMessages * kFrames;
  write.period = card::FinePeriod::fromPicoseconds(kGap);

  run({write},
      [&] { return answers_.size() >= kMessages && guest().regionSum(1) == expectedSum(); });
  ASSERT_EQ(answers_.size(), kMessages) << guest().log();
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    EXPECT_EQ(answers_[i].psn, (kFirstPsn + (i + 1) * kFrames - 1) & kPsnMask);
    EXPECT_EQ(answers_[i].msn, i + 1);
    EXPECT_EQ(answers_[i].syndrome >> 5, 0);
  }
  EXPECT_EQ(message_.size(), (kFrames - 1) * kMtu + kLastPayload);
  EXPECT_EQ(guest().regionSum(1), expectedSum());
}

TEST_F(RocePeerTest, SendsComplete) {
  constexpr std::uint32_t kFrames = 5;
  constexpr std::uint32_t kPayload = 512;
  run({flow(stream(2, wire::roce_opcode::kRcSendOnly, kPayload), kFrames)},
      [&] { return answers_.size() >= kFrames && guest().received(2).size() >= kFrames; });
  ASSERT_EQ(guest().received(2).size(), kFrames) << guest().log();
  for (const GuestReceive& receive : guest().received(2)) {
    EXPECT_EQ(receive.status, 0);
    EXPECT_EQ(receive.bytes, kPayload);
  }
  EXPECT_EQ(answers_.size(), kFrames);
}

// A WRITE, then a READ of the same memory: the guest returns the card's data.
TEST_F(RocePeerTest, ReadsReturnWhatWasWritten) {
  constexpr std::uint32_t kPayload = 128;
  card::FlowConfig write = flow(stream(3, wire::roce_opcode::kRcWriteOnly, kPayload), 1);
  card::FlowConfig read = flow(stream(3, wire::roce_opcode::kRcWriteOnly, kPayload), 1);
  // A READ request is a WRITE's headers without payload, under its own opcode.
  read.length = kHeaders + kRethBytes + kChecks;
  read.tagged = false;
  read.payload_offset = kHeaders + kRethBytes;
  read.head.resize(read.payload_offset);
  read.head[kBthOffset] = wire::roce_opcode::kRcReadRequest;
  wire::store16(&read.head[16], static_cast<std::uint16_t>(read.length - 14 - 4));
  wire::store16(&read.head[38], static_cast<std::uint16_t>(read.length - 34 - 4));
  wire::store16(&read.head[24], 0);
  const std::uint16_t checksum =
      wire::ipv4Checksum(wire::ByteView(read.head).subspan(14).first<wire::Ipv4Header::kSize>());
  wire::store16(&read.head[24], checksum);
  read.psn_base = (kFirstPsn + 1) & kPsnMask;
  read.first_due = kGap * 20;
  wire::Buffer written;
  card_->wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame& decoded) {
    if (frame.port == 0 && !decoded.payload.empty()) {
      written.assign(decoded.payload.begin(), decoded.payload.end());
    }
  };
  run({write, read}, [&] { return answers_.size() >= 2; });
  ASSERT_EQ(answers_.size(), 2U) << guest().log();
  EXPECT_EQ(answers_[0].opcode, wire::roce_opcode::kRcAcknowledge);
  EXPECT_EQ(answers_[1].opcode, wire::roce_opcode::kRcReadResponseOnly);
  EXPECT_EQ(answers_[1].psn, (kFirstPsn + 1) & kPsnMask);
  EXPECT_EQ(written.size(), kPayload);
  EXPECT_EQ(answers_[1].payload, written);
}

// The third of five frames has a bad ICRC: the guest drops it silently, and sends a NAK when the
// next one arrives.
TEST_F(RocePeerTest, ABadIcrcIsIgnoredAndTheGapBehindItAnsweredWithNak) {
  constexpr std::uint32_t kFrames = 5;
  constexpr std::uint32_t kStruck = 2;
  card_->wire.expect_whole = false;
  card::DamageRule rule;
  rule.kind = card::DamageKind::kIcrc;
  rule.first = rule.last = kStruck;
  card_->driver.damage(0).setRule(card::DamageDirection::kSent, 0, rule);
  run({flow(stream(4, wire::roce_opcode::kRcWriteOnly, 256), kFrames)}, [&] {
    return answers_.size() >= kStruck + 1 && sent_ == kFrames && !card_->driver.sending();
  });
  ASSERT_GE(answers_.size(), kStruck + 1) << guest().log();
  EXPECT_EQ(card_->driver.damage(0).counters(card::DamageDirection::kSent).icrc, 1U);
  for (std::uint32_t i = 0; i < kStruck; ++i) {
    EXPECT_EQ(answers_[i].psn, (kFirstPsn + i) & kPsnMask);
    EXPECT_EQ(answers_[i].syndrome >> 5, 0);
  }
  const Answer& nak = answers_[kStruck];
  EXPECT_EQ(nak.opcode, wire::roce_opcode::kRcAcknowledge);
  EXPECT_EQ(nak.syndrome, kNakSequence);
  EXPECT_EQ(nak.psn, (kFirstPsn + kStruck) & kPsnMask) << "the one that it still waits for";
  EXPECT_EQ(nak.msn, kStruck);

  // Sent again from there, all is acknowledged. A gap is complained about once.
  answers_.clear();
  card_->driver.reset();
  card_->driver.damage(0).reset();
  card_->driver.setCapture(0, true, false);
  wire::StreamTemplateSpec again = stream(4, wire::roce_opcode::kRcWriteOnly, 256);
  again.psn = (kFirstPsn + kStruck) & kPsnMask;
  run({flow(again, kFrames - kStruck)}, [&] { return answers_.size() >= kFrames - kStruck; });
  ASSERT_EQ(answers_.size(), kFrames - kStruck) << guest().log();
  for (std::uint32_t i = 0; i < kFrames - kStruck; ++i) {
    EXPECT_EQ(answers_[i].psn, (again.psn + i) & kPsnMask);
    EXPECT_EQ(answers_[i].syndrome >> 5, 0);
    EXPECT_EQ(answers_[i].msn, kStruck + i + 1);
  }
}

TEST_F(RocePeerTest, APsnGapIsAnsweredWithNak) {
  wire::StreamTemplateSpec ahead = stream(5, wire::roce_opcode::kRcWriteOnly, 256);
  ahead.psn = (kFirstPsn + 7) & kPsnMask;
  run({flow(ahead, 1)}, [&] { return !answers_.empty(); });
  ASSERT_EQ(answers_.size(), 1U) << guest().log();
  EXPECT_EQ(answers_[0].syndrome, kNakSequence);
  EXPECT_EQ(answers_[0].psn, kFirstPsn);
  EXPECT_EQ(answers_[0].msn, 0U);
}

TEST_F(RocePeerTest, AWrongKeyIsRefused) {
  wire::StreamTemplateSpec spec = stream(6, wire::roce_opcode::kRcWriteOnly, 256);
  spec.rkey ^= 1;
  run({flow(spec, 1)}, [&] { return !answers_.empty(); });
  ASSERT_EQ(answers_.size(), 1U) << guest().log();
  EXPECT_EQ(answers_[0].syndrome, kNakRemoteAccess);
  EXPECT_EQ(answers_[0].psn, kFirstPsn);
}

}  // namespace
}  // namespace plumbline::roce_peer
