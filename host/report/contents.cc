#include "report/contents.h"

#include <fmt/format.h>

#include "report/svg.h"

namespace plumbline::report {
namespace {

std::string listHtml(const std::vector<ContentsEntry>& entries) {
  std::string html = "<ul>\n";
  for (const ContentsEntry& one : entries) {
    if (one.anchor.empty()) {
      html += fmt::format("<li class=\"head\">{}</li>\n", escaped(one.text));
      continue;
    }
    const std::string mark =
        one.mark.empty() ? "" : fmt::format(" <span class=\"mark\">{}</span>", escaped(one.mark));
    html += fmt::format("<li{}><a href=\"#{}\">{}</a>{}</li>\n",
                        one.below ? " class=\"below\"" : "", one.anchor, escaped(one.text), mark);
  }
  return html + "</ul>\n";
}

}  // namespace

std::string contentsHtml(const std::vector<ContentsEntry>& entries) {
  if (entries.empty()) return "";
  // Written twice; the style sheet shows one of them, since CSS cannot open a <details>.
  const std::string list = listHtml(entries);
  return fmt::format(
      "<nav class=\"side\">\n{0}</nav>\n"
      "<details class=\"contents\">\n<summary>Contents</summary>\n{0}</details>\n",
      list);
}

}  // namespace plumbline::report
