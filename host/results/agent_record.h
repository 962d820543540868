// The testers of a run on several testers: their clocks, and the lateness of their starts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::results {

// One tester that a controller drove. Clock figures are the controller's estimates: the tester's
// clock is `clock_offset_ns` ahead of the controller's, with an error of at most
// `clock_uncertainty_ns`.
struct AgentRecord {
  std::uint32_t attempt = 1;  // a resumed run starts a new attempt on every tester
  std::string name;           // address, as the user wrote it
  std::string software;       // "plumbline 0.1.0"
  std::string machine;
  std::int64_t run = 0;  // its number on the tester; 0 when it did not begin
  std::string outcome;   // "done", "aborted", "failed", "lost"
  std::uint64_t trials = 0;
  std::int64_t clock_offset_ns = 0;  // at the first common start
  std::int64_t clock_uncertainty_ns = 0;
  // Parts per million by which its clock is faster; nothing where the run was too short for an
  // estimate.
  std::optional<double> clock_drift_ppm;
  std::optional<double> clock_drift_uncertainty_ppm;
  // Largest lateness of its trials after the agreed start: by its own clock, and by the
  // controller's, to which the clock's uncertainty applies. Nothing when none began.
  std::optional<std::int64_t> late_ns;
  std::optional<std::int64_t> start_error_ns;
  bool late = false;  // by more than was allowed
};

// A JSON list on one line. Throws Error(kTester) when a number is not finite.
std::string agentsJson(const std::vector<AgentRecord>& agents);
// Throws Error(kTester) for text that agentsJson() did not write.
std::vector<AgentRecord> agentsFromJson(const std::string& text);

}  // namespace plumbline::results
