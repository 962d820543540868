// Simultaneous measurements of several testers, as one run.
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

// One result for each test: figures of all agents side by side, like a sweep over the agents, the
// lateness of each trial on each agent, then the tables, charts and distributions of each agent. A
// result is invalid when an agent lacks the test, or began a trial too late; that, different
// software and clocks that did not run evenly are anomalies.
std::vector<results::TestResult> mergeAgents(const std::vector<AgentResults>& agents);

}  // namespace plumbline::control
