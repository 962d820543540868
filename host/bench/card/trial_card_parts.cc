#include "bench/card/trial_card_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "wire/addresses.h"
#include "wire/frame.h"

namespace plumbline::bench {
namespace {

constexpr card::DamageDirection kDirections[] = {card::DamageDirection::kSent,
                                                 card::DamageDirection::kReceived};
constexpr std::uint32_t kNarrowRow = 0x7FF;  // row of a test tag with 11 bits for it
constexpr std::uint32_t kWideRow = 0xFFF;

std::size_t at(card::DamageDirection direction) { return static_cast<std::size_t>(direction); }

}  // namespace

TrialCardParts::TrialCardParts(CardSet& cards, const TrialSpec& spec, const FlowPlan& plan,
                               const std::vector<std::uint32_t>& hosts, Picoseconds tx_offset)
    : cards_(cards),
      spec_(spec),
      plan_(plan),
      hosts_(hosts),
      tx_offset_(tx_offset),
      ports_(hosts.size()),
      departures_(spec.streams.size()) {
  for (std::uint32_t i = 0; i < plan.streams.size(); ++i) {
    stream_of_row_.resize(plan.streams[i].row + plan.streams[i].rows, i);
  }
}

std::uint32_t TrialCardParts::portOf(std::uint32_t host) const {
  return static_cast<std::uint32_t>(std::find(hosts_.begin(), hosts_.end(), host) - hosts_.begin());
}

void TrialCardParts::configure() {
  for (const DamageSpec& damage : spec_.damage) setDamage(damage);
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) {
    cards_.port(port).setRxTracking({.wide_rows = plan_.wide_rows});
    cards_.port(port).setPfcReaction(obeyedPriorities(spec_));
    cards_.port(port).flowControl().setWait(spec_.paused_frames_wait);
    cards_.port(port).flowControl().setSource(wire::hostMac(hosts_[port]).octets);
    if (!spec_.storms.empty()) cards_.port(port).flowControl().setPauseLog(true);
  }
}

void TrialCardParts::setDamage(const DamageSpec& damage) {
  const std::uint32_t number = portOf(damage.host);
  Port& port = ports_[number];
  const std::size_t direction = at(damage.direction);
  port.damages[direction] = true;
  card::DamageControl control = cards_.port(number).damage();
  if (const auto* errors = std::get_if<card::BitErrors>(&damage.what)) {
    control.setBitErrors(damage.direction, *errors);
    return;
  }
  card::DamageRule rule = std::get<card::DamageRule>(damage.what);
  if (rule.match == card::DamageMatch::kFlow) {
    rule.flow = cards_.port(number).slot(plan_.streams[rule.flow].flow);
  }
  control.setRule(damage.direction, port.rules[direction]++, rule);
}

void TrialCardParts::begin(Picoseconds start) {
  start_ = start;
  for (const PfcStormSpec& storm : spec_.storms) {
    cards_.port(portOf(storm.host))
        .flowControl()
        .startStorm({.frame = storm.frame,
                     .frames = storm.frames,
                     .period = storm.period,
                     .start = start + storm.start});
  }
}

void TrialCardParts::readLogs() {
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    for (const card::DamageDirection direction : kDirections) readDamage(port, direction);
  }
}

void TrialCardParts::readDamage(std::uint32_t port, card::DamageDirection direction) {
  if (!ports_[port].damages[at(direction)]) return;
  std::vector<card::DamageEvent>& log = ports_[port].log[at(direction)];
  if (log.size() >= kMaxDamageEvents) return;
  for (card::DamageEvent event : cards_.port(port).damage().readLog(direction)) {
    if (log.size() == kMaxDamageEvents) break;
    event.time -= start_;
    log.push_back(event);
  }
}

// The log is read once, at the end: events without room in it are later than those in it, so that
// it shows all pauses until its last entry.
void TrialCardParts::collectPauses(std::uint32_t port, PortResult& seen) {
  for (card::PauseEvent event : cards_.port(port).flowControl().readPauses()) {
    event.time -= start_;
    seen.pauses.push_back(event);
  }
  seen.pauses_unlogged = cards_.port(port).counters().pause_events_lost;
}

void TrialCardParts::onCaptured(const card::CapturedFrame& frame) {
  if (!frame.sent) return;
  const wire::DecodedFrame decoded = wire::decodeFrame(frame.bytes);
  if (!decoded.tag) return;
  const std::uint32_t row = decoded.tag->id & (plan_.wide_rows ? kWideRow : kNarrowRow);
  if (row >= stream_of_row_.size()) return;
  std::vector<Picoseconds>& departures = departures_[stream_of_row_[row]];
  // Due times are those of the MAC boundary, timestamps those of the port.
  if (departures.size() < spec_.departures) {
    departures.push_back(frame.timestamp - tx_offset_ - start_);
  }
}

std::uint64_t TrialCardParts::droppedFrames() {
  std::uint64_t dropped = 0;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    if (!ports_[port].damages[at(card::DamageDirection::kSent)]) continue;
    dropped += cards_.port(port).damage().counters(card::DamageDirection::kSent).dropped;
  }
  return dropped;
}

std::uint64_t TrialCardParts::droppedArrivals(std::uint32_t port) {
  if (!ports_[port].damages[at(card::DamageDirection::kReceived)]) return 0;
  return cards_.port(port).damage().counters(card::DamageDirection::kReceived).dropped;
}

void TrialCardParts::collect(TrialResult& result) {
  for (std::uint32_t i = 0; i < result.streams.size(); ++i) {
    result.streams[i].departures = std::move(departures_[i]);
  }
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    Port& own = ports_[port];
    PortResult& seen = result.ports[hosts_[port]];
    const auto fault = [&](bool present, const std::string& what) {
      if (present) result.faults.push_back(fmt::format("port {}: {}", hosts_[port], what));
    };
    for (const card::DamageDirection direction : kDirections) {
      if (!own.damages[at(direction)]) continue;
      card::DamageControl control = cards_.port(port).damage();
      fault(control.bitErrorsLate(direction),
            "random errors were not ready in time: their ratio was not kept");
      auto& outcome =
          direction == card::DamageDirection::kSent ? seen.damage_sent : seen.damage_received;
      outcome = DamageOutcome{control.counters(direction), std::move(own.log[at(direction)])};
    }
    if (spec_.storms.empty()) continue;
    card::FlowControl control = cards_.port(port).flowControl();
    const card::FlowControlFaults faults = control.faults();
    fault(faults.storm_late, "its storm began late");
    fault(control.stormActive(),
          fmt::format("its storm had {} frames left at the end", control.stormLeft()));
    collectPauses(port, seen);
  }
}

}  // namespace plumbline::bench
