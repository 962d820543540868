// The plot widget: exports equal the display.
#include "gui/plots/plot.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QImage>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gui/plots/axis_ticker.h"
#include "gui/plots/label_text.h"
#include "tests/gui/gui_app.h"

namespace plumbline::gui {
namespace {

PlotSeries line(const QString& name, std::vector<double> x, std::vector<double> y) {
  return {name, std::move(x), std::move(y), SeriesStyle::kLine, false, std::nullopt};
}

QByteArray contents(const QString& path) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  return file.readAll();
}

std::size_t colors(const QImage& image) {
  std::set<QRgb> seen;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) seen.insert(image.pixel(x, y));
  }
  return seen.size();
}

class PlotTest : public testing::Test {
 protected:
  PlotTest() : plot_("Latency CDF") {
    plot_.resize(640, 400);
    plot_.setEmptyText("Waits for data");
    plot_.show();
    axes_.x_label = "latency [ns]";
    axes_.y_label = "share [%]";
  }

  Plot plot_;
  Plot::Axes axes_;
};

TEST_F(PlotTest, CsvHoldsEveryPointWithAllItsDigits) {
  plot_.setContent(axes_, {line("a, b", {1, 2.5}, {0.1, 100}), line("c", {3}, {4})});
  EXPECT_EQ(plot_.csv(),
            "series,latency [ns],share [%]\n\"a, b\",1,0.10000000000000001\n\"a, b\",2.5,100\n"
            "c,3,4\n");
  axes_.x_names = {"first", "second"};
  plot_.setContent(axes_, {line("", {0, 1}, {7, 8})});
  EXPECT_EQ(plot_.csv(), "series,latency [ns],share [%]\n,first,7\n,second,8\n");
}

TEST_F(PlotTest, PicturesShowTheCurve) {
  const QTemporaryDir dir;
  plot_.setContent(axes_, {line("a", {0, 10}, {0, 10})}, {{5, 5.0, "P50", 0}});
  const QString png = dir.filePath("plot.png");
  EXPECT_EQ(plot_.exportTo(png), "");
  const QImage image(png);
  EXPECT_EQ(image.width(), 1280);  // twice the widget's size
  EXPECT_GT(colors(image), 8U);
  const QString svg = dir.filePath("plot.svg");
  EXPECT_EQ(plot_.exportTo(svg), "");
  QXmlStreamReader xml(contents(svg));
  bool has_label = false;
  while (!xml.atEnd()) {
    if (xml.readNext() == QXmlStreamReader::Characters && xml.text().contains(u"latency [ns]")) {
      has_label = true;
    }
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  EXPECT_TRUE(has_label);
}

TEST_F(PlotTest, ExportSaysWhyItFails) {
  plot_.setContent(axes_, {line("a", {1}, {1})});
  EXPECT_TRUE(plot_.exportTo("/nonexistent/plot.csv").contains("could not be written"));
  EXPECT_TRUE(plot_.exportTo("plot.gif").contains("ending"));
}

TEST_F(PlotTest, WithoutPointsItSaysWhatItWaitsFor) {
  plot_.setContent(axes_, {line("a", {}, {})});
  EXPECT_EQ(plot_.pointCount(), 0U);
  EXPECT_TRUE(plot_.findChild<QLabel*>()->isVisible());
  plot_.setContent(axes_, {line("a", {1}, {1})});
  EXPECT_FALSE(plot_.findChild<QLabel*>()->isVisible());
}

TEST_F(PlotTest, PointsThatCannotBeDrawnAreLeftOut) {
  axes_.log_x = true;
  axes_.log_y = true;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  plot_.setContent(axes_, {line("a", {0, 1, 2, 3}, {1, nan, -1, 5})});
  QSignalSpy moved(&plot_, &Plot::xRangeMoved);
  plot_.fit();
  // Only the last one is left, and a little room around it.
  ASSERT_EQ(moved.count(), 1);
  EXPECT_GT(moved[0][0].toDouble(), 2);
  EXPECT_LT(moved[0][1].toDouble(), 4);
}

TEST_F(PlotTest, KeysZoomAndFitAgain) {
  plot_.setContent(axes_, {line("a", {0, 100}, {0, 1})});
  QSignalSpy moved(&plot_, &Plot::xRangeMoved);
  QTest::keyClick(&plot_, Qt::Key_Plus);
  ASSERT_EQ(moved.count(), 1);
  const double width = moved[0][1].toDouble() - moved[0][0].toDouble();
  EXPECT_LT(width, 100);
  EXPECT_FALSE(moved[0][2].toBool());
  QTest::keyClick(&plot_, Qt::Key_0);
  ASSERT_EQ(moved.count(), 2);
  EXPECT_TRUE(moved[1][2].toBool());
  EXPECT_LE(moved[1][0].toDouble(), 0);
  EXPECT_GE(moved[1][1].toDouble(), 100);
}

TEST(TickLabel, HasTheDigitsItsStepNeeds) {
  EXPECT_EQ(tickLabel(0, 10), "0");
  EXPECT_EQ(tickLabel(12500, 500), "12,500");
  EXPECT_EQ(tickLabel(0.25, 0.05), "0.25");
  EXPECT_EQ(tickLabel(2, 0.5), "2.0");
  EXPECT_EQ(tickLabel(-40, 20), "-40");
}

TEST(LabelText, TakesTwoLinesBeforeItIsCut) {
  EXPECT_EQ(inTwoLines("8 ranks, ECMP", 13), "8 ranks, ECMP");
  EXPECT_EQ(inTwoLines("1 MiB, 8 ranks, flowlet DLB", 16), "1 MiB, 8 ranks,\nflowlet DLB");
  EXPECT_EQ(inTwoLines("spray over packets", 12), "spray over\npackets");
  EXPECT_EQ(inTwoLines("leaf0-spine1-super2", 10), "leaf…uper2");
  EXPECT_EQ(inTwoLines("1 MiB, a-name-without-end", 10), "1 MiB,\na-na…t-end");
}

TEST(LabelText, ElidesToTheLengthThatIsGiven) {
  EXPECT_EQ(elided("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(elided("abcdefghi", 8), "abc…fghi");
  EXPECT_EQ(elided("abcdefghi", 7), "abc…ghi");
}

// Points of a sweep whose long names begin and end alike, in a plot as narrow as half a small
// window.
TEST_F(PlotTest, NamesOfRowsStayDifferentAndTellThemselvesWhole) {
  plot_.resize(290, 300);
  axes_.x_label.clear();
  std::vector<double> x;
  for (const char* size : {"1 MiB", "8 MiB"}) {
    for (const int ranks : {8, 16, 32}) {
      for (const char* how : {"ECMP", "flowlet DLB", "packet spray"}) {
        x.push_back(static_cast<double>(x.size()));
        axes_.x_names.push_back(QStringLiteral("AllReduce, %1, %2 ranks, %3")
                                    .arg(QLatin1String(size))
                                    .arg(ranks)
                                    .arg(QLatin1String(how)));
      }
    }
  }
  PlotSeries bars{"", x, x, SeriesStyle::kBars, false, std::nullopt};
  plot_.setContent(axes_, {bars});
  QTest::qWait(50);
  const QStringList labels = plot_.rowLabels();
  ASSERT_EQ(labels.size(), axes_.x_names.size());
  EXPECT_EQ(std::set<QString>(labels.begin(), labels.end()).size(), x.size());
  EXPECT_EQ(labels[4], "1 MiB, 16 ranks,\nflowlet DLB");
  QStringList told;
  for (int y = 0; y < plot_.height(); ++y) {
    const QString tip = plot_.toolTipAt({20, y});
    if (!tip.isEmpty() && !told.contains(tip)) told.push_back(tip);
  }
  EXPECT_GT(told.size(), 3);
  EXPECT_EQ(told, axes_.x_names.mid(0, told.size()));
}

TEST_F(PlotTest, ALegendWithoutRoomSaysHowManyItLeavesOut) {
  plot_.resize(320, 160);
  std::vector<PlotSeries> series;
  series.reserve(9);
  for (int i = 0; i < 9; ++i) {
    series.push_back(line(QStringLiteral("a long name of a series %1").arg(i), {1, 2}, {1, 2}));
  }
  plot_.setContent(axes_, series);
  QTest::qWait(50);
  ASSERT_EQ(plot_.legendTexts().size(), 2);
  EXPECT_EQ(plot_.legendTexts()[1], "a long name of a series 1 … and 7 more");
  EXPECT_EQ(plot_.toolTipAt({30, 20}).count(QLatin1Char('\n')), 8);
  plot_.resize(900, 600);
  QTest::qWait(50);
  EXPECT_EQ(plot_.legendTexts().size(), 9);
}

TEST_F(PlotTest, ALineOfOnePointIsSeen) {
  plot_.setContent(axes_, {line("", {1, 3}, {1, 3})});
  QTest::qWait(50);
  const QColor blue = seriesPen(lightTheme(), 0).color();
  const auto painted = [&] {
    const QImage image = plot_.grab().toImage();
    int pixels = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) pixels += image.pixelColor(x, y) == blue ? 1 : 0;
    }
    return pixels;
  };
  EXPECT_GT(painted(), 100);
  plot_.setContent(axes_, {line("", {2}, {2})});
  QTest::qWait(50);
  EXPECT_GT(painted(), 15);
}

// Pixels of the n-th series in each column of the picture.
std::vector<int> columnsOf(const QImage& image, std::size_t series) {
  const QRgb color = seriesPen(lightTheme(), series).color().rgb();
  std::vector<int> counts(static_cast<std::size_t>(image.width()), 0);
  for (int x = 0; x < image.width(); ++x) {
    for (int y = 60; y < image.height(); ++y) {  // below the legend
      if (image.pixel(x, y) == color) ++counts[static_cast<std::size_t>(x)];
    }
  }
  return counts;
}

// Parts are stacked, each as high as its value: 3 and 4, then 1 and nothing.
TEST_F(PlotTest, StackedBarsStandOnEachOther) {
  const PlotSeries lower{"lower", {0.5, 1.5}, {3, 1}, SeriesStyle::kStacked, false, std::nullopt};
  const PlotSeries upper{"upper", {0.5, 1.5}, {4, 0}, SeriesStyle::kStacked, false, std::nullopt};
  plot_.setContent(axes_, {lower, upper});
  QTest::qWait(50);
  const QImage image = plot_.grab().toImage();
  const std::vector<int> low = columnsOf(image, 0);
  const std::vector<int> high = columnsOf(image, 1);
  const int most_low = *std::max_element(low.begin(), low.end());
  const int most_high = *std::max_element(high.begin(), high.end());
  EXPECT_GT(most_low, 80);  // all of both is in the picture
  EXPECT_NEAR(most_high / 4.0, most_low / 3.0, 1.5);
  bool apart = false;
  for (std::size_t x = 0; x < low.size(); ++x) {
    if (high[x] > 0) {
      EXPECT_NEAR(low[x], most_low, 6) << "an upper part on air, at " << x;
    }
    apart = apart || (high[x] == 0 && std::abs(low[x] - most_low / 3) < 3);
  }
  EXPECT_TRUE(apart);  // the second bar
  EXPECT_EQ(plot_.csv(),
            "series,latency [ns],share [%]\nlower,0.5,3\nlower,1.5,1\nupper,0.5,4\nupper,1.5,0\n");
}

}  // namespace
}  // namespace plumbline::gui

int main(int argc, char** argv) {
  const plumbline::gui::GuiApp app(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
