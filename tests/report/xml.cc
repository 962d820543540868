#include "tests/report/xml.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>

namespace plumbline::report::testing {
namespace {

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Element document() {
    const std::string doctype = "<!DOCTYPE html>\n";
    if (text_.compare(0, doctype.size(), doctype) == 0) at_ = doctype.size();
    Element root = element();
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_++])) == 0) fail("text after the root");
    }
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const std::size_t from = at_ < 60 ? 0 : at_ - 60;
    throw std::runtime_error(what + " at " + std::to_string(at_) + ": ..." +
                             text_.substr(from, 100));
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void expect(const std::string& what) {
    if (text_.compare(at_, what.size(), what) != 0) fail("expected " + what);
    at_ += what.size();
  }
  void spaces() {
    while (std::isspace(static_cast<unsigned char>(peek())) != 0) ++at_;
  }
  std::string name() {
    const std::size_t from = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '-' ||
           peek() == ':') {
      ++at_;
    }
    if (at_ == from) fail("expected a name");
    return text_.substr(from, at_ - from);
  }

  // Character data up to `end`, entities resolved.
  std::string characters(char end) {
    std::string out;
    while (peek() != end) {
      if (at_ >= text_.size()) fail("unexpected end");
      const char c = peek();
      if (c == '<') fail("a bare <");
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r') {
        fail("a control character");
      }
      if (c == '&') {
        out += entity();
      } else {
        out += c;
        ++at_;
      }
    }
    return out;
  }
  std::string entity() {
    static const std::map<std::string, std::string> kKnown = {
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};
    const std::size_t end = text_.find(';', at_);
    if (end == std::string::npos) fail("a bare &");
    const auto known = kKnown.find(text_.substr(at_, end - at_ + 1));
    if (known == kKnown.end()) fail("an unknown entity");
    at_ = end + 1;
    return known->second;
  }

  Element element() {
    Element out;
    expect("<");
    out.name = name();
    for (;;) {
      spaces();
      if (peek() == '/') {
        expect("/>");
        return out;
      }
      if (peek() == '>') break;
      const std::string attribute = name();
      expect("=\"");
      if (!out.attributes.emplace(attribute, characters('"')).second) fail("attribute given twice");
      expect("\"");
    }
    expect(">");
    for (;;) {
      if (text_.compare(at_, 2, "</") == 0) break;
      if (peek() == '<') {
        out.children.push_back(element());
        out.text += out.children.back().text;
      } else {
        out.text += characters('<');
      }
    }
    expect("</" + out.name + ">");
    return out;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<const Element*> Element::all(const std::string& wanted) const {
  std::vector<const Element*> found;
  for (const Element& child : children) {
    if (child.name == wanted) found.push_back(&child);
    for (const Element* deeper : child.all(wanted)) found.push_back(deeper);
  }
  return found;
}

double Element::number(const std::string& attribute) const {
  return std::stod(attributes.at(attribute));
}

Element parseXml(const std::string& document) { return Parser(document).document(); }

std::vector<std::string> textsOf(const Element& element, const std::string& wanted) {
  std::vector<std::string> texts;
  for (const Element* one : element.all(wanted)) texts.push_back(one->text);
  return texts;
}

bool has(const std::vector<std::string>& texts, const std::string& wanted) {
  return std::find(texts.begin(), texts.end(), wanted) != texts.end();
}

std::vector<std::pair<double, double>> pointsOf(const Element& element) {
  std::istringstream stream(element.attributes.at("points"));
  std::vector<std::pair<double, double>> points;
  double x = 0;
  double y = 0;
  char comma = 0;
  while (stream >> x >> comma >> y) points.emplace_back(x, y);
  return points;
}

}  // namespace plumbline::report::testing
