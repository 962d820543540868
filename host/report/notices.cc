#include "report/notices.h"

#include <fmt/format.h>

#include "report/svg.h"

namespace plumbline::report {
namespace {

template <typename Notice>  // results::Anomaly or results::Deviation
std::string listHtml(const char* style, const std::vector<Notice>& notices) {
  std::string html = fmt::format("<ul class=\"{}\">\n", style);
  for (const Notice& one : notices) {
    html += "<li>" + escaped(one.what);
    if (!one.where.empty()) {
      html += fmt::format(" <span class=\"where\">{}</span>", escaped(one.where));
    }
    html += "</li>\n";
  }
  return html + "</ul>\n";
}

}  // namespace

std::string anomaliesHtml(const std::vector<results::Anomaly>& anomalies) {
  return anomalies.empty() ? "<p>None.</p>\n" : listHtml("anomalies", anomalies);
}

std::string foldedNoticesHtml(const std::string& title,
                              const std::vector<results::Deviation>& notices) {
  if (notices.empty()) return "";
  return foldedHtml(fmt::format("{} ({})", title, notices.size()), listHtml("notices", notices));
}

std::string foldedHtml(const std::string& title, const std::string& content) {
  return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", escaped(title), content);
}

}  // namespace plumbline::report
