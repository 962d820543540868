#include "bench/trial/card_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.h"
#include "bench/trial/bench.h"
#include "bench/trial/trial.h"
#include "card/pattern.h"

namespace plumbline::bench {
namespace {

// A quantum of PFC is 512 bits on the wire.
constexpr Bytes kQuantum{64};
// Shortest time between two PAUSE frames of a port (docs/card.md, "Flow control").
constexpr Picoseconds kMinStormPeriod = nanoseconds(13);

constexpr std::uint32_t kMaxGapRepeat = 65535;

using Refusals = std::vector<std::string>;

void refuseDamage(const TrialSpec& spec, Refusals& refusals) {
  struct Used {
    std::uint32_t rules = 0;
    std::uint32_t sources = 0;
  };
  std::map<std::pair<std::uint32_t, card::DamageDirection>, Used> used;
  for (std::size_t i = 0; i < spec.damage.size(); ++i) {
    const DamageSpec& damage = spec.damage[i];
    const auto refuse = [&](const std::string& why) {
      refusals.push_back(fmt::format("damage {}: {}", i, why));
    };
    Used& port = used[{damage.host, damage.direction}];
    try {
      if (const auto* rule = std::get_if<card::DamageRule>(&damage.what)) {
        ++port.rules;
        card::DamageRule slot = *rule;
        slot.flow = 0;  // replaced: the trial's number of a stream differs from the card's
        damageRuleWords(slot, damage.direction);
        if (rule->match == card::DamageMatch::kFlow &&
            (rule->flow >= spec.streams.size() || spec.streams[rule->flow].from != damage.host)) {
          refuse(fmt::format("host {} does not send stream {}", damage.host, rule->flow));
        }
      } else {
        ++port.sources;
        bitErrorSetting(std::get<card::BitErrors>(damage.what));
      }
    } catch (const Error& error) {
      refuse(error.what());
    }
  }
  for (const auto& [place, port] : used) {
    if (port.rules > card::kDamageSlots || port.sources > 1) {
      refusals.push_back(
          fmt::format("host {} has {} rules of damage and {} sources of random errors in one "
                      "direction, the card has {} and 1",
                      place.first, port.rules, port.sources, card::kDamageSlots));
    }
  }
}

void refuseStorms(const TrialSpec& spec, Refusals& refusals) {
  std::map<std::uint32_t, std::uint32_t> of_host;
  for (const PfcStormSpec& storm : spec.storms) {
    const auto refuse = [&](const std::string& why) {
      refusals.push_back(fmt::format("storm of host {}: {}", storm.host, why));
    };
    if (++of_host[storm.host] == 2) refuse("a port has one storm");
    if (storm.frame.priorities == 0) refuse("it pauses no priority");
    if (storm.frames == 0) refuse("it has no frames");
    if (storm.start < Picoseconds()) refuse("a start time before the common start");
    if (storm.period < kMinStormPeriod) {
      refuse(fmt::format("frames {} ps apart, the card sends one every {} ps", storm.period.count(),
                         kMinStormPeriod.count()));
    }
  }
}

void refuseHosts(const TrialSpec& spec, Refusals& refusals) {
  const auto check = [&](std::uint32_t host) {
    const bool used = std::any_of(spec.streams.begin(), spec.streams.end(),
                                  [&](const auto& s) { return s.from == host || s.to == host; });
    if (!used) {
      refusals.push_back(
          fmt::format("host {} is no port of the tester: no stream begins or ends there", host));
    }
  };
  for (const DamageSpec& damage : spec.damage) check(damage.host);
  for (const PfcStormSpec& storm : spec.storms) check(storm.host);
}

void refuseGaps(const TrialSpec& spec, Refusals& refusals) {
  for (std::size_t i = 0; i < spec.streams.size(); ++i) {
    const StreamSpec& stream = spec.streams[i];
    if (!stream.gaps) continue;
    const auto refuse = [&](const std::string& why) {
      refusals.push_back(fmt::format("stream {} '{}': {}", i, stream.name, why));
    };
    if (!std::holds_alternative<ConstantLoad>(stream.load)) {
      refuse("custom gaps require a constant-rate load");
    }
    const auto* listed = std::get_if<ListedGaps>(&*stream.gaps);
    if (listed == nullptr) continue;
    if (listed->gaps.empty() || listed->gaps.size() > card::kGapEntries || listed->repeat == 0 ||
        listed->repeat > kMaxGapRepeat) {
      refuse(fmt::format("{} gaps, each {} times; the card can do 1 to {}, 1 to {} times each",
                         listed->gaps.size(), listed->repeat, card::kGapEntries, kMaxGapRepeat));
    }
    const Picoseconds slot = frameSlot(stream.frame, spec.dut.topology.link_rate);
    for (const Picoseconds gap : listed->gaps) {
      if (gap >= slot) continue;
      refuse(fmt::format("a gap of {} ps, its frames take {} ps", gap.count(), slot.count()));
      break;
    }
  }
}

// Benches of messages check queue pairs themselves (message_refusals.h).
bool wantsQueuePairs(const StreamSpec& stream, const Capabilities& capabilities) {
  return (stream.queue_pairs && !capabilities.messages) || isUet(stream.format.transport) ||
         stream.format.entropy != Entropy::kPerQueuePair;
}

}  // namespace

std::vector<std::string> cardPartRefusals(const TrialSpec& spec, const Capabilities& capabilities) {
  Refusals refusals;
  const auto need = [&](bool wanted, bool present, const char* what) {
    if (wanted && !present) {
      refusals.push_back(fmt::format("{} needs a tester card that can; the bench {} cannot", what,
                                     capabilities.name));
    }
  };
  need(!spec.damage.empty(), capabilities.damage, "damage on purpose");
  need(!spec.storms.empty() || spec.paused_frames_wait, capabilities.pfc_send,
       "a PFC storm, or frames that wait for a pause's end,");
  need(std::any_of(spec.streams.begin(), spec.streams.end(),
                   [&](const StreamSpec& stream) { return wantsQueuePairs(stream, capabilities); }),
       capabilities.queue_pairs, "a stream of messages, of UET, or with entropy of its own");
  need(std::any_of(spec.streams.begin(), spec.streams.end(),
                   [](const StreamSpec& stream) { return stream.gaps.has_value(); }),
       capabilities.patterns, "a stream with drawn or listed gaps");
  need(spec.link_retry.has_value(), capabilities.link_retry, "link-level retry of the tester");
  if (spec.link_retry && spec.dut.topology.kind != fabric::TopologyKind::kLink) {
    refusals.emplace_back(
        "link-level retry of the tester needs a peer that knows it: a bare link between two of its "
        "ports");
  }
  need(spec.departures > 0, capabilities.departures, "recording departures");
  refuseDamage(spec, refusals);
  refuseStorms(spec, refusals);
  refuseGaps(spec, refusals);
  refuseHosts(spec, refusals);
  return refusals;
}

std::uint8_t obeyedPriorities(const TrialSpec& spec) {
  if (spec.obey_pfc) return *spec.obey_pfc;
  // The configuration of a NIC in this network.
  return spec.dut.switches.pfc ? spec.dut.switches.pfc->priorities : 0;
}

Picoseconds endOf(const PfcStormSpec& storm, BitRate line) {
  return storm.start + storm.period * (static_cast<std::int64_t>(storm.frames) - 1) +
         serializationTime(kQuantum, line) * storm.frame.quanta;
}

}  // namespace plumbline::bench
