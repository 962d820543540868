#include "report/svg.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "base/printable.h"

namespace plumbline::report {
namespace {

// Length of the valid UTF-8 sequence at `at`; 0 if there is none.
std::size_t sequenceLength(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return 0;
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80) return 0;
    code = (code << 6) | (byte(at + i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool not_character = code == 0xFFFE || code == 0xFFFF;
  if (code < kSmallest[length] || code > 0x10FFFF || surrogate || not_character) return 0;
  return length;
}

const char* anchorName(Anchor anchor) {
  switch (anchor) {
    case Anchor::kStart:
      return "start";
    case Anchor::kMiddle:
      return "middle";
    case Anchor::kEnd:
      break;
  }
  return "end";
}

std::string stroke(const Pen& pen) {
  std::string text =
      fmt::format("stroke=\"{}\" stroke-width=\"{:.1f}\"", escaped(pen.color), pen.width);
  if (!pen.dash.empty()) text += fmt::format(" stroke-dasharray=\"{}\"", escaped(pen.dash));
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequenceLength(text, at);
    const char c = text[at];
    if (length == 0) {
      out += kReplacement;
      ++at;
      continue;
    }
    if (length > 1) {
      // Marks of direction would show the text after them in another order.
      const std::string_view character = text.substr(at, length);
      out += printable(character) == character ? character : kReplacement;
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else if ((static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
               c == 0x7F) {
      out += kReplacement;
    } else {
      out += c;
    }
    at += length;
  }
  return out;
}

double textWidth(std::string_view text, double size) {
  std::size_t characters = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80) ++characters;
  }
  return static_cast<double>(characters) * size * 0.58;
}

Svg::Svg(double width, double height, std::string_view label)
    : body_(fmt::format("<svg class=\"plot\" viewBox=\"0 0 {:g} {:g}\" role=\"img\" "
                        "aria-label=\"{}\">\n",
                        width, height, escaped(label))) {}

void Svg::line(Point from, Point to, std::string_view style) {
  body_ +=
      fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                  style, from.x, from.y, to.x, to.y);
}

void Svg::line(Point from, Point to, const Pen& pen) {
  body_ += fmt::format("<line {} x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                       stroke(pen), from.x, from.y, to.x, to.y);
}

void Svg::curve(Point from, Point control, Point to, std::string_view style) {
  body_ += fmt::format(
      "<path class=\"{}\" fill=\"none\" d=\"M{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}\"/>\n",
      style, from.x, from.y, control.x, control.y, to.x, to.y);
}

void Svg::polyline(const std::vector<Point>& points, const Pen& pen) {
  if (points.empty()) return;
  body_ +=
      fmt::format("<polyline fill=\"none\" stroke-linejoin=\"round\" {} points=\"", stroke(pen));
  Point drawn;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool end = i == 0 || i + 1 == points.size();
    if (!end && std::hypot(points[i].x - drawn.x, points[i].y - drawn.y) < 1.0 / 3) continue;
    drawn = points[i];
    body_ += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", drawn.x, drawn.y);
  }
  body_ += "\"/>\n";
}

void Svg::area(const std::vector<Point>& points, std::string_view color) {
  body_ += fmt::format("<polygon fill=\"{}\" fill-opacity=\"0.18\" points=\"", escaped(color));
  for (const Point& point : points) {
    body_ += fmt::format("{}{:.1f},{:.1f}", &point == points.data() ? "" : " ", point.x, point.y);
  }
  body_ += "\"/>\n";
}

void Svg::ring(Point at, std::string_view color) {
  body_ += fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"9\" fill=\"none\" stroke=\"{}\" "
      "stroke-width=\"1.5\"/>\n",
      at.x, at.y, escaped(color));
}

void Svg::rect(Point corner, double width, double height, std::string_view style) {
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", style,
      corner.x, corner.y, width, height);
}

void Svg::filledRect(Point corner, double width, double height, std::string_view color) {
  body_ += fmt::format(
      "<rect fill=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
      escaped(color), corner.x, corner.y, width, height);
}

void Svg::marker(Point at, std::size_t shape, std::string_view color, bool filled) {
  // Outlines around the origin, of about equal area; the circle is drawn as one.
  static constexpr std::array<const char*, 5> kShapes = {
      "-3.2,-3.2 3.2,-3.2 3.2,3.2 -3.2,3.2", "0,-4.4 4.2,3.2 -4.2,3.2", "0,-4.6 4.6,0 0,4.6 -4.6,0",
      "0,4.4 4.2,-3.2 -4.2,-3.2", "-4.6,-1.4 4.6,-1.4 4.6,1.4 -4.6,1.4"};
  const std::size_t which = shape % (kShapes.size() + 1);
  const std::string paint =
      filled ? fmt::format("fill=\"{}\"", escaped(color))
             : fmt::format("class=\"hollow\" fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"1.5\"",
                           escaped(color));
  if (which == 0) {
    body_ += fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>\n", paint, at.x, at.y);
  } else {
    body_ += fmt::format("<polygon {} transform=\"translate({:.1f} {:.1f})\" points=\"{}\"/>\n",
                         paint, at.x, at.y, kShapes[which - 1]);
  }
}

void Svg::text(Point at, Anchor anchor, std::string_view style, std::string_view content) {
  body_ +=
      fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                  style, at.x, at.y, anchorName(anchor), escaped(content));
}

void Svg::verticalText(Point at, std::string_view style, std::string_view content) {
  body_ += fmt::format(
      "<text class=\"{}\" transform=\"translate({:.1f} {:.1f}) rotate(-90)\" "
      "text-anchor=\"middle\">{}</text>\n",
      style, at.x, at.y, escaped(content));
}

}  // namespace plumbline::report
