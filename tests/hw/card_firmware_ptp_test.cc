// Two Verilated cards on one cable, with oscillators of their own, the firmware on both: PTP frames
// are really sent and received, and the slave's time comes to the master's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "card/built_in_firmware.h"
#include "card/firmware.h"
#include "card/firmware_image.h"
#include "card/registers.h"
#include "sim/card_pair.h"
#include "tests/hw/firmware_card_bus.h"

namespace plumbline::hw_test {
namespace {

namespace fw = firmware;

constexpr Picoseconds kCable = microseconds(20);  // longer than one card is ever ahead of the other
// Seconds of the protocol are 10 ms of the cards.
constexpr std::uint64_t kSpeed = 100;

// What TIME and LOCAL say at one clock edge.
struct TimeReading {
  std::int64_t time = 0;   // card time [ps]
  std::int64_t local = 0;  // simulated time of the card [ps]
};

TimeReading readTime(sim::CardSim& card) {
  namespace time = card::regs::time;
  card.write(time::kBase + time::kTimeCommand, time::kTimeCommandLatch.mask());
  const auto wide = [&](std::uint32_t offset) {
    const std::uint64_t low = card.read(time::kBase + offset);
    const std::uint64_t high = card.read(time::kBase + offset + 4);
    return static_cast<std::int64_t>(low | high << 32U);
  };
  return {.time = wide(time::kNowLo), .local = wide(time::kLocalLo)};
}

// A card whose simulated time passes `1 + error` times as fast as true time.
class PtpCard final : public sim::PortPeer {
 public:
  explicit PtpCard(double error) : error_(error) { sim.connect(this); }
  ~PtpCard() override { sim.connect(nullptr); }
  PtpCard(const PtpCard&) = delete;
  PtpCard& operator=(const PtpCard&) = delete;

  [[nodiscard]] Picoseconds localAt(double true_ps) const {
    return Picoseconds(static_cast<std::int64_t>(true_ps * (1 + error_)));
  }
  [[nodiscard]] double trueAt(Picoseconds local) const {
    return static_cast<double>(local.count()) / (1 + error_);
  }

  void onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) override {
    ++frames;
    const double arrives = trueAt(first_bit) + static_cast<double>(kCable.count());
    other->sim.deliver(port, frame, other->localAt(arrives));
  }
  void advanceTo(Picoseconds /*now*/) override {}

  [[nodiscard]] double timeLessLocal() {
    const TimeReading now = readTime(sim);
    return static_cast<double>(now.time - now.local);
  }

  sim::CardSim sim{{.ports = 2}};
  FirmwareOnCard firmware{sim, kSpeed};
  PtpCard* other = nullptr;
  std::uint64_t frames = 0;

 private:
  double error_;
};

TEST(FirmwarePtp, TheSlavesTimeComesToTheMasters) {
  PtpCard master(40e-6);
  PtpCard slave(-60e-6);
  master.other = &slave;
  slave.other = &master;
  // Sync and Delay_Req every 2^-7 s of the protocol.
  constexpr std::uint32_t kIntervals = 0x00'00F9F9;
  master.firmware.control.start();
  slave.firmware.control.start();
  ASSERT_EQ(slave.firmware.shared.ptp.has_time, 1U);
  ASSERT_EQ(master.firmware.ask(fw::kSetPtp, {fw::kPtpMaster, kIntervals, 0x11335502, 1}),
            fw::kDone);
  ASSERT_EQ(slave.firmware.ask(fw::kSetPtp, {fw::kPtpSlave, kIntervals, 0x22446602, 2}), fw::kDone);
  // The slave is far off before.
  slave.firmware.bus.writeCard(fw::regs::time::kBase + fw::regs::time::kStepLo, 123'456'789);
  slave.firmware.bus.writeCard(fw::regs::time::kBase + fw::regs::time::kStepHi, 0);
  const fw::PtpStatus& status = slave.firmware.shared.ptp;
  double now = 0;
  const auto run = [&](double duration) {
    for (const double end = now + duration; now < end; now += 1e6) {
      master.firmware.runUntil(master.localAt(now));
      slave.firmware.runUntil(slave.localAt(now));
    }
  };
  // The rate from 32 Syncs, the delay from 8 exchanges, and 24 Syncs of the controller.
  run(5.6e9);
  EXPECT_GE(status.state, std::uint32_t{fw::kPtpTracking});
  EXPECT_EQ(status.steps, 1U);
  EXPECT_EQ(status.bad_frames + status.dropped, 0U);
  EXPECT_EQ(master.firmware.shared.ptp.state, std::uint32_t{fw::kPtpSends});
  EXPECT_GT(status.syncs, 50U);
  EXPECT_GE(status.exchanges, 8U);
  EXPECT_GT(master.frames, 2 * 50U);
  EXPECT_GT(slave.frames, 8U);
  // (1 + 40 ppm) / (1 - 60 ppm) less 1, to the resolution of stamps: a clock in 2 ms.
  EXPECT_NEAR(static_cast<std::int32_t>(status.rate) * 1e-6, 100.006, 3.0);
  // TX and RX stamps are not calibrated here; both directions have the same constants, which the
  // delay takes up. A clock (3.1 ns) of each stamp's resolution is left, and the drift since.
  const double at_true = std::max(master.trueAt(master.sim.now()), slave.trueAt(slave.sim.now()));
  const double of_master =
      static_cast<double>(master.localAt(at_true).count()) + master.timeLessLocal();
  const double of_slave =
      static_cast<double>(slave.localAt(at_true).count()) + slave.timeLessLocal();
  std::cout << "slave less master " << (of_slave - of_master) / 1e3 << " ns, rate "
            << static_cast<std::int32_t>(status.rate) * 1e-6 << " ppm\n";
  EXPECT_NEAR(of_slave, of_master, 20'000);
}

// The slave's card time less the master's at one true time [ps]; `of_slave` becomes what the
// slave's card says. The readings are some 0.1 us apart, over which the master's rate may be taken
// as 1.
std::int64_t slaveLessMaster(sim::CardPair& pair, TimeReading& of_slave) {
  of_slave = readTime(pair.card(1));
  const TimeReading of_master = readTime(pair.card(0));
  const Picoseconds between = pair.trueTime(0, Picoseconds(of_master.local)) -
                              pair.trueTime(1, Picoseconds(of_slave.local));
  return of_slave.time - (of_master.time - between.count());
}

// The bar of time between cards, on the registers of two Verilated cards, at the cards' own speed:
// oscillators 200 ppm apart that drift, 13 ns of noise on each time stamp. A trial of some 1.5
// thousand million clocks: it runs behind PLUMBLINE_LONG only.
TEST(FirmwarePtp, SlaveIsWithin20NsAtP99AfterTwoSecondsOnTheCards) {
  if (std::getenv("PLUMBLINE_LONG") == nullptr) GTEST_SKIP() << "PLUMBLINE_LONG is not set";
  // Each frame has two stamps with 13 ns of uniform noise each: the cable has noise of the same
  // standard deviation, 13 ns * sqrt(2), once. Their drift apart is 0.1 ppm a second.
  sim::CardPair pair({sim::Oscillator{.deviation_ppb = 100'000, .drift_ppb_per_s = 50},
                      sim::Oscillator{.deviation_ppb = -100'000, .drift_ppb_per_s = -50}},
                     {.delay = microseconds(1), .jitter = Picoseconds(18'385), .seed = 1});
  FirmwareOnCard master(pair.card(0));
  FirmwareOnCard slave(pair.card(1));
  master.control.start();
  slave.control.start();
  // Sync and Delay_Req 64 and 16 times a second, Announce 8 times.
  constexpr std::uint32_t kIntervals = 0xFD'FCFA;
  ASSERT_EQ(master.ask(fw::kSetPtp, {fw::kPtpMaster, kIntervals, 0x11335502, 1}), fw::kDone);
  ASSERT_EQ(slave.ask(fw::kSetPtp, {fw::kPtpSlave, kIntervals, 0x22446602, 2}), fw::kDone);
  slave.bus.writeCard(fw::regs::time::kBase + fw::regs::time::kStepLo, 123'456'789);
  slave.bus.writeCard(fw::regs::time::kBase + fw::regs::time::kStepHi, 0);

  std::vector<double> offsets_ns;
  std::int64_t before = 0;
  std::uint32_t steps = 0;
  for (Picoseconds now{}; now < milliseconds(2'500); now += microseconds(20)) {
    master.runUntil(pair.localTime(0, now));
    slave.runUntil(pair.localTime(1, now));
    if (now.count() % milliseconds(1).count() != 0) continue;
    TimeReading of_slave;
    const std::int64_t offset = slaveLessMaster(pair, of_slave);
    if (slave.shared.ptp.steps == steps) {
      ASSERT_GT(of_slave.time, before) << "time went back at " << now.toSeconds() << " s";
    }
    steps = slave.shared.ptp.steps;
    before = of_slave.time;
    if (now >= seconds(2)) offsets_ns.push_back(std::abs(static_cast<double>(offset)) / 1e3);
    if (now.count() % milliseconds(100).count() == 0) {
      std::cout << now.toSeconds() << " s: state " << slave.shared.ptp.state << ", offset "
                << static_cast<double>(offset) / 1e3 << " ns\n";
    }
  }
  const fw::PtpStatus& status = slave.shared.ptp;
  EXPECT_EQ(status.bad_frames + status.dropped, 0U);
  EXPECT_EQ(status.losses, 0U);
  EXPECT_GT(status.syncs, 0U);
  std::sort(offsets_ns.begin(), offsets_ns.end());
  const double p99 = offsets_ns.at(offsets_ns.size() * 99 / 100);
  std::cout << offsets_ns.size() << " readings: |offset| P50 "
            << offsets_ns.at(offsets_ns.size() / 2) << ", P99 " << p99 << ", most "
            << offsets_ns.back() << " ns; uncertainty " << status.uncertainty_ps << " ps, rate "
            << static_cast<std::int32_t>(status.rate) * 1e-6 << " ppm\n";
  EXPECT_EQ(status.state, std::uint32_t{fw::kPtpLocked});
  EXPECT_EQ(status.steps, 1U);
  EXPECT_LE(p99, 20.0);
}

// A PTP frame on the wire: its fields as IEEE 1588-2019, clause 13, has them.
struct PtpFrame {
  std::uint32_t sender = 0;  // card
  Picoseconds first_bit{};   // true time
  std::uint32_t type = 0;    // 0 Sync, 1 Delay_Req, 8 Follow_Up, 9 Delay_Resp, 11 Announce
  std::uint32_t sequence = 0;
  double stamp_ps = 0;  // of Follow_Up and Delay_Resp, the correction added or taken off
};

std::uint64_t bigEndian(const sim::FrameBytes& frame, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8U | (*frame)[at + i];
  return value;
}

PtpFrame readPtp(std::uint32_t sender, const sim::FrameBytes& frame, Picoseconds first_bit) {
  constexpr std::size_t kHeader = 14;
  EXPECT_EQ(bigEndian(frame, 12, 2), 0x88F7U);
  PtpFrame read{.sender = sender, .first_bit = first_bit};
  read.type = bigEndian(frame, kHeader, 1) & 0xFU;
  read.sequence = static_cast<std::uint32_t>(bigEndian(frame, kHeader + 30, 2));
  const double seconds_part = static_cast<double>(bigEndian(frame, kHeader + 34, 6)) * 1e12;
  const double ns_part = static_cast<double>(bigEndian(frame, kHeader + 40, 4)) * 1e3;
  const auto correction = static_cast<std::int64_t>(bigEndian(frame, kHeader + 8, 8));
  const double correction_ps = static_cast<double>(correction) * 1000 / 65'536;
  // Delay_Resp: the receiver takes the correction off (11.3.2).
  read.stamp_ps = seconds_part + ns_part + (read.type == 9 ? -correction_ps : correction_ps);
  return read;
}

// Differences of the messages' stamps of master time to the time of the frames that they belong
// to, on the wire at the master: Follow_Up to Sync, Delay_Resp to Delay_Req.
std::vector<double> stampErrors(const std::vector<PtpFrame>& frames, std::uint32_t message,
                                std::uint32_t event, const sim::CardPair& pair) {
  std::vector<double> errors;
  for (const PtpFrame& frame : frames) {
    if (frame.type != message) continue;
    const auto of = std::find_if(frames.begin(), frames.end(), [&](const PtpFrame& other) {
      return other.type == event && other.sequence == frame.sequence;
    });
    if (of == frames.end()) {
      ADD_FAILURE() << "no event frame of sequence " << frame.sequence;
      continue;
    }
    const Picoseconds way = of->sender == 0 ? Picoseconds(0) : microseconds(1);
    const Picoseconds local = pair.localTime(0, of->first_bit + way);
    errors.push_back(frame.stamp_ps - static_cast<double>(local.count()));
  }
  return errors;
}

double spread(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

// The image, on the processors of two Verilated cards, loaded and asked by the driver. The stamps
// that it sends are those of the frames on the wire, to a clock: the constant between a card's
// stamps and the wire is left. The short form ends before there are Syncs enough for the servo; the
// long one has it follow the master.
TEST(FirmwarePtp, ImagesExchangeTimeBetweenTwoCards) {
  if (card::builtInFirmware().empty()) {
    GTEST_SKIP() << "built without firmware: no riscv64-unknown-elf-g++";
  }
  const bool follows = std::getenv("PLUMBLINE_LONG") != nullptr;
  sim::CardPair pair(
      {sim::Oscillator{.deviation_ppb = 40'000}, sim::Oscillator{.deviation_ppb = -60'000}},
      {.delay = microseconds(1)});
  std::vector<PtpFrame> frames;
  pair.observe = [&frames](std::uint32_t sender, const sim::FrameBytes& frame,
                           Picoseconds first_bit) {
    frames.push_back(readPtp(sender, frame, first_bit));
  };
  const card::FirmwareImage image =
      card::parseFirmwareImage(card::builtInFirmware(), "built-in firmware");
  card::Firmware master(pair.card(0));
  card::Firmware slave(pair.card(1));
  for (card::Firmware* firmware : {&master, &slave}) {
    firmware->load(image);
    firmware->start();
  }
  card::PtpSettings settings{.role = fw::kPtpMaster, .mac = {0x02, 0x55, 0x33, 0x11, 0, 1}};
  settings.log_sync = settings.log_delay = -7;
  settings.log_announce = -3;
  master.setPtp(settings);
  settings.role = fw::kPtpSlave;
  settings.mac = {0x02, 0x66, 0x44, 0x22, 0, 2};
  slave.setPtp(settings);
  const Picoseconds begin = pair.now();
  // Announce comes at once, Syncs every 7.8 ms. Delay_Reqs begin when the rate is known, behind 32
  // Syncs.
  pair.runUntil(begin + (follows ? milliseconds(800) : milliseconds(30)));

  const fw::PtpStatus status = slave.ptp();
  EXPECT_EQ(status.bad_frames + status.dropped + status.losses, 0U);
  EXPECT_EQ(master.ptp().bad_frames + master.ptp().dropped, 0U);
  EXPECT_EQ(status.master_high, 0x025533FFU);
  EXPECT_EQ(status.master_low, 0xFE110001U);
  EXPECT_GE(status.syncs, 2U);
  // Stamps are those of clock edges, so within a clock of each other; and the line's grid of 8 B.
  constexpr double kSpreadPs = 102'400.0 / 33 + 641;
  const std::vector<double> sent = stampErrors(frames, 8, 0, pair);
  ASSERT_GE(sent.size(), 3U);
  EXPECT_LE(spread(sent), kSpreadPs);
  std::cout << sent.size() << " Syncs: stamp less wire " << sent.front() / 1e3 << " ns, spread "
            << spread(sent) / 1e3 << " ns\n";
  if (!follows) return;
  const std::vector<double> received = stampErrors(frames, 9, 1, pair);
  ASSERT_GE(received.size(), 16U);
  EXPECT_LE(spread(received), kSpreadPs);
  std::cout << received.size() << " Delay_Reqs: stamp less wire " << received.front() / 1e3
            << " ns, spread " << spread(received) / 1e3 << " ns\n";
  EXPECT_GE(status.exchanges, 16U);
  EXPECT_GE(status.state, std::uint32_t{fw::kPtpTracking});
  EXPECT_NEAR(static_cast<std::int32_t>(status.rate) * 1e-6, 100.006, 0.5);
  TimeReading of_slave;
  const std::int64_t offset = slaveLessMaster(pair, of_slave);
  std::cout << "slave less master " << static_cast<double>(offset) / 1e3 << " ns\n";
  EXPECT_LE(std::abs(offset), 20'000);
}

}  // namespace
}  // namespace plumbline::hw_test
