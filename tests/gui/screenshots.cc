// Saves pictures of every tab of the window, with the results and the live data of real runs on a
// server of its own: gui_screenshots PLUMBLINE DIRECTORY [RESULT.json …]. With results, it shows
// those and runs nothing.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTabWidget>
#include <cstdio>
#include <utility>
#include <vector>

#include "gui/pages/scenario_page.h"
#include "gui/window/docks.h"
#include "gui/window/main_window.h"
#include "gui/window/status_strip.h"
#include "tests/gui/gui_app.h"
#include "tests/paths/paths.h"

namespace {

using plumbline::gui::MainWindow;
using plumbline::gui::waitFor;

constexpr int kRunMs = 300'000;

struct Look {
  const char* name;
  bool dark;
  QSize size;
};
const std::vector<Look> kLooks = {{"light", false, {1320, 860}},
                                  {"dark", true, {1320, 860}},
                                  {"light-small", false, {900, 620}},
                                  {"dark-small", true, {900, 620}}};

QString fileText(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// A picture in one colour is blank.
bool isBlank(const QImage& image) {
  const QRgb first = image.pixel(0, 0);
  for (int y = 0; y < image.height(); y += 4) {
    for (int x = 0; x < image.width(); x += 4) {
      if (image.pixel(x, y) != first) return false;
    }
  }
  return true;
}

class Album {
 public:
  Album(MainWindow& window, const QDir& directory) : window_(window), directory_(directory) {}

  // All tabs in all looks, or only the tab `only`, as <look>-<state>-<tab>.png.
  void take(const QString& state, int only = -1) {
    for (const Look& look : kLooks) {
      window_.setDark(look.dark);
      window_.resize(look.size);
      for (int tab = 0; tab < window_.tabs().count(); ++tab) {
        if (only >= 0 && tab != only) continue;
        window_.tabs().setCurrentIndex(tab);
        QTest::qWait(120);
        QString title = window_.tabs().tabText(tab).toLower();
        title.replace(QLatin1Char(' '), QLatin1Char('-'))
            .replace(QLatin1Char('/'), QLatin1Char('-'));
        save(QStringLiteral("%1-%2-%3.png").arg(look.name, state, title));
      }
    }
  }

  [[nodiscard]] bool good() const { return good_; }

 private:
  void save(const QString& name) {
    const QImage image = window_.grab().toImage();
    if (isBlank(image) || !image.save(directory_.filePath(name))) {
      std::fprintf(stderr, "%s is blank or could not be written\n", qUtf8Printable(name));
      good_ = false;
    }
  }

  MainWindow& window_;
  QDir directory_;
  bool good_ = true;
};

bool runToItsEnd(MainWindow& window, const QString& name) {
  window.scenarioPage().setScenario(
      QFileInfo(name).completeBaseName(),
      fileText(QString::fromStdString(plumbline::checkoutPath("scenarios")) + "/" + name));
  const std::size_t before = window.session().runs().size();
  window.run();
  if (!waitFor([&] { return window.session().runs().size() > before; }, kRunMs)) return false;
  return waitFor([&] { return window.session().activeRun() == nullptr && !window.showsLive(); },
                 kRunMs);
}

}  // namespace

int main(int argc, char** argv) {
  const plumbline::gui::GuiApp app(argc, argv);
  if (argc < 3) {
    std::fprintf(stderr, "usage: gui_screenshots PLUMBLINE DIRECTORY [RESULT.json …]\n");
    return 2;
  }
  const QDir directory(QString::fromLocal8Bit(argv[2]));
  directory.mkpath(QStringLiteral("."));
  const QTemporaryDir results;
  MainWindow window(QString::fromLocal8Bit(argv[1]), results.path());
  window.show();
  Album album(window, directory);
  album.take(QStringLiteral("empty"));
  if (argc > 3) {
    for (int i = 3; i < argc; ++i) {
      window.openResults({QString::fromLocal8Bit(argv[i])});
      album.take(QStringLiteral("file%1").arg(i - 2));
    }
    return album.good() ? 0 : 1;
  }
  // Live pictures of an incast with PFC and ECN, then the results of four kinds of test.
  window.runQuickstart();
  if (!waitFor(
          [&] { return window.session().state() == plumbline::gui::Session::State::kConnected; })) {
    std::fprintf(stderr, "%s serves nothing:\n%s\n", argv[1],
                 qUtf8Printable(window.log().contents()));
    return 1;
  }
  if (!waitFor([&] { return !window.showsLive(); }, kRunMs)) {
    std::fprintf(stderr, "the quickstart did not end:\n%s\n",
                 qUtf8Printable(window.log().contents()));
    return 1;
  }
  album.take(QStringLiteral("quickstart"));
  for (const char* name :
       {"bench/incast32.yaml", "training/t7.2.yaml", "training/t9.1.yaml", "inference/i9.4.yaml"}) {
    if (!runToItsEnd(window, QString::fromLatin1(name))) {
      std::fprintf(stderr, "%s did not end\n", name);
      return 1;
    }
    QString state =
        QString::fromLatin1(name).section(QLatin1Char('/'), 1).section(QLatin1Char('.'), 0, -2);
    album.take(state);
    window.showSource(true);
    album.take(state + QStringLiteral("-live"));
  }
  return album.good() ? 0 : 1;
}
