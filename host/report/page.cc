#include "report/page.h"

#include <fmt/format.h>

#include "report/style.h"
#include "report/svg.h"
#include "report/table_html.h"

namespace plumbline::report {

std::string page(const std::string& title, const std::string& contents, const std::string& body,
                 const std::string& footer) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body{}>\n{}<main>\n{}"
      "<footer>{}</footer>\n</main>\n</body>\n</html>\n",
      escaped(title), styleSheet(), contents.empty() ? "" : " class=\"listed\"", contents, body,
      escaped(footer));
}

std::string pageHeader(const std::string& kind, const std::string& title, const KeyValues& facts) {
  return fmt::format("<header>\n<p class=\"product\">Plumbline {}</p>\n<h1>{}</h1>\n{}</header>\n",
                     escaped(kind), escaped(title), keyValuesHtml(facts));
}

}  // namespace plumbline::report
