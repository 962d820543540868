// links: plumbline_card_sim plumbline_card plumbline_stream_flows plumbline_wire
// Speed of the simulated card: card clocks and frames per second of processor time, for all ports
// sending and receiving at line rate and for an idle card; as one card of many ports, and as many
// cards of one port with a thread each (per second of wall time). Rows of the first kind break
// their time down, and the row of one port compares with the requirement of a million clocks a
// second, by the fastest 10 us of card time, which other programs disturbed least. Reported in
// docs/simulation-speed.md.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "card/driver.h"
#include "sim/card_model.h"
#include "sim/card_sim.h"
#include "tests/benchmarks/stream_flows.h"

namespace plumbline {
namespace {

// Joins ports 0 and 1, 2 and 3 by a wire, or the only port with itself, at minimal cost.
class Loop final : public sim::PortPeer {
 public:
  Loop(sim::CardSim& sim, std::uint32_t ports) : sim_(sim), other_end_(ports == 1 ? 0 : 1) {
    sim_.connect(this);
  }

  void onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) override {
    ++frames_;
    sim_.deliver(port ^ other_end_, std::move(frame), first_bit + microseconds(1));
  }
  void advanceTo(Picoseconds) override {}

  [[nodiscard]] std::uint64_t frames() const { return frames_; }

 private:
  sim::CardSim& sim_;
  std::uint32_t other_end_;  // of port p: p ^ other_end_
  std::uint64_t frames_ = 0;
};

// Frames of `length` bytes without end (for the purpose) at line rate.
card::FlowConfig flowOf(std::uint32_t port, std::uint32_t length) {
  card::FlowConfig flow = hw_test::makeFlow(hw_test::udpStream(port, length), 0);
  hw_test::setConstantRate(flow, Fraction::one(), card::kMaxBurstFrames);
  flow.bursts = 1000;
  flow.burst_interval = card::FinePeriod::fromPicoseconds(frameSlot(Bytes(length), sim::kLineRate) *
                                                          card::kMaxBurstFrames);
  return flow;
}

// A card under load since 30 us of its time, or idle with a length of 0.
class LoadedCard {
 public:
  LoadedCard(std::uint32_t ports, std::uint32_t length)
      : sim_({.ports = ports}), loop_(sim_, ports) {
    card::Driver driver(sim_);
    driver.reset();
    if (length == 0) return;
    for (std::uint32_t port = 0; port < ports; ++port) {
      driver.loadFlows(port, std::vector{flowOf(port, length)});
    }
    driver.arm(driver.earliestStart());
    sim_.wait(microseconds(30));
  }

  void run(Picoseconds duration) { sim_.wait(duration); }
  [[nodiscard]] std::uint64_t cycles() const { return sim_.cycles(); }
  [[nodiscard]] std::uint64_t frames() const { return loop_.frames(); }

 private:
  sim::CardSim sim_;
  Loop loop_;
};

constexpr double kBar = 1e6;  // clocks per second of a card of one port on one core

// Processor time of this thread.
double threadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Time of a clock of an idle card, in seconds: the Verilated model alone, out of reset, and with
// everything around it. The best of some short runs.
struct IdleClock {
  double model = std::numeric_limits<double>::max();
  double card = std::numeric_limits<double>::max();
};

IdleClock measureIdleClock(std::uint32_t ports) {
  constexpr int kRuns = 10;
  constexpr int kClocks = 5000;
  const std::unique_ptr<sim::CardModel> model = sim::makeCardModel(ports);
  const auto clocks = [&model](int count) {
    for (int i = 0; i < count; ++i) {
      model->rise();
      model->fall();
    }
  };
  model->setReset(true);
  clocks(8);
  model->setReset(false);
  for (const sim::PortPins& port : model->pins().ports) {
    *port.tx_ready = 1;
    *port.tx_set_ready = 1;
  }
  clocks(2 * kClocks);  // the tables are swept after a reset
  LoadedCard card(ports, 0);
  IdleClock idle;
  for (int i = 0; i < kRuns; ++i) {
    const double began = threadSeconds();
    clocks(kClocks);
    const double between = threadSeconds();
    const std::uint64_t cycles = card.cycles();
    card.run(microseconds(15));
    idle.model = std::min(idle.model, (between - began) / kClocks);
    idle.card = std::min(idle.card,
                         (threadSeconds() - between) / static_cast<double>(card.cycles() - cycles));
  }
  return idle;
}

// Breakdown of `seconds` per clock in percent, and one port's speed relative to the target.
std::string account(std::uint32_t ports, double seconds, bool loaded) {
  static std::map<std::uint32_t, IdleClock> measured;  // a row is run several times
  const auto found = measured.find(ports);
  const IdleClock idle =
      found != measured.end() ? found->second : measured[ports] = measureIdleClock(ports);
  const double whole = loaded ? seconds : idle.card;
  const auto percent = [whole](double part) { return std::max(0.0, 100 * part / whole); };
  std::string text = fmt::format("idle model {:.0f} %, harness {:.0f} %", percent(idle.model),
                                 percent(idle.card - idle.model));
  if (loaded) {
    text += fmt::format(", frames {:.0f} %", percent(seconds - idle.card));
  }
  if (ports == 1) {
    const double ratio = 1 / seconds / kBar;
    text += fmt::format("; {:.2f} of the bar{}", ratio, ratio < 1 ? ": BELOW" : "");
  }
  return text;
}

void setRates(benchmark::State& state, std::uint64_t cycles, std::uint64_t frames) {
  using benchmark::Counter;
  state.counters["cycles/s"] = Counter(static_cast<double>(cycles), Counter::kIsRate);
  state.counters["frames/s"] = Counter(static_cast<double>(frames), Counter::kIsRate);
}

// Arguments: ports, frame length (0 = idle).
void cardSim(benchmark::State& state) {
  auto card = std::make_unique<LoadedCard>(static_cast<std::uint32_t>(state.range(0)),
                                           static_cast<std::uint32_t>(state.range(1)));
  const std::uint64_t cycles = card->cycles();
  const std::uint64_t frames = card->frames();
  double clock_seconds = std::numeric_limits<double>::max();
  while (state.KeepRunning()) {
    const std::uint64_t before = card->cycles();
    const double began = threadSeconds();
    card->run(microseconds(10));
    clock_seconds = std::min(
        clock_seconds, (threadSeconds() - began) / static_cast<double>(card->cycles() - before));
  }
  setRates(state, card->cycles() - cycles, card->frames() - frames);
  state.SetLabel(
      account(static_cast<std::uint32_t>(state.range(0)), clock_seconds, state.range(1) != 0));
}

BENCHMARK(cardSim)
    ->ArgNames({"ports", "length"})
    ->ArgsProduct({{1, 2, 4, 8}, {0, 64, 1518, 9216}})
    ->Unit(benchmark::kMillisecond);

// As many ports in cards of one port, a thread each: clocks per second of every card. Arguments:
// cards, frame length.
void cardsOnThreads(benchmark::State& state) {
  std::vector<std::unique_ptr<LoadedCard>> cards;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    cards.push_back(std::make_unique<LoadedCard>(1, static_cast<std::uint32_t>(state.range(1))));
  }
  const std::uint64_t cycles = cards.front()->cycles();
  std::uint64_t frames = 0;
  for (const auto& card : cards) frames -= card->frames();
  while (state.KeepRunning()) {
    const auto began = std::chrono::steady_clock::now();
    std::vector<std::jthread> threads;
    threads.reserve(cards.size());
    for (const auto& card : cards) {
      threads.emplace_back([&card] { card->run(microseconds(100)); });
    }
    threads.clear();  // joins them
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  for (const auto& card : cards) frames += card->frames();
  setRates(state, cards.front()->cycles() - cycles, frames);
}

BENCHMARK(cardsOnThreads)
    ->ArgNames({"cards", "length"})
    ->ArgsProduct({{1, 2, 4, 8}, {64, 1518}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plumbline
