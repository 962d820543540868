// links: plumbline_report
// Any text as the results file of a run. Accepted results can be exported, compared with themselves
// and reported, and are stable when exported and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "report/report.h"
#include "results/compare.h"
#include "results/export.h"
#include "results/import.h"

namespace {

using namespace plumbline;  // NOLINT: a program of its own

void require(bool holds) {
  if (!holds) std::abort();
}

void use(const results::StoredRun& run) {
  const std::string exported = results::exportJson(run);
  require(results::exportJson(results::importJson(exported, "again")) == exported);
  results::exportCsv(run);
  results::comparisonJson(results::compareRuns(run, run));
  report::ReportInput input;
  input.tests = run.tests;
  input.agents = run.agents;
  report::renderHtml(input);
  for (const results::TestResult& test : run.tests) report::renderCsv(test);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    use(results::importJson(text, "input"));
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kUsage);  // no results file
  }
  return 0;
}
