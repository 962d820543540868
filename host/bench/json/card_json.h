// JSON of what only a tester card does and sees (card_parts.h), as trial.h stores it.
#pragma once

#include <vector>

#include "base/json.h"
#include "bench/trial/card_parts.h"
#include "bench/trial/trial.h"

namespace plumbline::bench {

// The parts of `spec` that need a card, each only if the trial has it: trials without them keep the
// text, and so the stored results, that they had before there were any.
void addCardParts(const TrialSpec& spec, nlohmann::json& json);
// The same of a stream.
void addCardParts(const StreamSpec& stream, nlohmann::json& json);

// What the card saw beyond the counters of every stream and port, and back; nothing for nothing.
// Reading throws nlohmann::json::exception or Error(kTester) for what writing did not write.
void addCardResult(const StreamResult& stream, nlohmann::json& json);
void readCardResult(const nlohmann::json& json, StreamResult& stream);
void addCardResult(const PortResult& port, nlohmann::json& json);
void readCardResult(const nlohmann::json& json, PortResult& port);

}  // namespace plumbline::bench
