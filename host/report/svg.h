// Inline SVG, element by element. Colours and fonts of axes and text come from the style sheet of
// the report; series have their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline::report {

// Text for HTML, XML and attribute values: & < > " ' escaped; control characters except tab and
// line ends, direction marks, and invalid UTF-8 are replaced by U+FFFD (XML cannot represent them).
std::string escaped(std::string_view text);

struct Point {
  double x = 0;
  double y = 0;
};

// Style of a line or bar.
struct Pen {
  std::string color;
  double width = 1.5;
  std::string dash;  // SVG dash array; empty = solid
};

enum class Anchor { kStart, kMiddle, kEnd };

// Estimated width of `text` in pixels at a font of `size` pixels, rather too wide than too narrow.
double textWidth(std::string_view text, double size);

class Svg {
 public:
  // `label` is the text for screen readers.
  Svg(double width, double height, std::string_view label);

  // `style` is a class of the style sheet.
  void line(Point from, Point to, std::string_view style);
  void line(Point from, Point to, const Pen& pen);
  // A quadratic Bézier curve.
  void curve(Point from, Point control, Point to, std::string_view style);
  // Points closer than a third of a pixel to the last one drawn are left out.
  void polyline(const std::vector<Point>& points, const Pen& pen);
  // The pale area that `points` enclose; at least three.
  void area(const std::vector<Point>& points, std::string_view color);
  // A ring around a marker.
  void ring(Point at, std::string_view color);
  void rect(Point corner, double width, double height, std::string_view style);
  void filledRect(Point corner, double width, double height, std::string_view color);
  // One of six shapes, so that series differ by more than colour; filled or outlined.
  void marker(Point at, std::size_t shape, std::string_view color, bool filled = true);
  void text(Point at, Anchor anchor, std::string_view style, std::string_view content);
  // Turned by 90° counter-clockwise.
  void verticalText(Point at, std::string_view style, std::string_view content);

  // The whole element.
  [[nodiscard]] std::string finish() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

}  // namespace plumbline::report
