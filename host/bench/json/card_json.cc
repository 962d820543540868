#include "bench/json/card_json.h"

#include <array>
#include <utility>

#include "bench/json/json_names.h"
#include "bench/json/link_retry_json.h"

namespace plumbline::bench {
namespace {

using Json = nlohmann::json;

constexpr Names<card::DamageDirection, 2> kDirectionNames{
    {{card::DamageDirection::kSent, "sent"}, {card::DamageDirection::kReceived, "received"}}};
constexpr Names<card::DamageKind, 7> kKindNames{{{card::DamageKind::kNone, "none"},
                                                 {card::DamageKind::kBits, "bits"},
                                                 {card::DamageKind::kFcs, "fcs"},
                                                 {card::DamageKind::kIcrc, "icrc"},
                                                 {card::DamageKind::kTruncate, "truncate"},
                                                 {card::DamageKind::kDrop, "drop"},
                                                 {card::DamageKind::kRandom, "random"}}};
constexpr Names<card::DamageMatch, 4> kMatchNames{{{card::DamageMatch::kAny, "any"},
                                                   {card::DamageMatch::kFlow, "stream"},
                                                   {card::DamageMatch::kControl, "control"},
                                                   {card::DamageMatch::kOrderedSet, "set"}}};

Json ruleJson(const card::DamageRule& rule) {
  Json json{{"kind", nameOf(kKindNames, rule.kind)},
            {"match", nameOf(kMatchNames, rule.match)},
            {"stream", rule.flow},
            {"first", rule.first},
            {"last", rule.last},
            {"step", rule.step},
            {"times", rule.times},
            {"offset", rule.offset},
            {"bits", rule.bits},
            {"mask", rule.mask},
            {"bytes", rule.bytes}};
  if (rule.message_type) json["message_type"] = *rule.message_type;
  return json;
}

Json damageJson(const DamageSpec& damage) {
  Json json{{"host", damage.host}, {"direction", nameOf(kDirectionNames, damage.direction)}};
  if (const auto* rule = std::get_if<card::DamageRule>(&damage.what)) {
    json["rule"] = ruleJson(*rule);
  } else {
    const auto& errors = std::get<card::BitErrors>(damage.what);
    json["random"] = {{"ratio", errors.ratio}, {"seed", errors.seed}};
  }
  return json;
}

Json stormJson(const PfcStormSpec& storm) {
  return {{"host", storm.host},
          {"priorities", storm.frame.priorities},
          {"quanta", storm.frame.quanta},
          {"frames", storm.frames},
          {"period_ps", storm.period.count()},
          {"start_ps", storm.start.count()}};
}

Json outcomeJson(const DamageOutcome& outcome) {
  const card::DamageCounters& counters = outcome.counters;
  Json log = Json::array();
  for (const card::DamageEvent& event : outcome.log) {
    log.push_back({nameOf(kKindNames, event.kind), nameOf(kMatchNames, event.subject), event.slot,
                   event.flow, event.number, event.position, event.time.count()});
  }
  return {{"bits", counters.bits},
          {"fcs", counters.fcs},
          {"icrc", counters.icrc},
          {"truncated", counters.truncated},
          {"dropped", counters.dropped},
          {"random_frames", counters.random_frames},
          {"random_bits", counters.random_bits},
          {"frames", counters.frames},
          {"log_overflow", counters.log_overflow},
          {"sets_damaged", counters.sets_damaged},
          {"sets_dropped", counters.sets_dropped},
          {"log", log}};
}

DamageOutcome damageOutcomeFromJson(const Json& json) {
  DamageOutcome outcome;
  card::DamageCounters& counters = outcome.counters;
  json.at("bits").get_to(counters.bits);
  json.at("fcs").get_to(counters.fcs);
  json.at("icrc").get_to(counters.icrc);
  json.at("truncated").get_to(counters.truncated);
  json.at("dropped").get_to(counters.dropped);
  json.at("random_frames").get_to(counters.random_frames);
  json.at("random_bits").get_to(counters.random_bits);
  json.at("frames").get_to(counters.frames);
  json.at("log_overflow").get_to(counters.log_overflow);
  json.at("sets_damaged").get_to(counters.sets_damaged);
  json.at("sets_dropped").get_to(counters.sets_dropped);
  for (const Json& event : json.at("log")) {
    outcome.log.push_back({valueOf(kKindNames, event.at(0).get<std::string>()),
                           valueOf(kMatchNames, event.at(1).get<std::string>()),
                           event.at(2).get<std::uint32_t>(), event.at(3).get<std::uint32_t>(),
                           event.at(4).get<std::uint32_t>(), event.at(5).get<std::uint32_t>(),
                           Picoseconds(event.at(6).get<std::int64_t>())});
  }
  return outcome;
}

// Left out where they are zero.
constexpr std::array<std::pair<const char*, std::uint64_t PortResult::*>, 6> kCardCounts{{
    {"runts", &PortResult::runts},
    {"giants", &PortResult::giants},
    {"tx_given_up", &PortResult::tx_given_up},
    {"tx_waited", &PortResult::tx_waited},
    {"dut_discarded", &PortResult::dut_discarded},
    {"pauses_unlogged", &PortResult::pauses_unlogged},
}};

constexpr std::array<std::pair<const char*, std::uint64_t card::MacCounters::*>, 11> kMacCounts{{
    {"fec_codewords", &card::MacCounters::fec_codewords},
    {"fec_corrected", &card::MacCounters::fec_corrected},
    {"fec_uncorrected", &card::MacCounters::fec_uncorrected},
    {"bad_codes", &card::MacCounters::bad_codes},
    {"alignment_losses", &card::MacCounters::alignment_losses},
    {"hi_ber_events", &card::MacCounters::hi_ber_events},
    {"local_faults", &card::MacCounters::local_faults},
    {"remote_faults", &card::MacCounters::remote_faults},
    {"tx_underflows", &card::MacCounters::tx_underflows},
    {"tx_overflows", &card::MacCounters::tx_overflows},
    {"rx_fifo_overflows", &card::MacCounters::rx_fifo_overflows},
}};

Json linkHealthJson(const LinkHealth& link) {
  Json json{{"rs_fec", link.rs_fec}, {"saturated", link.counted.saturated}};
  for (const auto& [name, member] : kMacCounts) json[name] = link.counted.*member;
  json["fec_symbol_errors"] = link.counted.fec_symbol_errors;
  json["bip_errors"] = link.counted.bip_errors;
  return json;
}

LinkHealth linkHealthFromJson(const Json& json) {
  LinkHealth link;
  json.at("rs_fec").get_to(link.rs_fec);
  json.at("saturated").get_to(link.counted.saturated);
  for (const auto& [name, member] : kMacCounts) json.at(name).get_to(link.counted.*member);
  json.at("fec_symbol_errors").get_to(link.counted.fec_symbol_errors);
  json.at("bip_errors").get_to(link.counted.bip_errors);
  return link;
}

}  // namespace

void addCardParts(const TrialSpec& spec, Json& json) {
  for (const DamageSpec& damage : spec.damage) json["damage"].push_back(damageJson(damage));
  for (const PfcStormSpec& storm : spec.storms) json["storms"].push_back(stormJson(storm));
  if (spec.link_retry) json["link_retry"] = linkRetryJson(*spec.link_retry);
  if (spec.obey_pfc) json["obey_pfc"] = *spec.obey_pfc;
  if (spec.paused_frames_wait) json["paused_frames_wait"] = true;
  if (spec.departures > 0) json["departures"] = spec.departures;
}

void addCardParts(const StreamSpec& stream, Json& json) {
  if (stream.format.entropy != Entropy::kPerQueuePair) {
    constexpr Names<Entropy, 3> kNames{{{Entropy::kFixed, "fixed"},
                                        {Entropy::kRoundRobin, "round-robin"},
                                        {Entropy::kRandom, "random"}}};
    json["format"]["entropy"] = nameOf(kNames, stream.format.entropy);
    json["format"]["entropy_values"] = stream.format.entropy_values;
  }
  if (stream.queue_pairs) {
    json["queue_pairs"] = {{"weights", stream.queue_pairs->weights},
                           {"message_frames", stream.queue_pairs->message_frames},
                           {"counted", stream.queue_pairs->counted}};
    if (const auto& message = stream.queue_pairs->message) {
      json["queue_pairs"]["message"] = message->count();
    }
  }
  if (!stream.gaps) return;
  if (const auto* drawn = std::get_if<DrawnGaps>(&*stream.gaps)) {
    json["drawn_gaps"] = {{"seed", drawn->seed}};
  } else {
    const auto& listed = std::get<ListedGaps>(*stream.gaps);
    json["listed_gaps"] = {{"repeat", listed.repeat}, {"gaps_ps", Json::array()}};
    for (const Picoseconds gap : listed.gaps) {
      json["listed_gaps"]["gaps_ps"].push_back(gap.count());
    }
  }
}

void addCardResult(const StreamResult& stream, Json& json) {
  if (stream.reorder_depth > 0) json["reorder_depth"] = stream.reorder_depth;
  if (stream.held_back > 0) json["held_back"] = stream.held_back;
  for (const QueuePairResult& pair : stream.queue_pairs) {
    json["queue_pairs"].push_back({pair.sent, pair.received, pair.lost, pair.duplicate,
                                   pair.out_of_order, pair.reorder_depth});
  }
  for (const Picoseconds departure : stream.departures) {
    json["departures_ps"].push_back(departure.count());
  }
}

void readCardResult(const Json& json, StreamResult& stream) {
  if (json.contains("reorder_depth")) json.at("reorder_depth").get_to(stream.reorder_depth);
  if (json.contains("held_back")) json.at("held_back").get_to(stream.held_back);
  if (json.contains("queue_pairs")) {
    for (const Json& pair : json.at("queue_pairs")) {
      stream.queue_pairs.push_back(
          {pair.at(0).get<std::uint64_t>(), pair.at(1).get<std::uint64_t>(),
           pair.at(2).get<std::uint64_t>(), pair.at(3).get<std::uint64_t>(),
           pair.at(4).get<std::uint64_t>(), pair.at(5).get<std::uint32_t>()});
    }
  }
  if (json.contains("departures_ps")) {
    for (const Json& departure : json.at("departures_ps")) {
      stream.departures.emplace_back(departure.get<std::int64_t>());
    }
  }
}

void addCardResult(const PortResult& port, Json& json) {
  for (const auto& [name, member] : kCardCounts) {
    if (port.*member > 0) json[name] = port.*member;
  }
  for (std::size_t i = 0; i < port.priority.size(); ++i) {
    if (port.priority[i].tx_xoff > 0) json["priority"][i]["tx_xoff"] = port.priority[i].tx_xoff;
  }
  if (port.damage_sent) json["damage_sent"] = outcomeJson(*port.damage_sent);
  if (port.damage_received) json["damage_received"] = outcomeJson(*port.damage_received);
  if (port.link_retry) json["link_retry"] = linkRetryResultJson(*port.link_retry);
  if (port.link) json["link"] = linkHealthJson(*port.link);
  for (const card::PauseEvent& pause : port.pauses) {
    json["pauses"].push_back({pause.time.count(), pause.sent, pause.starts, pause.ends});
  }
}

void readCardResult(const Json& json, PortResult& port) {
  for (const auto& [name, member] : kCardCounts) {
    if (json.contains(name)) json.at(name).get_to(port.*member);
  }
  for (std::size_t i = 0; i < port.priority.size(); ++i) {
    const Json& priority = json.at("priority").at(i);
    if (priority.contains("tx_xoff")) priority.at("tx_xoff").get_to(port.priority[i].tx_xoff);
  }
  if (json.contains("damage_sent"))
    port.damage_sent = damageOutcomeFromJson(json.at("damage_sent"));
  if (json.contains("damage_received")) {
    port.damage_received = damageOutcomeFromJson(json.at("damage_received"));
  }
  if (json.contains("link_retry")) {
    port.link_retry = linkRetryResultFromJson(json.at("link_retry"));
  }
  if (json.contains("link")) port.link = linkHealthFromJson(json.at("link"));
  if (json.contains("pauses")) {
    for (const Json& pause : json.at("pauses")) {
      port.pauses.push_back({Picoseconds(pause.at(0).get<std::int64_t>()), pause.at(1).get<bool>(),
                             pause.at(2).get<std::uint8_t>(), pause.at(3).get<std::uint8_t>()});
    }
  }
}

}  // namespace plumbline::bench
