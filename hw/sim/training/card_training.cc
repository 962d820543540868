// The profiling workload of a simulated card (PLUMBLINE_CARD_SIM_PGO): run with an instrumented
// model it produces a profile of a clock's work. First the usual states of cards, idle and full
// load with short and long frames; then every optional part in turn, so that the compiler does not
// treat it as dead code. Nothing is measured, and every run is the same.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "card/driver.h"
#include "sim/card_sim.h"
#include "wire/frame.h"
#include "wire/template.h"

namespace plumbline::sim {
namespace {

// Joins ports 0 and 1, 2 and 3 by a wire, or the only port with itself.
class Wires final : public PortPeer {
 public:
  Wires(CardSim& card, std::uint32_t ports) : card_(card), other_end_(ports == 1 ? 0 : 1) {
    card_.connect(this);
  }

  void onFrameFromCard(std::uint32_t port, FrameBytes frame, Picoseconds first_bit) override {
    onFrameFromCard(port, std::move(frame), first_bit, kOrdinaryPreamble);
  }
  void onFrameFromCard(std::uint32_t port, FrameBytes frame, Picoseconds first_bit,
                       Preamble preamble) override {
    card_.deliver(port ^ other_end_, std::move(frame), first_bit + kDelay, preamble);
  }
  void onSetFromCard(std::uint32_t port, OrderedSet set, Picoseconds begin) override {
    card_.deliverSet(port ^ other_end_, set, begin + kDelay);
  }
  void advanceTo(Picoseconds /*now*/) override {}

 private:
  static constexpr Picoseconds kDelay = microseconds(1);

  CardSim& card_;
  std::uint32_t other_end_;  // of port p: p ^ other_end_
};

// Frames at line rate for longer than any of the training runs.
card::FlowConfig flowOf(std::uint32_t length, bool roce) {
  wire::StreamTemplateSpec stream;
  stream.source_mac = {{0x02, 0, 0, 0, 0, 1}};
  stream.destination_mac = {{0x02, 0, 0, 0, 0, 2}};
  stream.source_ipv4 = {{198, 18, 0, 1}};
  stream.destination_ipv4 = {{198, 18, 0, 2}};
  stream.length = length;
  if (roce) {
    stream.roce_opcode = wire::roce_opcode::kRcWriteOnly;
    stream.dest_qp = 0x100;
  }
  const wire::StreamTemplate frame = makeStreamTemplate(stream);
  card::FlowConfig flow;
  flow.head.assign(frame.bytes.begin(), frame.bytes.end());
  flow.length = length;
  flow.tag_offset = frame.tag_off;
  flow.payload_offset = frame.pay_off;
  flow.roce = roce;
  flow.icrc = frame.icrc;
  flow.modify_psn = roce;
  flow.period = card::framePeriod(Bytes(length), kLineRate, Fraction::one());
  flow.burst_frames = card::kMaxBurstFrames;
  return flow;
}

// A card whose ports send to each other, and its driver.
class Card {
 public:
  explicit Card(std::uint32_t ports)
      : ports_(ports), sim_({.ports = ports}), wires_(sim_, ports), driver_(sim_) {
    driver_.reset();
  }

  template <typename Action>
  void forEachPort(const Action& action) {
    for (std::uint32_t port = 0; port < ports_; ++port) action(driver_, port);
  }

  void run(Picoseconds duration) { sim_.wait(duration); }

  void send(const std::vector<card::FlowConfig>& flows, Picoseconds duration) {
    forEachPort([&](card::Driver& driver, std::uint32_t port) { driver.loadFlows(port, flows); });
    const Picoseconds start = driver_.earliestStart();
    driver_.arm(start);
    sim_.runUntil(start + duration);
  }

 private:
  std::uint32_t ports_;
  CardSim sim_;
  Wires wires_;
  card::Driver driver_;
};

void damage(card::Driver& driver, std::uint32_t port) {
  card::DamageControl damage = driver.damage(port);
  damage.setRule(card::DamageDirection::kSent, 0,
                 {.kind = card::DamageKind::kTruncate, .step = 70});
  damage.setRule(card::DamageDirection::kSent, 1, {.kind = card::DamageKind::kFcs, .step = 90});
  for (const auto direction : {card::DamageDirection::kSent, card::DamageDirection::kReceived}) {
    damage.setRule(direction, 2, {.kind = card::DamageKind::kBits, .step = 50, .offset = 100});
    damage.setBitErrors(direction, card::BitErrors{.ratio = 1e-6, .seed = 1});
  }
}

void controlFlow(card::Driver& driver, std::uint32_t port) {
  card::FlowControl flow_control = driver.flowControl(port);
  card::VirtualBuffer buffer;
  buffer.cell_bytes = 64;
  for (card::BufferLevel& level : buffer.levels) {
    level = {.capacity = 4096, .drain = gigabitsPerSecond(90), .pfc = true, .xoff = 64, .xon = 16};
  }
  flow_control.setBuffer(buffer);
  flow_control.setPauseLog(true);
  card::Cbfc credits;
  credits.credit_limit[0] = 512;
  credits.receive = 1;
  credits.cf_min = nanoseconds(100);
  credits.cf_max = microseconds(10);
  credits.cc_period = microseconds(10);
  flow_control.setCbfc(credits);
  driver.setPfcReaction(port, 0xFF);
}

void retry(card::Driver& driver, std::uint32_t port) {
  driver.damage(port).setRule(card::DamageDirection::kSent, 0,
                              {.kind = card::DamageKind::kFcs, .first = 40, .step = 200});
  card::LlrConfig config;
  config.replay_count_max = card::kLlrMaxReplays + 1;
  driver.linkRetry(port).configure(config);
}

void train(std::uint32_t ports) {
  Card(ports).run(microseconds(60));
  for (const std::uint32_t length : {64U, 65U, 1518U}) {
    Card(ports).send({flowOf(length, false)}, microseconds(60));
  }
  Card(ports).send({flowOf(128, true), flowOf(1024, true)}, microseconds(30));
  {
    Card card(ports);
    card.forEachPort([](card::Driver& driver, std::uint32_t port) {
      damage(driver, port);
      driver.setCapture(port, true, true);
    });
    card.send({flowOf(128, false)}, microseconds(20));
  }
  {
    Card card(ports);
    card.forEachPort(controlFlow);
    card.send({flowOf(256, false)}, microseconds(20));
  }
  {
    Card card(ports);
    card.forEachPort(retry);
    card.run(microseconds(10));
    card.send({flowOf(256, false)}, microseconds(30));
  }
}

}  // namespace
}  // namespace plumbline::sim

int main() try {
  plumbline::sim::train(1);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "card_training: %s\n", error.what());
  return 1;
}
