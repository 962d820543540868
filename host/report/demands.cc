#include "report/demands.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/notices.h"
#include "report/svg.h"

namespace plumbline::report {
namespace {

std::string sectionText(const Demand& demand) {
  return demand.level.empty() ? demand.section
                              : fmt::format("{}, {}", demand.section, demand.level);
}

std::string rowHtml(const Demand& demand) {
  const bool missing = demand.state == Demand::State::kMissing;
  return fmt::format("<tr><td>{}{}</td><td>{}</td><td>{}{}</td></tr>\n",
                     demand.swept ? "Sweep: " : "", escaped(demand.what),
                     escaped(sectionText(demand)), missing ? "<strong>Not here:</strong> " : "",
                     escaped(demand.answer));
}

std::string titleOf(const std::vector<const Demand*>& demands) {
  const auto count = [&](Demand::State state) {
    return std::count_if(demands.begin(), demands.end(),
                         [&](const Demand* one) { return one->state == state; });
  };
  std::string title = fmt::format("Demanded by the methodology ({}: {} here", demands.size(),
                                  count(Demand::State::kHere));
  if (const auto lacking = count(Demand::State::kMissing); lacking > 0) {
    title += fmt::format(", {} missing", lacking);
  }
  if (const auto none = count(Demand::State::kNotMeasured); none > 0) {
    title += fmt::format(", {} not measured", none);
  }
  return title + ")";
}

}  // namespace

std::string demandsHtml(const std::vector<Demand>& demands, const std::string& test) {
  std::vector<const Demand*> shown;
  shown.reserve(demands.size());
  for (const Demand& one : demands) {
    if (one.test == test) shown.push_back(&one);
  }
  if (shown.empty()) return "";
  std::string html =
      "<div class=\"table\">\n<table class=\"demands\">\n<thead><tr><th>Demanded</th>"
      "<th>Section</th><th>Where it is, or why it is not here</th></tr></thead>\n<tbody>\n";
  for (const Demand* one : shown) html += rowHtml(*one);
  return foldedHtml(titleOf(shown), html + "</tbody>\n</table>\n</div>\n");
}

}  // namespace plumbline::report
