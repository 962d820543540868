// JSON of a tester card's configuration and observations (card_parts.h), as trial.h stores it.
#pragma once

#include <vector>

#include "base/json.h"
#include "bench/trial/card_parts.h"
#include "bench/trial/trial.h"

namespace plumbline::bench {

// The parts of `spec` that need a card, each only if the trial has it: the keys of trials without
// them, and so their stored results, stay valid.
void addCardParts(const TrialSpec& spec, nlohmann::json& json);
// The same for a stream.
void addCardParts(const StreamSpec& stream, nlohmann::json& json);

// Writes the card's observations beyond the counters of streams and ports, and reads them; members
// without a value are left out. Reading throws nlohmann::json::exception or Error(kTester) for text
// of another origin.
void addCardResult(const StreamResult& stream, nlohmann::json& json);
void readCardResult(const nlohmann::json& json, StreamResult& stream);
void addCardResult(const PortResult& port, nlohmann::json& json);
void readCardResult(const nlohmann::json& json, PortResult& port);

}  // namespace plumbline::bench
