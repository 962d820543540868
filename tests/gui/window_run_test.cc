// The parts around the tabs during a run: the strip, the log and the counters.
#include <gtest/gtest.h>

#include <QLabel>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QTableView>
#include <QTextBlock>
#include <map>
#include <set>

#include "gui/models/counter_table_model.h"
#include "tests/gui/window_fixture.h"

namespace plumbline::gui {
namespace {

// Gb/s of "12.3 Gb/s", "940 Mb/s" …
double gigabits(const QString& rate) {
  if (rate == QLatin1String("0")) return 0;
  static const std::map<QString, double> kUnits = {
      {"b/s", 1e-9}, {"kb/s", 1e-6}, {"Mb/s", 1e-3}, {"Gb/s", 1}, {"Tb/s", 1e3}};
  const QString unit = rate.section(QLatin1Char(' '), 1);
  EXPECT_TRUE(kUnits.contains(unit)) << rate.toStdString();
  return kUnits.contains(unit) ? rate.section(QLatin1Char(' '), 0, 0).toDouble() * kUnits.at(unit)
                               : -1;
}

TEST_F(WindowTest, TheStripFollowsTheRun) {
  connectToLocalServer();
  struct Seen {
    std::set<QString> tx, rx, loss, elapsed, left;
    std::set<int> trials;
  } seen;
  const auto value = [this](const char* name) {
    return named<QLabel>(window_.strip(), name)->text();
  };
  // After the strip's own connection: its contents after each update.
  QObject::connect(&session(), &Session::updated, &window_, [&] {
    if (!running() || !session().live().latest()) return;
    seen.tx.insert(value("Tx"));
    seen.rx.insert(value("Rx"));
    seen.loss.insert(value("Loss"));
    seen.elapsed.insert(value("Elapsed / left").section(" / ", 0, 0));
    seen.left.insert(value("Elapsed / left").section(" / ", 1));
    static const QRegularExpression kTrial("^T5\\.[12] (\\d+) of (\\d+)$");
    const auto trial = kTrial.match(value("Trial"));
    ASSERT_TRUE(trial.hasMatch()) << value("Trial").toStdString();
    EXPECT_GE(trial.captured(1).toInt(), 1);
    EXPECT_LE(trial.captured(1).toInt(), trial.captured(2).toInt());
    seen.trials.insert(trial.captured(1).toInt());
  });
  startEndlessRun();
  // The search for the throughput begins above it: two senders at line rate lose half their frames.
  const auto lost = [&] {
    return std::any_of(seen.loss.begin(), seen.loss.end(),
                       [](const QString& loss) { return loss.endsWith(" ppm"); });
  };
  const auto left = [&] {
    return std::any_of(seen.left.begin(), seen.left.end(), [](const QString& one) {
      return QRegularExpression("^(\\d+:)+\\d\\d$").match(one).hasMatch();
    });
  };
  EXPECT_TRUE(waitFor(
      [&] {
        return seen.tx.size() > 2 && seen.rx.size() > 2 && lost() && seen.elapsed.size() > 1 &&
               left() && seen.trials.size() > 2;
      },
      kRunMs))
      << seen.tx.size() << " " << seen.rx.size() << " " << lost() << " " << seen.elapsed.size()
      << " " << left() << " " << seen.trials.size();
  // Two ports of 100 Gb/s send, one receives; a frame that straddles two intervals counts in one.
  double most_sent = 0;
  for (const QString& rate : seen.tx) {
    EXPECT_LE(gigabits(rate), 202) << rate.toStdString();
    most_sent = std::max(most_sent, gigabits(rate));
  }
  EXPECT_GT(most_sent, 1);
  for (const QString& rate : seen.rx) EXPECT_LE(gigabits(rate), 101) << rate.toStdString();

  stopAndWait();
  EXPECT_EQ(value("Tx"), "0");
  EXPECT_EQ(value("Rx"), "0");
  EXPECT_TRUE(value("Elapsed / left").endsWith("ended"));
}

TEST_F(WindowTest, TheLogTellsOfConnectionRunsAndErrors) {
  connectToLocalServer();
  runToItsEnd("incast32", scenarioFile("bench/incast32.yaml"));
  QString bad = scenarioFile("latency.yaml");
  bad.replace("kind: switch", "kind: ring");
  window_.scenarioPage().setScenario("bad", bad);
  pressRun();
  ASSERT_TRUE(waitFor([this] { return log().find("bad: ") != std::string::npos; })) << log();

  // In this order, and in these colours: an error is emphasised, in either theme.
  struct Expected {
    const char* what;
    bool failure;
  };
  const std::vector<Expected> expected = {{"Connected to 127.0.0.1:", false},
                                          {"Run 1 of incast32 started", false},
                                          {"Run 1 ended: done", false},
                                          {"bad: the scenario has mistakes", true}};
  const auto* lines = window_.log().findChild<QPlainTextEdit*>();
  for (const Theme& theme : {darkTheme(), lightTheme()}) {
    window_.setDark(theme.dark);
    QTextBlock block = lines->document()->begin();
    for (const Expected& line : expected) {
      while (block.isValid() && !block.text().contains(line.what)) block = block.next();
      ASSERT_TRUE(block.isValid()) << line.what << " is not in, or not in order:\n" << log();
      EXPECT_TRUE(QRegularExpression("^\\d\\d:\\d\\d:\\d\\d  ").match(block.text()).hasMatch());
      const QColor color = block.begin().fragment().charFormat().foreground().color();
      EXPECT_EQ(color, line.failure ? theme.failure : theme.text) << line.what;
    }
  }
}

TEST_F(WindowTest, CountersStartAnewAtClearAndMark) {
  connectToLocalServer();
  startEndlessRun();
  auto* panel = window_.findChild<CountersPanel*>();
  const auto frames = [panel](int column) {
    const QString cell = panel->model().index(0, column).data().toString();
    return cell.isEmpty() ? -1 : QString(cell).remove(QLatin1Char(',')).toLongLong();
  };
  using Model = CounterTableModel;
  ASSERT_TRUE(waitFor([&] { return frames(Model::kSinceClear) > 0; }));
  EXPECT_EQ(frames(Model::kSinceMark), -1) << "there is no mark yet";

  const qlonglong at_mark = frames(Model::kSinceClear);
  press(button(*panel, "&Mark"));
  EXPECT_EQ(frames(Model::kSinceMark), 0);
  EXPECT_EQ(frames(Model::kSinceClear), at_mark);
  ASSERT_TRUE(waitFor([&] { return frames(Model::kSinceMark) > 0; }, kRunMs));

  const qlonglong at_clear = frames(Model::kSinceClear);
  const qlonglong this_trial = frames(Model::kTrial);
  press(button(*panel, "C&lear"));
  EXPECT_EQ(frames(Model::kSinceClear), 0);
  EXPECT_EQ(frames(Model::kTrial), this_trial) << "nothing in the tester is reset";
  EXPECT_EQ(frames(Model::kSinceMark), at_clear - at_mark);
  ASSERT_TRUE(waitFor([&] { return frames(Model::kSinceClear) > 0; }, kRunMs));
  stopAndWait();
  EXPECT_EQ(frames(Model::kSinceMark) - frames(Model::kSinceClear), at_clear - at_mark);
}

}  // namespace
}  // namespace plumbline::gui
