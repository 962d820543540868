// The conformance data: allowed contents of the file, and the faults that are found in a result.
#include "suite/conformance/conformance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "suite/conformance/check.h"
#include "suite/conformance/page.h"
#include "suite/conformance/rows.h"
#include "suite/procedure.h"
#include "tests/paths/paths.h"

namespace plumbline::suite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = Finding::Kind;

// A file with one test, T9.1, of these demands; they begin in line 4.
Conformance fileOf(const std::string& demands, const std::string& head = "") {
  return parseConformance(
      "tests:\n  T9.1:\n    {section: \"9.1\", demands: [\n" + demands + "]}\n" + head +
          "general: [{report: topology, section: \"3.1\", in: {configuration: Topology}}]\n",
      "data.yaml");
}

std::string mistakes(const std::string& demands, const std::string& head = "") {
  try {
    fileOf(demands, head);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

results::Quantity quantity(double value, const std::string& unit) {
  results::Quantity one;
  one.value = value;
  one.unit = unit;
  one.observed = ObservationPoint::kModelled;
  return one;
}

// Three points: 8, 16 and 32 ranks at 100, 90 and 80 Gb/s, nothing marked.
results::TestResult sample() {
  results::TestResult result;
  result.id = "T9.1";
  result.configuration = {{"Topology", "two leaves"}, {"Iterations", "3"}};
  results::Table table{"busbw", "Bus bandwidth", "", {"Ranks", "BusBW", "ECN", "JCT"}, {}};
  results::Chart chart;
  chart.id = "busbw_vs_ranks";
  chart.title = "Bus bandwidth over ranks";
  chart.series = {{"line rate", {8, 16, 32}, {400, 400, 400}, true}, {"ring", {}, {}, false}};
  for (const int ranks : {8, 16, 32}) {
    const double rate = ranks == 8 ? 100 : ranks == 16 ? 90 : 80;
    table.rows.push_back({std::to_string(ranks), quantity(rate, "Gb/s"), quantity(0, "%"),
                          std::string("not observed")});
    result.kpis.push_back({"busbw_gbps", std::to_string(ranks) + " ranks", quantity(rate, "Gb/s")});
    chart.series[1].x.push_back(ranks);
    chart.series[1].y.push_back(rate);
  }
  result.tables.push_back(table);
  result.charts.push_back(chart);
  result.deviations = {{"Ranks not measured: 64, 128", "profile"},
                       {"Iterations: 3 instead of 100", "profile"}};
  return result;
}

std::vector<Kind> found(const std::string& demands, const results::TestResult& result = sample()) {
  const Conformance data = fileOf(demands);
  std::vector<Kind> kinds;
  for (const Finding& finding : check(data.tests.front().demands, result)) {
    kinds.push_back(finding.kind);
  }
  return kinds;
}

TEST(ConformanceCheck, FindsNothingWhereEverythingIsThere) {
  EXPECT_THAT(
      found("{report: BusBW, unit: Gb/s, in: [{table: busbw, column: BusBW}, {kpi: busbw_gbps}, "
            "{chart: busbw_vs_ranks}]}, {report: topology, in: {configuration: Topology}}"),
      IsEmpty());
}

TEST(ConformanceCheck, FindsWhatIsAbsent) {
  for (const char* place :
       {"{table: fabric, column: ECN}", "{table: busbw, column: P95}", "{table: busbw, row: JCT}",
        "{kpi: ecn_percent}", "{chart: jfi}", "{distribution: latency_*}", "{timeline: pauses_*}",
        "{heat_map: links_*}", "{configuration: Overlap}"}) {
    EXPECT_THAT(found(std::string("{report: x, in: ") + place + "}"), ElementsAre(Kind::kAbsent))
        << place;
  }
}

TEST(ConformanceCheck, FindsWhatHasNoValue) {
  EXPECT_THAT(found("{report: x, in: {table: busbw, column: JCT}}"), ElementsAre(Kind::kEmpty));
  EXPECT_THAT(found("{report: x, in: {table: busbw, column: BusBW, points: \"64\"}}"),
              ElementsAre(Kind::kEmpty));
  results::TestResult bare = sample();
  bare.tables.front().rows.clear();
  bare.charts.front().series.pop_back();  // a reference line is no measurement
  bare.distributions.push_back({"latency_0", "64 B", "ps", ObservationPoint::kModelled, {}});
  EXPECT_THAT(found("{report: x, in: [{table: busbw, column: BusBW}, {chart: busbw_vs_ranks}, "
                    "{distribution: latency_*}]}",
                    bare),
              ElementsAre(Kind::kEmpty, Kind::kEmpty, Kind::kEmpty));
}

TEST(ConformanceCheck, FindsAConstantThatIsNotDeclared) {
  EXPECT_THAT(found("{report: x, in: {table: busbw, column: ECN}}"), ElementsAre(Kind::kConstant));
  EXPECT_THAT(found("{report: x, in: {table: busbw, column: ECN}, constant: no queue builds up}"),
              IsEmpty());
  results::TestResult level = sample();
  for (auto& kpi : level.kpis) kpi.quantity.value = 5;
  level.charts.front().series[1].y = {7, 7, 7};
  EXPECT_THAT(found("{report: x, in: [{kpi: busbw_gbps}, {chart: busbw_vs_ranks}]}", level),
              ElementsAre(Kind::kConstant, Kind::kConstant));
  // One point is not the same as any other.
  level.kpis.resize(1);
  EXPECT_THAT(found("{report: x, in: {kpi: busbw_gbps}}", level), IsEmpty());
}

// A point that others are compared with has no value of its own.
TEST(ConformanceCheck, ABaselineIsNoValue) {
  results::TestResult compared = sample();
  compared.tables.front().rows.front()[1] = std::string("baseline");
  for (std::size_t row : {1, 2}) compared.tables.front().rows[row][1] = quantity(3, "%");
  const std::string place = "{report: x, in: {table: busbw, column: BusBW}";
  EXPECT_THAT(found(place + "}", compared), ElementsAre(Kind::kConstant));
  EXPECT_THAT(found(place + ", constant: by design}", compared), IsEmpty());
}

TEST(ConformanceCheck, FindsADeclaredConstantThatVaries) {
  EXPECT_THAT(found("{report: x, in: {table: busbw, column: BusBW}, constant: by design}"),
              ElementsAre(Kind::kVaries));
  // Of two places one is constant.
  EXPECT_THAT(found("{report: x, in: [{table: busbw, column: BusBW}, {table: busbw, column: ECN}], "
                    "constant: by design}"),
              IsEmpty());
}

TEST(ConformanceCheck, FindsAnotherUnit) {
  EXPECT_THAT(found("{report: x, unit: \"%\", in: {table: busbw, column: BusBW}}"),
              ElementsAre(Kind::kUnit));
}

// Reasons in words do not stand for a measured value; a value in words does.
TEST(ConformanceCheck, TakesNoWordsForNumbers) {
  results::TestResult words = sample();
  for (auto& row : words.tables.front().rows) row[3] = std::string("never settled");
  const std::string demand = "{report: x, unit: us, in: {table: busbw, column: JCT}}";
  EXPECT_THAT(found(demand, words), ElementsAre(Kind::kEmpty));
  words.tables.front().rows[1][3] = std::string("3 us in 1 of 2 repetitions, else never settled");
  EXPECT_THAT(found(demand, words), IsEmpty());
}

TEST(ConformanceCheck, FindsValuesThatWereNeitherRunNorDeclared) {
  const std::string sweep =
      "{sweep: ranks, in: {table: busbw, column: Ranks}, called: Ranks, values: ";
  EXPECT_THAT(found(sweep + "[\"8\", \"16\", \"32\", \"64\", \"128\"]}"), IsEmpty());
  EXPECT_THAT(found(sweep + "[\"8\", \"256\"]}"), ElementsAre(Kind::kNotDeclared));
  // "12" is within "128", and "64" was declared for ranks, not for iterations.
  EXPECT_THAT(found(sweep + "[\"12\"]}"), ElementsAre(Kind::kNotDeclared));
  EXPECT_THAT(found("{sweep: x, in: {configuration: Iterations}, called: Iterations, "
                    "values: [\"64\"]}"),
              ElementsAre(Kind::kNotDeclared));
  EXPECT_THAT(found("{sweep: x, in: {configuration: Iterations}, called: Iterations, "
                    "values: [\"100\"]}"),
              IsEmpty());
}

// A sweep of one value is no fault where deviations name the others.
TEST(ConformanceCheck, ASweepMayBeCutByDeclaration) {
  results::TestResult cut = sample();
  cut.tables.front().rows[1][0] = std::string("8");
  cut.tables.front().rows[2][0] = std::string("8");
  const std::string sweep = "{sweep: ranks, in: {table: busbw, column: Ranks}";
  EXPECT_THAT(found(sweep + ", called: Ranks, values: [\"8\", \"64\"]}", cut), IsEmpty());
  EXPECT_THAT(found(sweep + "}", cut), ElementsAre(Kind::kConstant));
}

TEST(ConformanceCheck, DoesNotLookOnTheCardForWhatItDoesNotHave) {
  const std::string demand = "{report: x, in: {kpi: ecn_percent}, card: no endpoint}";
  EXPECT_THAT(found(demand), ElementsAre(Kind::kAbsent));
  results::TestResult by_card = sample();
  for (auto& kpi : by_card.kpis) kpi.quantity.observed = ObservationPoint::kTester;
  EXPECT_THAT(found(demand, by_card), IsEmpty());
}

TEST(ConformanceCheck, JudgesNoPlaceOfAnotherTest) {
  const Conformance data = parseConformance(
      "general:\n"
      "  - {report: x, section: \"4\", in: [{test: T7.2, kpi: pfc_per_s}, {docs: card.md}, "
      "{report: "
      "Topology}, {scenario: dut.identification.asic}]}\n"
      "  - {report: y, section: \"4\", in: {test: T9.1, kpi: pfc_per_s}}\n"
      "tests:\n"
      "  T7.2: {section: \"7.2\", demands: [{report: x, in: {kpi: y}}]}\n"
      "  T9.1: {section: \"9.1\", demands: [{report: x, in: {kpi: y}}]}\n",
      "data.yaml");
  const std::vector<Finding> findings = check(data.general, sample());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().demand->what, "y");
}

TEST(ConformanceCheck, SaysWhereTheDemandIs) {
  const Conformance data = fileOf("{report: P95, in: {table: busbw, column: P95}}");
  const std::vector<Finding> findings = check(data.tests.front().demands, sample());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findingText(findings.front(), "T9.1"),
            "host/suite/conformance/training.yaml:4: T9.1, \"P95\": table busbw has no column "
            "\"P95\" (there are: Ranks, BusBW, ECN, JCT)");
}

TEST(ConformanceFile, PlacesItsMistakes) {
  EXPECT_THAT(mistakes("{report: x}"), HasSubstr("data.yaml:4:1: it is not said where this is"));
  EXPECT_THAT(mistakes("{report: x, in: {kpi: y}, not_measured: z}"), HasSubstr("data.yaml:4:1: "));
  EXPECT_THAT(mistakes("{report: x, sweep: x, in: {kpi: y}}"), HasSubstr("one of sweep, report"));
  EXPECT_THAT(mistakes("{report: x, in: {kpi: y, chart: z}}"), HasSubstr("a place is one thing"));
  EXPECT_THAT(mistakes("{report: x, in: {table: y}}"), HasSubstr("needs a column or a row"));
  EXPECT_THAT(mistakes("{report: x, in: {kpi: y, column: z}}"), HasSubstr("a column or a row"));
  EXPECT_THAT(mistakes("{report: x, in: {kpi: y}, level: Must}"), HasSubstr("did you mean"));
  EXPECT_THAT(mistakes("{report: x, in: {kpi: y}, values: [\"1\"]}"),
              HasSubstr("only a sweep has values"));
  EXPECT_THAT(mistakes("{report: x, in: {docs: card.md}}"),
              HasSubstr("data.yaml:4:1: a place outside the result of T9.1"));
  EXPECT_THAT(mistakes("{report: x, in: {test: T7.2, kpi: y}}"), HasSubstr("outside the result"));
  EXPECT_THROW(parseConformance("general: [{report: x, section: \"4\", in: {test: T9.9, kpi: y}}]\n"
                                "tests: {T9.1: {section: \"9.1\", demands: [{report: x, in: "
                                "{kpi: y}}]}}\n",
                                "data.yaml"),
               Error);
  EXPECT_THAT(mistakes("{report: x, inn: {kpi: y}}"), HasSubstr("unknown key \"inn\""));
  EXPECT_THAT(mistakes("{report: x, in: {kpi: y}}", "more: 1\n"),
              HasSubstr("unknown key \"more\""));
}

TEST(ConformanceFile, HasPendingDemandsByPermissionOnly) {
  const std::string pending = "{report: x, pending: to be done}";
  EXPECT_THAT(mistakes(pending), HasSubstr("data.yaml:4:1: \"x\" is pending"));
  EXPECT_EQ(mistakes(pending, "pending_allowed: true\n"), "none");
  EXPECT_THAT(mistakes("{report: x, in: {kpi: y}, pending: wrong}"), HasSubstr("is pending"));
}

TEST(ConformanceRows, SayWhereItIsOrWhyNot) {
  const auto rows = demandRows({sample()});
  ASSERT_FALSE(rows.empty());
  const auto row = [&](const std::string& what) {
    for (const DemandRow& one : rows) {
      if (one.test == "T9.1" && one.demand->what == what) return one;
    }
    return DemandRow();
  };
  const DemandRow lacking = row("plot of BusBW over N for each message size");
  EXPECT_TRUE(lacking.here);
  EXPECT_EQ(lacking.answer, "chart “Bus bandwidth over ranks”");
  const DemandRow percentiles = row("BusBW, average, P50, P95 and P99");
  EXPECT_TRUE(percentiles.missing);
  EXPECT_THAT(percentiles.answer, HasSubstr("no column \"P50\""));
  EXPECT_EQ(row("at least 100 iterations").answer, "configuration, “Iterations”. Not run: 100");
  EXPECT_EQ(rows.back().test, "");
  // For every report: demands met by T9.1, those met by other tests, and those missing in T9.1.
  const auto general = [&](const std::string& what) {
    for (const DemandRow& one : rows) {
      if (one.test.empty() && one.demand->what == what) return one;
    }
    return DemandRow();
  };
  EXPECT_TRUE(general("BusBW").here);
  EXPECT_TRUE(general("job completion time").missing);
  EXPECT_EQ(general("job completion time").answer, "T10.1, T10.2 not run");
  EXPECT_TRUE(general("topology of the test").here);
  EXPECT_THAT(general("platform of the generator").answer,
              HasSubstr("T9.1: no configuration \"Generator platform\""));
  // User-defined workloads are not in the draft.
  results::TestResult free = sample();
  free.id = "free";
  EXPECT_THAT(demandRows({free}), IsEmpty());
}

TEST(ConformanceRows, NameATableOnceForItsColumns) {
  const Conformance data = fileOf(
      "{report: x, in: [{table: a, column: P50}, {table: a, column: P95}, {table: b, column: P95}, "
      "{table: b, row: P99}, {kpi: y}]}, {report: x, in: {kpi: y}, constant: by design}");
  EXPECT_EQ(answerText(data.tests.front().demands[0], nullptr),
            "table “a”, column “P50”, “P95”; table “b”, column “P95”; table “b”, row “P99”; figure "
            "y");
  EXPECT_EQ(answerText(data.tests.front().demands[1], nullptr),
            "figure y. The same at every point: by design");
}

// The file of this build.
TEST(ConformanceData, HasEveryTestOfTheDraftsAndNoOther) {
  for (const Draft draft : {Draft::kTraining, Draft::kInference}) {
    std::set<std::string> tests;
    for (const Procedure* one : procedures()) {
      if (one->id().starts_with(draft == Draft::kTraining ? "T" : "I")) tests.insert(one->id());
    }
    EXPECT_EQ(tests.size(), draft == Draft::kTraining ? 32U : 33U);
    std::set<std::string> data;
    for (const TestDemands& one : conformance(draft).tests) data.insert(one.test);
    EXPECT_EQ(data, tests);
  }
}

TEST(ConformanceData, IsTheDraftsOwn) {
  EXPECT_EQ(draftOf("T5.1"), Draft::kTraining);
  EXPECT_EQ(draftOf("I5.1"), Draft::kInference);
  EXPECT_EQ(conformanceFile(Draft::kInference), "host/suite/conformance/inference.yaml");
  // A run of one draft's tests need not meet the other draft's demands.
  results::TestResult inference = sample();
  inference.id = "I5.1";
  for (const DemandRow& row : demandRows({inference})) {
    EXPECT_NE(row.demand->section, "3.1.3");  // rail mapping, of training
  }
}

TEST(ConformanceData, NamesPagesThatExist) {
  const std::filesystem::path docs = checkoutPath("docs");
  for (const Demand& demand : conformance(Draft::kTraining).general) {
    for (const Place& place : demand.places) {
      if (place.kind != Place::Kind::kDocs) continue;
      EXPECT_TRUE(std::filesystem::exists(docs / place.id)) << place.id;
    }
  }
}

TEST(ConformancePage, HasARowForEachDemand) {
  const Conformance& training = conformance(Draft::kTraining);
  const Conformance& inference = conformance(Draft::kInference);
  const std::string page = conformancePage(training, inference);
  std::size_t rows = 0;
  std::size_t demands = training.general.size() + inference.general.size();
  for (const Conformance* data : {&training, &inference}) {
    for (const TestDemands& one : data->tests) demands += one.demands.size();
  }
  for (std::size_t at = page.find("\n| "); at != std::string::npos;
       at = page.find("\n| ", at + 1)) {
    ++rows;
  }
  // The list of tests with its heading, and a heading for each table.
  std::size_t headings = training.tests.size() + inference.tests.size() + 3;
  for (const char* head : {"\n| swept |", "\n| reported |", "\n| demanded |"}) {
    for (std::size_t at = page.find(head); at != std::string::npos; at = page.find(head, at + 1)) {
      ++headings;
    }
  }
  EXPECT_EQ(rows, demands + headings);
}

}  // namespace
}  // namespace plumbline::suite
