#include "sim/card_pair.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"

namespace plumbline::sim {
namespace {

constexpr std::int64_t kMaxPpb = 1'000'000;
constexpr std::int64_t kMaxDrift = 1'000'000'000;  // ppb per s
constexpr Picoseconds kMinDelay = nanoseconds(100);
constexpr double kPpb = 1e-9;
constexpr double kPpbPerS = 1e-9 / 1e12;  // per ps

void checkWithin(const char* what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw Error(ErrorKind::kTester, std::string(what) + " of a pair of cards is out of range",
              std::to_string(value), std::to_string(low) + " to " + std::to_string(high));
}

Picoseconds rounded(double ps) { return Picoseconds(std::llround(ps)); }

}  // namespace

// The cable's end at a card.
class CardPair::End final : public PortPeer {
 public:
  End(CardPair& pair, std::uint32_t card) : pair_(pair), card_(card) {}

  void onFrameFromCard(std::uint32_t /*port*/, FrameBytes frame, Picoseconds first_bit) override {
    pair_.carry(card_, std::move(frame), first_bit);
  }
  void advanceTo(Picoseconds now) override { pair_.follow(card_, now); }

 private:
  CardPair& pair_;
  std::uint32_t card_;
};

CardPair::CardPair(const std::array<Oscillator, kCards>& oscillators, const CableOptions& cable)
    : oscillators_(oscillators), cable_(cable), random_(cable.seed, "sim/cable") {
  for (const Oscillator& oscillator : oscillators_) {
    checkWithin("the deviation [ppb]", oscillator.deviation_ppb, -kMaxPpb, kMaxPpb);
    checkWithin("the drift [ppb per s]", oscillator.drift_ppb_per_s, -kMaxDrift, kMaxDrift);
  }
  checkWithin("the cable's delay [ps]", cable.delay.count(), kMinDelay.count(),
              milliseconds(1).count());
  checkWithin("the cable's jitter [ps]", cable.jitter.count(), 0,
              (cable.delay - kMinDelay).count());
  for (std::uint32_t card = 0; card < kCards; ++card) {
    cards_[card] = std::make_unique<CardSim>(CardSimOptions{.ports = 1});
    ends_[card] = std::make_unique<End>(*this, card);
    cards_[card]->connect(ends_[card].get());
  }
}

CardPair::~CardPair() = default;

Picoseconds CardPair::localTime(std::uint32_t card, Picoseconds true_time) const {
  const Oscillator& oscillator = oscillators_.at(card);
  const auto t = static_cast<double>(true_time.count());
  // The deviation apart, so that large times keep their picoseconds.
  const double ahead = t * (static_cast<double>(oscillator.deviation_ppb) * kPpb) +
                       t * t * (static_cast<double>(oscillator.drift_ppb_per_s) * kPpbPerS / 2);
  return true_time + rounded(ahead);
}

Picoseconds CardPair::trueTime(std::uint32_t card, Picoseconds local) const {
  // The deviation is small: each turn makes the error smaller by its square.
  Picoseconds true_time = local;
  for (int turn = 0; turn < 6; ++turn) true_time += local - localTime(card, true_time);
  return true_time;
}

Picoseconds CardPair::now() const {
  return std::min(trueTime(0, cards_[0]->now()), trueTime(1, cards_[1]->now()));
}

void CardPair::runUntil(Picoseconds true_time) {
  for (std::uint32_t card = 0; card < kCards; ++card) {
    cards_[card]->runUntil(localTime(card, true_time));
  }
}

void CardPair::follow(std::uint32_t card, Picoseconds local) {
  if (following_) return;
  following_ = true;
  const std::uint32_t other = 1 - card;
  cards_[other]->runUntil(localTime(other, trueTime(card, local)));
  following_ = false;
}

void CardPair::carry(std::uint32_t from, FrameBytes frame, Picoseconds first_bit) {
  const Picoseconds sent = trueTime(from, first_bit);
  if (observe) observe(from, frame, sent);
  const std::uint32_t to = 1 - from;
  const std::int64_t most = cable_.jitter.count();
  const auto spread = static_cast<std::uint64_t>(2 * most + 1);
  const Picoseconds jitter(static_cast<std::int64_t>(random_.below(spread)) - most);
  // The smallest gap that a deficit idle count leaves.
  constexpr Bytes kSmallestGap{5};
  const Bytes length(static_cast<std::int64_t>(frame->size()));
  const Picoseconds arrival = std::max(localTime(to, sent + cable_.delay + jitter), free_[to]);
  free_[to] = arrival + serializationTime(length + kSmallestGap + kPreambleBytes, kLineRate);
  cards_[to]->deliver(0, std::move(frame), arrival);
}

}  // namespace plumbline::sim
