#include "report/page_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "fabric/spec/describe.h"
#include "report/chart.h"
#include "report/distribution_plot.h"
#include "report/svg.h"
#include "report/topology_diagram.h"

namespace plumbline::report {
namespace {

constexpr std::size_t kMaxPictures = 4;
// Most distributions that one plot can distinguish.
constexpr std::size_t kMaxCurves = 6;

struct Candidate {
  std::string title;
  std::function<std::string()> draw;
};

// Pictures of a test, the most informative first.
std::vector<Candidate> candidatesOf(const results::TestResult& test) {
  std::vector<Candidate> candidates;
  const auto addChart = [&](const results::Chart& chart) {
    candidates.push_back({chart.title, [&chart] { return renderChart(chart).front(); }});
  };
  if (!test.charts.empty()) addChart(test.charts.front());
  DistributionRefs filled;
  for (const results::Distribution& one : test.distributions) {
    if (one.histogram.count() > 0 && filled.size() < kMaxCurves) filled.push_back(&one);
  }
  if (!filled.empty()) {
    const std::string title = "Latency by percentile";
    candidates.push_back(
        {title, [filled, title] { return renderTail(filled, title, displayUnit(filled)); }});
  }
  if (!test.heat_maps.empty()) {
    const results::HeatMap& map = test.heat_maps.front();
    candidates.push_back({map.title, [&map] { return renderHeatMap(map); }});
  }
  if (!test.timelines.empty()) {
    const results::Timeline& timeline = test.timelines.front();
    candidates.push_back({timeline.title, [&timeline] { return renderTimeline(timeline); }});
  }
  for (std::size_t i = 1; i < test.charts.size(); ++i) addChart(test.charts[i]);
  return candidates;
}

// "T5" of "T5.2".
std::string chapterOf(const results::TestResult& test) {
  return test.id.substr(0, test.id.find('.'));
}

// Numbers of the tests whose pictures are shown.
std::vector<std::size_t> mostInformativeTests(const std::vector<results::TestResult>& tests,
                                              std::size_t max) {
  std::vector<std::size_t> with_pictures;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (!candidatesOf(tests[i]).empty()) with_pictures.push_back(i);
  }
  if (with_pictures.size() <= max) return with_pictures;
  std::vector<std::size_t> leading;  // the first of each chapter
  for (const std::size_t i : with_pictures) {
    if (leading.empty() || chapterOf(tests[leading.back()]) != chapterOf(tests[i])) {
      leading.push_back(i);
    }
  }
  if (leading.size() < max) leading = with_pictures;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < max; ++i) chosen.push_back(leading[i * leading.size() / max]);
  return chosen;
}

}  // namespace

std::string pagePicturesHtml(const ReportInput& input, const std::vector<std::string>& anchors) {
  const std::size_t max = input.topology ? kMaxPictures - 1 : kMaxPictures;
  std::vector<std::string> figures;
  const std::vector<std::size_t> chosen = mostInformativeTests(input.tests, max);
  bool more = true;
  for (std::size_t round = 0; more && figures.size() < max; ++round) {
    more = false;
    for (const std::size_t i : chosen) {
      const std::vector<Candidate> candidates = candidatesOf(input.tests[i]);
      if (round >= candidates.size() || figures.size() >= max) continue;
      more = true;
      figures.push_back(fmt::format(
          "<figure>\n<figcaption><a href=\"#{}\">{}</a> {}</figcaption>\n{}</figure>\n", anchors[i],
          escaped(input.tests[i].id), escaped(candidates[round].title), candidates[round].draw()));
    }
  }
  if (input.topology) {
    figures.push_back(fmt::format(
        "<figure>\n<figcaption><a href=\"#topology\">Topology</a> {}</figcaption>\n{}</figure>\n",
        escaped(fabric::topologyText(*input.topology)),
        renderTopology(*input.topology, input.failures)));
  }
  if (figures.empty()) return "";
  return fmt::format("<div class=\"figures story\">\n{}</div>\n", fmt::join(figures, ""));
}

}  // namespace plumbline::report
