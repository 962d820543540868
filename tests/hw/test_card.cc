#include "test_card.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "bench/trial/calibration.h"
#include "sim/wire.h"

namespace plumbline::hw_test {
namespace {

sim::CardSimOptions withPorts(sim::CardSimOptions options, std::uint32_t ports) {
  options.ports = ports;
  return options;
}

}  // namespace

TestWire::TestWire(sim::CardSim& sim, std::uint32_t ports, Picoseconds delay)
    : sim_(sim), delay_(delay), sent_(ports), free_(ports), arrivals_(ports) {
  forward = [this](const WireFrame& frame) { pass(frame); };
  sim_.connect(this);
}

void TestWire::put(std::uint32_t port, sim::FrameBytes frame, Picoseconds earliest) {
  // What a deficit idle count may leave of a gap (FACTS I.3).
  constexpr Bytes kSmallestGap{5};
  const Picoseconds first_bit = std::max(earliest, free_[port]);
  const Bytes length(static_cast<std::int64_t>(frame->size()));
  free_[port] =
      first_bit + serializationTime(length + kSmallestGap + kPreambleBytes, sim::kLineRate);
  if (keep_arrivals) {
    arrivals_[port].push_back({port, frame, first_bit});
  }
  sim_.deliver(port, std::move(frame), first_bit);
}

void TestWire::pass(const WireFrame& frame) {
  put(otherEnd(frame.port), frame.bytes, frame.first_bit + delay_);
}

void TestWire::onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) {
  const WireFrame sent{port, std::move(frame), first_bit};
  const wire::DecodedFrame decoded = wire::decodeFrame(*sent.bytes);
  if (expect_whole) {
    EXPECT_TRUE(decoded.ok()) << decodeErrorName(decoded.error) << "\n" << describe(decoded);
    EXPECT_TRUE(decoded.fcs && decoded.fcs->ok()) << describe(decoded);
    EXPECT_TRUE(!decoded.icrc || decoded.icrc->ok()) << describe(decoded);
    EXPECT_TRUE(!decoded.ipv4_checksum || decoded.ipv4_checksum->ok()) << describe(decoded);
  }
  ++sent_[port];
  if (observe) {
    observe(sent, decoded);
  }
  forward(sent);
}

void TestWire::advanceTo(Picoseconds now) {
  if (tick) {
    tick(now);
  }
}

TestCard::TestCard(std::uint32_t port_count, const sim::CardSimOptions& options)
    : ports(port_count),
      sim(withPorts(options, port_count)),
      wire(sim, port_count, kWireDelay),
      driver(sim) {
  driver.reset();
  for (std::uint32_t port = 0; port < ports; ++port) {
    driver.setTiming(port, {.byte_time = sim::kByteTime,
                            .tx_offset = bench::kTxOffset,
                            .rx_offset = bench::kRxOffset});
  }
}

Picoseconds TestCard::start(Picoseconds later) {
  const Picoseconds start = driver.earliestStart() + later;
  driver.arm(start);
  return start;
}

void TestCard::finish(Picoseconds drain, Picoseconds step, const std::function<void()>& every) {
  bool sending = true;
  while (sending) {
    sim.wait(step);
    sending = driver.sending();
    if (!sending) {
      sim.wait(drain);
    }
    if (every) {
      every();
    }
  }
}

void TestCard::expectNoFaults() {
  EXPECT_FALSE(driver.lateStart());
  for (std::uint32_t port = 0; port < ports; ++port) {
    const card::PortFaults faults = driver.faults(port);
    EXPECT_FALSE(faults.tx_stall) << "port " << port;
    EXPECT_FALSE(faults.rx_event_overflow) << "port " << port;
    EXPECT_FALSE(faults.capture_overflow) << "port " << port;
    EXPECT_EQ(sim.wireStats(port).underruns, 0U) << "port " << port;
  }
}

}  // namespace plumbline::hw_test
