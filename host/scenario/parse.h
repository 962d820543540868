// Scenario file in, checked Scenario out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/scenario.h"

namespace plumbline::scenario {

// One mistake in a scenario file.
struct Problem {
  std::size_t line = 0;  // from 1
  std::size_t column = 0;
  std::string what;     // what is wrong, one sentence without a full stop
  std::string allowed;  // what would be right; may be empty

  bool operator==(const Problem&) const = default;

  // "file:line:column: what (allowed)"
  [[nodiscard]] std::string text(std::string_view file) const;
};

// A figure of kpi/kpi.h, and the tests that measure it.
struct MeasuredKpi {
  std::string name;
  std::vector<std::string> tests;
};

// Names that exist in this build but not in this room: what `test`/`tests`, `bench` and `limits`
// may say.
struct Vocabulary {
  std::vector<std::string> tests;
  std::vector<std::string> benches;
  std::vector<std::string> on_hosts;  // of `tests`: those that need simulated hosts
  // Of those, the ones that run the file's own workload; all of them need one.
  std::vector<std::string> with_workload;
  std::vector<MeasuredKpi> kpis{};
};

// Either a scenario (problems empty) or the problems in the order of the file.
struct ParseResult {
  Scenario scenario;
  std::vector<Problem> problems;

  [[nodiscard]] bool ok() const { return problems.empty(); }
};

// Largest scenario file that is read.
inline constexpr std::size_t kMaxScenarioBytes = 1 << 20;

// What is wrong with the length of a text that somebody hands over; empty when nothing is. A point
// of a sweep, written out by this program, may be longer than the file that it comes from.
std::vector<Problem> problemsOfLength(std::string_view text);

// Checks `text` completely: every unknown, duplicate, missing or ill-typed key and every value out
// of range is reported, not only the first. Throws for no text, except what checkWork() throws.
// `file` is used in messages, `access` for what the scenario names.
ParseResult parseScenario(std::string_view text, std::string_view file,
                          const Vocabulary& vocabulary, const Access& access = {});

// Throws Error(kUsage) that lists the problems, one per line, unless there are none.
void refuse(const std::vector<Problem>& problems, std::string_view file);

// Reads and checks the file. Throws Error(kUsage) that lists all problems, one per line.
Scenario loadScenario(const std::string& file, const Vocabulary& vocabulary);

}  // namespace plumbline::scenario
