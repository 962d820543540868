#include "bench/card/card_group.h"

#include <utility>

namespace plumbline::bench {
namespace {

// Card time that reading the counters of one port takes.
constexpr Picoseconds kReadingTime = microseconds(12);
constexpr std::size_t kPortsRead = 4;

}  // namespace

// A card with its driver; reports the events of its ports to the group.
class CardGroup::Member final : public sim::PortPeer {
 public:
  Member(CardGroup& group, std::uint32_t first_port, const sim::CardSimOptions& options)
      : card(options), group_(group), first_port_(first_port) {
    card.connect(this);
  }

  [[nodiscard]] std::uint32_t firstPort() const { return first_port_; }

  void onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) override {
    onFrameFromCard(port, std::move(frame), first_bit, sim::kOrdinaryPreamble);
  }
  void onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit,
                       sim::Preamble preamble) override {
    if (group_.peer_ == nullptr) return;
    group_.peer_->onFrameFromCard(first_port_ + port, std::move(frame), first_bit, preamble);
  }
  void onSetFromCard(std::uint32_t port, sim::OrderedSet set, Picoseconds begin) override {
    if (group_.peer_ != nullptr) group_.peer_->onSetFromCard(first_port_ + port, set, begin);
  }
  void advanceTo(Picoseconds now) override { group_.step(*this, now); }

  sim::CardSim card;

 private:
  CardGroup& group_;
  std::uint32_t first_port_;
};

CardGroup::CardGroup(std::uint32_t cards, std::uint32_t ports, const std::string& trace_fst)
    : ports_(ports) {
  for (std::uint32_t i = 0; i < cards; ++i) {
    members_.push_back(std::make_unique<Member>(
        *this, i * ports,
        sim::CardSimOptions{.ports = ports, .trace_fst = i == 0 ? trace_fst : std::string()}));
  }
  // Only when the whole group exists, because a driver advances the card's clock.
  for (const auto& member : members_) add(member->card);
}

CardGroup::~CardGroup() = default;

// The DUT first, then the other cards, then the leader: the DUT has all that a card sent before a
// clock when it gets to that clock, and what it delivers is on the wire before any card looks.
void CardGroup::step(const Member& leader, Picoseconds time) {
  if (stepping_) return;
  stepping_ = true;
  if (peer_ != nullptr) peer_->advanceTo(time);
  for (const auto& member : members_) {
    if (member.get() != &leader) member->card.runUntil(time);
  }
  stepping_ = false;
}

CardGroup::Member& CardGroup::memberOf(std::uint32_t port) const {
  return *members_.at(port / ports_);
}

void CardGroup::deliver(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit,
                        sim::Preamble preamble) {
  memberOf(port).card.deliver(port % ports_, std::move(frame), first_bit, preamble);
}

void CardGroup::deliverSet(std::uint32_t port, sim::OrderedSet set, Picoseconds begin) {
  memberOf(port).card.deliverSet(port % ports_, set, begin);
}

void CardGroup::runUntil(Picoseconds time) { members_.front()->card.runUntil(time); }

Picoseconds CardGroup::now() { return members_.front()->card.now(); }

sim::WireStats CardGroup::wireStats(std::uint32_t port) const {
  return memberOf(port).card.wireStats(port % ports_);
}

std::vector<card::CapturedFrame> CardGroup::readCaptured() {
  std::vector<card::CapturedFrame> all;
  for (const auto& member : members_) {
    for (card::CapturedFrame& frame : member->card.readCaptured()) {
      frame.port += member->firstPort();
      all.push_back(std::move(frame));
    }
  }
  return all;
}

Picoseconds CardGroup::readingTime(std::size_t ports) const {
  return kReadingTime * static_cast<std::int64_t>((ports + kPortsRead - 1) / kPortsRead);
}

}  // namespace plumbline::bench
