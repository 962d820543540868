// Page one, contents, and the structure of the whole.
#include "report/overview.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "report/notices.h"
#include "tests/report/sample_report.h"
#include "tests/report/xml.h"

namespace plumbline::report::testing {
namespace {

using State = LimitOutcome::State;

std::string classOf(const Element& element) {
  const auto found = element.attributes.find("class");
  return found == element.attributes.end() ? "" : found->second;
}

std::string idOf(const Element& element) {
  const auto found = element.attributes.find("id");
  return found == element.attributes.end() ? "" : found->second;
}

void collectIds(const Element& element, std::vector<std::string>& ids) {
  if (!idOf(element).empty()) ids.push_back(idOf(element));
  for (const Element& child : element.children) collectIds(child, ids);
}

// Thirty tests of eight chapters, as a whole suite.
ReportInput suite() {
  ReportInput input = sampleReport();
  const results::TestResult one = input.tests[0];
  input.tests.clear();
  for (int i = 0; i < 30; ++i) {
    input.tests.push_back(one);
    input.tests.back().id = "T" + std::to_string(5 + i / 4) + "." + std::to_string(1 + i % 4);
  }
  return input;
}

std::string overviewText(const ReportInput& input) {
  const Element document = parseXml(renderHtml(input));
  for (const Element* one : document.all("section")) {
    if (idOf(*one) == "overview") return one->text;
  }
  return "";
}

TEST(Structure, LinksLeadSomewhereAndIdsAreUnique) {
  for (const ReportInput& input : {sampleReport(), suite(), ReportInput{}}) {
    const Element document = parseXml(renderHtml(input));
    std::vector<std::string> ids;
    collectIds(document, ids);
    const std::set<std::string> unique(ids.begin(), ids.end());
    EXPECT_EQ(unique.size(), ids.size());
    for (const Element* link : document.all("a")) {
      EXPECT_TRUE(unique.contains(link->attributes.at("href").substr(1)))
          << link->attributes.at("href");
    }
  }
}

TEST(Structure, ContentsNameEverySection) {
  for (const ReportInput& input : {sampleReport(), suite()}) {
    const Element document = parseXml(renderHtml(input));
    std::set<std::string> side;
    std::set<std::string> folded;
    for (const Element* one : document.all("nav")) {
      for (const Element* link : one->all("a")) side.insert(link->attributes.at("href"));
    }
    for (const Element* one : document.all("details")) {
      if (classOf(*one) != "contents") continue;
      for (const Element* link : one->all("a")) folded.insert(link->attributes.at("href"));
    }
    EXPECT_EQ(side, folded);
    for (const Element* one : document.all("section")) {
      EXPECT_TRUE(side.contains("#" + idOf(*one))) << idOf(*one);
    }
    for (std::size_t i = 0; i < input.tests.size(); ++i) {
      EXPECT_TRUE(side.contains("#test-" + std::to_string(i + 1)));
    }
  }
}

TEST(Structure, NoSectionIsEmpty) {
  for (const ReportInput& input : {sampleReport(), ReportInput{}}) {
    const Element document = parseXml(renderHtml(input));
    for (const Element* one : document.all("section")) {
      EXPECT_GT(one->children.size(), 1U) << idOf(*one);
      EXPECT_EQ(one->children.front().name, "h2");
    }
  }
}

TEST(Overview, SaysWhatWasTested) {
  ReportInput input = sampleReport();
  input.simulated_dut = true;
  input.dut_identity = {{"vendor", "Example"}, {"model", "X-9"}};
  const std::string text = overviewText(input);
  for (const char* part : {"Example, X-9 (simulated fabric)", "8 leaves × 16 spines",
                           "the Verilated card with the real driver", "describe a model",
                           "2026-02-26T14:03:59Z to 2026-02-26T14:05:12Z", "42"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  input.simulated_dut = false;
  EXPECT_EQ(overviewText(input).find("simulat"), std::string::npos);
  EXPECT_NE(overviewText(input).find("measured on a device"), std::string::npos);
  input.bench_known = false;
  EXPECT_EQ(overviewText(input).find("measured on a device"), std::string::npos);
  EXPECT_NE(overviewText(input).find("simulated or real is not known"), std::string::npos);
}

LimitOutcome limit(State state, double bound, double worst) {
  LimitOutcome limit{"latency_p99_ns", true, bound, state, {}, "T5.2, 64 B"};
  limit.worst.value = worst;
  limit.worst.unit = "ns";
  return limit;
}

TEST(Overview, VerdictOfLimits) {
  ReportInput input = sampleReport();
  const auto says = [&](const char* text) {
    return overviewText(input).find(text) != std::string::npos;
  };
  EXPECT_TRUE(says("Limits: the scenario sets none."));
  input.limits = {limit(State::kMet, 5000, 1234), limit(State::kMet, 5000, 1234)};
  EXPECT_TRUE(says("Limits met: 2 of 2."));
  EXPECT_FALSE(says("latency_p99_ns"));
  input.limits.push_back(limit(State::kMissed, 5000, 62'345));
  EXPECT_TRUE(says("Limits missed: 1 of 3 missed."));
  EXPECT_TRUE(says("latency_p99_ns at most 5,000 ns: 62.3 µs T5.2, 64 B"));
  // A miss by less than the usual digits shows its digits.
  input.limits = {limit(State::kMissed, 5000, 5000.25)};
  EXPECT_TRUE(says("at most 5000 ns: 5000.25 ns"));
  input.limits = {limit(State::kNotMeasured, 5000, 0), limit(State::kMet, 5000, 1)};
  EXPECT_TRUE(says("Limits not measured: 0 of 2 missed, 1 not measured."));
  EXPECT_TRUE(says("latency_p99_ns at most 5000: not measured"));
}

TEST(Overview, CountsAnomaliesAndLeadsToThem) {
  const Element document = parseXml(renderHtml(sampleReport()));
  EXPECT_NE(overviewText(sampleReport()).find("2 anomalies: T5.2 (1), T5.3 (1)."),
            std::string::npos)
      << overviewText(sampleReport());
  std::size_t links = 0;
  for (const Element* link : document.all("a")) {
    if (link->attributes.at("href") == "#test-2-anomalies" && link->text == "T5.2") ++links;
  }
  EXPECT_EQ(links, 1U);
  EXPECT_NE(overviewText(sampleReport()).find("Not valid: T5.3."), std::string::npos);
  ReportInput clean = sampleReport();
  clean.tests = {clean.tests[0]};
  clean.tests[0].anomalies.clear();
  EXPECT_NE(overviewText(clean).find("Anomalies: none."), std::string::npos);
}

TEST(Overview, OfManyTestsTheFirstFigureOfEach) {
  const ReportInput input = suite();
  const Element document = parseXml(renderHtml(input));
  for (const Element* table : document.all("table")) {
    if (classOf(*table) == "summary") {
      EXPECT_EQ(table->all("tr").size(), 1U + input.tests.size());
    }
  }
}

TEST(Overview, HasTwoToFourPicturesFromTheWholeReport) {
  const auto pictures = [](const ReportInput& input) {
    const Element document = parseXml(renderHtml(input));
    std::vector<std::string> titles;
    for (const Element* section : document.all("section")) {
      if (idOf(*section) != "overview") continue;
      for (const Element* one : section->all("figcaption")) titles.push_back(one->text);
    }
    return titles;
  };
  const auto few = pictures(sampleReport());
  ASSERT_EQ(few.size(), 4U);
  EXPECT_EQ(few[0].substr(0, 4), "T5.1");
  EXPECT_EQ(few[1].substr(0, 4), "T5.2");
  EXPECT_EQ(few[2].substr(0, 4), "T5.3");
  EXPECT_EQ(few[3].substr(0, 8), "Topology");
  // Eight chapters, three pictures: the 1st, 3rd and 6th.
  const auto many = pictures(suite());
  ASSERT_EQ(many.size(), 4U);
  EXPECT_EQ(many[0].substr(0, 4), "T5.1");
  EXPECT_EQ(many[1].substr(0, 4), "T7.1");
  EXPECT_EQ(many[2].substr(0, 5), "T10.1");
  ReportInput one = sampleReport();
  one.topology.reset();
  one.tests = {one.tests[2]};
  EXPECT_EQ(pictures(one).size(), 2U);  // it has no more
}

TEST(Notices, FoldedOnesAreCounted) {
  EXPECT_EQ(foldedNoticesHtml("Deviations", {}), "");
  const Element details = parseXml(foldedNoticesHtml("Deviations", {{"a < b", "here"}, {"c", ""}}));
  EXPECT_EQ(details.name, "details");
  EXPECT_FALSE(details.attributes.contains("open"));
  EXPECT_EQ(details.all("summary")[0]->text, "Deviations (2)");
  EXPECT_EQ(details.all("li").size(), 2U);
  EXPECT_EQ(details.all("li")[0]->text, "a < b here");
}

}  // namespace
}  // namespace plumbline::report::testing
