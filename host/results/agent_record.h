// Of a run on several testers: which they were, how their clocks stood, and how late they began.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::results {

// One tester that a controller drove. Clock figures are what the controller found: the tester's
// clock shows `clock_offset_ns` more than the controller's, and the truth is at most
// `clock_uncertainty_ns` away.
struct AgentRecord {
  std::uint32_t attempt = 1;  // a run that is resumed begins anew on every tester
  std::string name;           // address, as the user gave it
  std::string software;       // "plumbline 0.1.0"
  std::string machine;
  std::int64_t run = 0;  // its number on the tester; 0 when it did not begin
  std::string outcome;   // "done", "aborted", "failed", "lost"
  std::uint64_t trials = 0;
  std::int64_t clock_offset_ns = 0;  // at the first common start
  std::int64_t clock_uncertainty_ns = 0;
  // Parts per million by which its clock is faster; nothing where the run was too short to tell.
  std::optional<double> clock_drift_ppm;
  std::optional<double> clock_drift_uncertainty_ppm;
  // Of its trials the one that began latest after the instant that was agreed on: by its own clock,
  // and by the controller's, for which the clock's uncertainty holds. Nothing when none began.
  std::optional<std::int64_t> late_ns;
  std::optional<std::int64_t> start_error_ns;
  bool late = false;  // by more than was allowed
};

// A JSON list on one line. Throws Error(kTester) when a number is not finite.
std::string agentsJson(const std::vector<AgentRecord>& agents);
// Throws Error(kTester) for text that agentsJson() did not write.
std::vector<AgentRecord> agentsFromJson(const std::string& text);

}  // namespace plumbline::results
