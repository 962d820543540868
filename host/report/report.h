// The output of a run: one HTML file for people, JSON and CSV for programs. Generated from the
// generic result model, independent of particular tests.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/spec/fabric_spec.h"
#include "results/agent_record.h"
#include "results/test_result.h"

namespace plumbline::report {

// Names and values in the order in which they are shown.
using KeyValues = std::vector<std::pair<std::string, std::string>>;

// A limit of the scenario, and the run's outcome.
struct LimitOutcome {
  enum class State { kMet, kMissed, kNotMeasured };

  std::string figure;  // machine name: "latency_p99_ns"
  bool at_most = true;
  double bound = 0;
  State state = State::kNotMeasured;
  // The worst value with its unit, and where it was measured: "T5.2, 64 B". Meaningless if not
  // measured.
  results::Quantity worst{};
  std::string where{};
};

// A demand of the methodology, and its place in this report.
struct Demand {
  enum class State { kHere, kMissing, kNotMeasured };

  std::string test;     // "T9.1"; empty: demanded of every report
  std::string what;     // "BusBW, average, P50, P95 and P99"
  bool swept = false;   // a parameter to vary
  std::string section;  // of the methodology
  std::string level;    // "MUST"; empty where the draft gives none
  State state = State::kHere;
  std::string answer;  // its place, what is missing, or why it is not measured
};

// The contents of a report. Texts are UTF-8 and may contain anything: they are escaped.
struct ReportInput {
  std::string title;       // "Latency through a leaf–spine fabric"
  std::string run_id;      // under which the results are stored
  std::string started;     // with time zone, "2026-02-26T14:03:59Z"
  std::string finished;    // empty for a run that did not finish
  std::string scenario;    // the scenario file, verbatim
  KeyValues dut_identity;  // vendor, model, operating system …; see identificationHtml()
  bool simulated_dut = false;
  // False for a bench that this build does not have.
  bool bench_known = true;
  std::optional<fabric::TopologySpec> topology;  // drawn if known
  std::vector<fabric::FailureSpec> failures;     // of the scenario, marked in the drawing
  KeyValues dut;                                 // configuration of the device under test
  KeyValues tester;                              // bench, card version, capabilities
  KeyValues host;                                // software versions, machine
  // About the scenario: legal, but probably unintended.
  std::vector<std::string> warnings{};
  std::vector<results::TestResult> tests;
  std::vector<results::AgentRecord> agents{};  // of a run on several testers
  std::vector<LimitOutcome> limits{};          // in the order of the scenario; empty: none are set
  std::vector<Demand> demands{};               // on the tests that the report has; may be empty
};

// One self-contained HTML file: no script, no external resources, also well-formed XML. Page one
// has the DUT, warnings about the scenario, the outcome of its limits, the main figures, and some
// pictures; then a section for each test; then the conditions: device under test, topology with
// cabling and failures, configuration, agents; finally a map of tests and figures, all figures by
// machine name, and the scenario. Contents with links are at the side.
std::string renderHtml(const ReportInput& input);

// One JSON document: the same facts, every test as results::TestResult::toJson() writes it.
std::string renderJson(const ReportInput& input);

struct CsvFile {
  std::string name;  // "t5-2_table_latency.csv": lower case letters, digits, '-', '_' and '.'
  std::string content;
};

// A file for each table (including repeatability), chart, heat map, timeline and distribution of a
// test, and one for its KPIs. RFC 4180 quoting, LF line ends; numbers with all their digits. A
// column of quantities is followed by columns for its confidence interval, CV, repetitions,
// observation point, uncertainty and samples. Distributions are given as their occupied buckets
// [lower bound, upper bound).
std::vector<CsvFile> renderCsv(const results::TestResult& test);
// The name of a table's file among them, if no two tables of the test have one id.
std::string tableCsvName(const results::TestResult& test, const results::Table& table);
std::string rawCsvName(const results::TestResult& test, const results::RawData& data);

// Writes report.json, csv/*.csv (with csv/cabling.csv, if the topology is known) and report.html
// into `directory`, which is created. Each file appears complete or not at all, report.html last;
// csv/ belongs to the report and is replaced. Returns the path of report.html. Throws
// Error(kTester) for a write error.
std::filesystem::path writeReport(const std::filesystem::path& directory, const ReportInput& input);

}  // namespace plumbline::report
