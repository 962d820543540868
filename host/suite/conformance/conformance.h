// What the methodology demands of each test and of every report, and where the product has it: the
// data files training.yaml and inference.yaml of this folder, compiled into the program. Sections
// are those of the training draft of April 2026, resp. of the inference draft of June 2026.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::suite {

// Where something demanded is found.
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
  std::string test;  // of a general demand: the test that has it; empty: every test, or the report

  // Whether `other` is `id`, or begins as it does where any ending is meant.
  [[nodiscard]] bool names(std::string_view other) const;

  bool operator==(const Place&) const = default;
};

// Something that the draft sweeps or wants reported.
struct Demand {
  // kPending: not there yet, or not right yet at the places given. A finished product has none, see
  // Conformance.
  enum class State { kMeasured, kNotMeasured, kPending };

  std::string what;     // in our words
  std::string section;  // "9.1"
  std::string level;    // MUST, SHOULD … where the draft says so; empty otherwise
  bool swept = false;
  State state = State::kMeasured;
  std::vector<Place> places;        // each of them has it
  std::string unit;                 // of its values, where that is checked
  std::vector<std::string> values;  // swept: the draft's, as the result writes them
  std::string called;               // swept: its name in the deviations of a result
  std::string constant;  // why its value may be the same at every point; empty: it may not
  std::string card;      // why the tester card does not have it; empty: it does
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

  // Nothing for tests that the draft does not have.
  [[nodiscard]] const TestDemands* test(std::string_view id) const;
};

enum class Draft { kTraining, kInference };
// The draft that has the test with this id: "I5.1" is one of inference.
Draft draftOf(std::string_view test);
// Name of its data file in messages: "host/suite/conformance/training.yaml".
std::string_view conformanceFile(Draft draft);

// Throws Error(kUsage) that lists every mistake as file:line:column. A demand that is pending is a
// mistake unless the file says `pending_allowed: true`.
Conformance parseConformance(std::string_view text, std::string_view file);

// The data of this build.
const Conformance& conformance(Draft draft);

}  // namespace plumbline::suite
