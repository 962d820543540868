// The plot widget: what it exports is what it shows.
#include "gui/plots/plot.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QImage>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <cmath>
#include <limits>
#include <set>

#include "gui/plots/axis_ticker.h"
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

}  // namespace
}  // namespace plumbline::gui

int main(int argc, char** argv) {
  const plumbline::gui::GuiApp app(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
