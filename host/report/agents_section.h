// The testers of a run on several machines: their clocks and start times.
#pragma once

#include <string>
#include <vector>

#include "results/agent_record.h"
#include "results/test_result.h"

namespace plumbline::report {

results::Table agentsTable(const std::vector<results::AgentRecord>& agents);

// The section "Agents"; empty text for a run on one tester.
std::string agentsHtml(const std::vector<results::AgentRecord>& agents);

}  // namespace plumbline::report
