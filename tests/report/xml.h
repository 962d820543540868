// A strict reader of well-formed XML, in the extent that reports use: an independent view of the
// rendered pages.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace plumbline::report::testing {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // of this element and all below it, entities resolved
  std::vector<Element> children;

  // Elements of this name anywhere below, in document order.
  [[nodiscard]] std::vector<const Element*> all(const std::string& wanted) const;
  [[nodiscard]] double number(const std::string& attribute) const;
};

// The root element of `document`, which may begin with <!DOCTYPE html>. Throws std::runtime_error
// that says where it is not well-formed.
Element parseXml(const std::string& document);

// Texts of the elements with this name anywhere below `element`, in document order.
std::vector<std::string> textsOf(const Element& element, const std::string& wanted = "text");
bool has(const std::vector<std::string>& texts, const std::string& wanted);

// Points of a polyline's or polygon's `points` attribute.
std::vector<std::pair<double, double>> pointsOf(const Element& element);

}  // namespace plumbline::report::testing
