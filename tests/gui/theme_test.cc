// The palettes of series, for viewers who lack one kind of cone: simulated by the matrices of
// Machado, Oliveira and Fernandes (2009) for severity 1, on linear RGB; distances in CIE 1976 Lab.
#include "gui/plots/theme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace plumbline::gui {
namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

constexpr std::size_t kColors = 8;

struct Vision {
  const char* name;
  Matrix matrix;
};
constexpr std::array<Vision, 4> kVisions = {{{"normal", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
                                             {"protanopia",
                                              {{{0.152286, 1.052583, -0.204868},
                                                {0.114503, 0.786281, 0.099216},
                                                {-0.003882, -0.048116, 1.051998}}}},
                                             {"deuteranopia",
                                              {{{0.367322, 0.860646, -0.227968},
                                                {0.280085, 0.672501, 0.047413},
                                                {-0.011820, 0.042940, 0.968881}}}},
                                             {"tritanopia",
                                              {{{1.255528, -0.076749, -0.178779},
                                                {-0.078411, 0.930809, 0.147602},
                                                {0.004733, 0.691367, 0.303900}}}}}};

Triple times(const Matrix& matrix, const Triple& vector) {
  Triple out{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 3; ++i) out[row] += matrix[row][i] * vector[i];
  }
  return out;
}

double linear(double srgb) {
  return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4);
}

// Lightness, green to red, blue to yellow; white point D65.
Triple labOf(const QColor& color, const Vision& vision) {
  static constexpr Matrix kToXyz = {{{0.4124564, 0.3575761, 0.1804375},
                                     {0.2126729, 0.7151522, 0.0721750},
                                     {0.0193339, 0.1191920, 0.9503041}}};
  static constexpr Triple kWhite = {0.95047, 1, 1.08883};
  Triple rgb =
      times(vision.matrix, {linear(color.redF()), linear(color.greenF()), linear(color.blueF())});
  for (double& part : rgb) part = std::clamp(part, 0.0, 1.0);
  Triple xyz = times(kToXyz, rgb);
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = xyz[i] / kWhite[i];
    xyz[i] = share > 216.0 / 24389 ? std::cbrt(share) : (24389.0 / 27 * share + 16) / 116;
  }
  return {116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])};
}

double difference(const Triple& a, const Triple& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

TEST(Theme, LabIsThatOfKnownColors) {
  // Published values of the primaries of sRGB.
  const Triple red = labOf(QColor("#ff0000"), kVisions[0]);
  EXPECT_NEAR(red[0], 53.24, 0.01);
  EXPECT_NEAR(red[1], 80.09, 0.01);
  EXPECT_NEAR(red[2], 67.20, 0.01);
  // Without its cones red and green of one lightness are one colour; with them they are far apart.
  const QColor a("#c05050");
  const QColor b("#6f7a4f");
  EXPECT_GT(difference(labOf(a, kVisions[0]), labOf(b, kVisions[0])), 50);
  EXPECT_LT(difference(labOf(a, kVisions[2]), labOf(b, kVisions[2])), 20);
}

// About 2 is the least difference one sees between two areas; thin lines need several times that.
TEST(Theme, SeriesAreToldApartWithAnyColorVision) {
  constexpr double kMin = 15;
  constexpr double kLeastFromBackground = 35;
  for (const Theme& theme : {lightTheme(), darkTheme()}) {
    for (const Vision& vision : kVisions) {
      const Triple background = labOf(theme.base, vision);
      for (std::size_t i = 0; i < kColors; ++i) {
        const QColor one = seriesPen(theme, i).color();
        EXPECT_GT(difference(labOf(one, vision), background), kLeastFromBackground)
            << one.name().toStdString() << ", " << vision.name;
        for (std::size_t k = i + 1; k < kColors; ++k) {
          const QColor other = seriesPen(theme, k).color();
          EXPECT_GT(difference(labOf(one, vision), labOf(other, vision)), kMin)
              << one.name().toStdString() << " and " << other.name().toStdString() << ", "
              << vision.name;
        }
      }
    }
  }
}

// Relative luminances as defined by WCAG 2, which requires 4.5 for text, 3 for lines.
TEST(Theme, SeriesStandOutFromADarkBackground) {
  const Theme theme = darkTheme();
  const auto luminance = [](const QColor& color) {
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
  };
  for (std::size_t i = 0; i < kColors; ++i) {
    const QColor color = seriesPen(theme, i).color();
    EXPECT_GT((luminance(color) + 0.05) / (luminance(theme.base) + 0.05), i < 2 ? 6 : 4.5)
        << color.name().toStdString();
  }
}

TEST(Theme, BeyondItsColorsSeriesDifferByTheirDashes) {
  for (const Theme& theme : {lightTheme(), darkTheme()}) {
    for (std::size_t i = 0; i < kColors; ++i) {
      const QPen first = seriesPen(theme, i);
      const QPen second = seriesPen(theme, i + kColors);
      EXPECT_EQ(first.color(), second.color());
      EXPECT_NE(first.style(), second.style());
    }
  }
}

// Load is encoded by lightness alone: monotonic from idle to full, for any vision.
TEST(Theme, LoadsAreOrderedByLightness) {
  for (const Theme& theme : {lightTheme(), darkTheme()}) {
    for (const Vision& vision : kVisions) {
      const double way = theme.dark ? 1 : -1;
      double before = labOf(loadColor(theme, 0), vision)[0];
      for (int percent = 5; percent <= 100; percent += 5) {
        const double now = labOf(loadColor(theme, percent / 100.0), vision)[0];
        EXPECT_GT(way * (now - before), 0) << percent << " %, " << vision.name;
        before = now;
      }
    }
  }
}

}  // namespace
}  // namespace plumbline::gui
