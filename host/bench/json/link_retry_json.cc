#include "bench/json/link_retry_json.h"

#include <array>
#include <utility>

#include "bench/json/histogram_json.h"
#include "bench/json/json_names.h"

namespace plumbline::bench {
namespace {

using Json = nlohmann::json;
using card::LlrAction;
using card::LlrCounters;

constexpr Names<LlrAction, 3> kActionNames{{{LlrAction::kDiscard, "discard"},
                                            {LlrAction::kBlock, "block"},
                                            {LlrAction::kBestEffort, "best-effort"}}};

constexpr std::array<std::pair<const char*, std::uint64_t LlrCounters::*>, 27> kCounters{{
    {"tx_init", &LlrCounters::tx_init},
    {"tx_echo", &LlrCounters::tx_echo},
    {"tx_ack", &LlrCounters::tx_ack},
    {"tx_nack", &LlrCounters::tx_nack},
    {"rx_init", &LlrCounters::rx_init},
    {"rx_echo", &LlrCounters::rx_echo},
    {"rx_ack", &LlrCounters::rx_ack},
    {"rx_nack", &LlrCounters::rx_nack},
    {"rx_ctl_bad", &LlrCounters::rx_ctl_bad},
    {"rx_ok", &LlrCounters::rx_ok},
    {"rx_poisoned", &LlrCounters::rx_poisoned},
    {"rx_bad", &LlrCounters::rx_bad},
    {"expected_good", &LlrCounters::expected_good},
    {"expected_poisoned", &LlrCounters::expected_poisoned},
    {"expected_bad", &LlrCounters::expected_bad},
    {"missing_seq", &LlrCounters::missing_seq},
    {"duplicate_seq", &LlrCounters::duplicate_seq},
    {"rx_replay", &LlrCounters::rx_replay},
    {"rx_discarded", &LlrCounters::rx_discarded},
    {"seq_error", &LlrCounters::seq_error},
    {"tx_discarded", &LlrCounters::tx_discarded},
    {"tx_ok", &LlrCounters::tx_ok},
    {"tx_poisoned", &LlrCounters::tx_poisoned},
    {"tx_replay", &LlrCounters::tx_replay},
    {"tx_replay_frames", &LlrCounters::tx_replay_frames},
    {"delayed", &LlrCounters::delayed},
    {"flushed", &LlrCounters::flushed},
}};

}  // namespace

Json linkRetryJson(const LinkRetrySpec& spec) {
  const card::LlrConfig& config = spec.config;
  return {{"send", config.send},
          {"receive", config.receive},
          {"re_init_on_flush", config.re_init_on_flush},
          {"mac_control_eligible", config.mac_control_eligible},
          {"init_data_low_first", config.init_data_low_first},
          {"init_action", nameOf(kActionNames, config.init_action)},
          {"flush_action", nameOf(kActionNames, config.flush_action)},
          {"init_seq", config.init_seq},
          {"init_data", config.init_data},
          {"init_interval_ps", config.init_interval.count()},
          {"max_frames", config.max_frames},
          {"max_bytes", config.max_bytes},
          {"replay_timer_ps", config.replay_timer.count()},
          {"replay_count_max", config.replay_count_max},
          {"pcs_lost_ps", config.pcs_lost.count()},
          {"data_age_ps", config.data_age.count()},
          {"ack_spacing_bytes", config.ack_spacing.count()},
          {"line_rate", config.line_rate.bitsPerSecond()}};
}

Json linkRetryResultJson(const LinkRetryOutcome& outcome) {
  Json json{{"damaged", histogramToJson(outcome.damaged)},
            {"missing", histogramToJson(outcome.missing)}};
  for (const auto& [name, member] : kCounters) json[name] = outcome.counters.*member;
  return json;
}

LinkRetryOutcome linkRetryResultFromJson(const Json& json) {
  LinkRetryOutcome outcome;
  outcome.damaged = histogramFromJson(json.at("damaged"));
  outcome.missing = histogramFromJson(json.at("missing"));
  for (const auto& [name, member] : kCounters) json.at(name).get_to(outcome.counters.*member);
  return outcome;
}

}  // namespace plumbline::bench
