// The methodology's demands on each test and on every report, and where the product meets them: the
// data files training.yaml and inference.yaml of this folder, compiled into the program. Sections
// are those of the training draft of April 2026, resp. of the inference draft of June 2026.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::suite {

// Place at which a demanded value is found.
struct Place {
  enum class Kind {
    kTable,          // a column of a table, or the row that begins with a name
    kKpi,            // a figure by machine name
    kChart,          //
    kDistribution,   //
    kTimeline,       //
    kHeatMap,        //
    kConfiguration,  // of a test, by key
    kReport,         // a section of the HTML report, by anchor
    kScenario,       // a key of the scenario file that the report prints
    kDocs            // a page of docs/
  };

  Kind kind = Kind::kTable;
  // Machine name; the key of a configuration or scenario; the file name of a page. A '*' at its end
  // stands for any ending: "latency_*".
  std::string id;
  std::string column;  // kTable: one of column and row
  std::string row;
  std::string points;  // only rows, KPIs and series that contain this text; empty: all
  std::string test;    // of a general demand: the test that meets it; empty: all, or the report

  // Whether `other` equals `id`, or begins with it if `id` ends in '*'.
  [[nodiscard]] bool names(std::string_view other) const;

  bool operator==(const Place&) const = default;
};

// A value that the draft sweeps or demands in reports.
struct Demand {
  // kPending: missing, or not correct yet at the given places. A finished product has none, see
  // Conformance.
  enum class State { kMeasured, kNotMeasured, kPending };

  std::string what;     // in our words
  std::string section;  // "9.1"
  std::string level;    // MUST, SHOULD … where the draft says so; empty otherwise
  bool swept = false;
  State state = State::kMeasured;
  std::vector<Place> places;        // each of them has it
  std::string unit;                 // of its values, if it is checked
  std::vector<std::string> values;  // swept: the draft's, as the result writes them
  std::string called;               // swept: its name in a result's deviations
  std::string constant;  // why its value may be the same at every point; empty: it may not
  std::string card;      // reason why the tester card lacks it; empty: it has it
  std::string reason;    // kNotMeasured, kPending
  std::size_t line = 0;  // of the data file
};

struct TestDemands {
  std::string test;  // "T9.1"
  std::vector<Demand> demands;
};

struct Conformance {
  bool pending_allowed = false;
  std::vector<Demand> general;  // of every report
  std::vector<TestDemands> tests;

  // Nothing for tests that are not in the draft.
  [[nodiscard]] const TestDemands* test(std::string_view id) const;
};

enum class Draft { kTraining, kInference };
// The draft that contains the test with this id: "I5.1" is in the inference draft.
Draft draftOf(std::string_view test);
// Name of its data file in messages: "host/suite/conformance/training.yaml".
std::string_view conformanceFile(Draft draft);

// Throws Error(kUsage) that lists every mistake as file:line:column. A pending demand is a mistake
// unless the file says `pending_allowed: true`.
Conformance parseConformance(std::string_view text, std::string_view file);

// The data of this build.
const Conformance& conformance(Draft draft);

}  // namespace plumbline::suite
