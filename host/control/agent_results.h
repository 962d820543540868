// What several testers measured at the same time, as one run.
#pragma once

#include <string>
#include <vector>

#include "control/agent.h"
#include "control/api_types.h"
#include "results/agent_record.h"
#include "results/store.h"
#include "results/test_result.h"

namespace plumbline::control {

// A trial of an agent as the merged run stores it: the agent is part of its key and its label, as
// all agents have the same trials.
results::StoredTrial mergedTrial(const std::string& agent, const TrialDocument& trial);

struct AgentResults {
  results::AgentRecord agent;
  std::int64_t clock_strayed_ns = 0;  // ClockTrack::strayedNs()
  std::vector<AgentStart> starts;
  std::vector<results::TestResult> tests;
};

// One result for each test: figures of all agents side by side, as a sweep over the agents has
// them, how late each trial began on each, and behind them the tables, charts and distributions of
// each agent. A result is not valid when an agent has none of that test, or began a trial too late;
// that, different software and clocks that did not run evenly are anomalies.
std::vector<results::TestResult> mergeAgents(const std::vector<AgentResults>& agents);

}  // namespace plumbline::control
