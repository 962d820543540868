#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QCoreApplication>
#include <QPersistentModelIndex>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "base/random.h"
#include "gui/models/counter_table_model.h"
#include "gui/models/flow_table_model.h"
#include "gui/models/grouped_model.h"
#include "gui/models/link_table_model.h"
#include "gui/models/run_list.h"
#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

std::vector<control::LiveFlow> flows(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, "flows");
  std::vector<control::LiveFlow> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i].name = "flow" + std::to_string(i);
    out[i].rx_bps = static_cast<double>(random.below(1000)) * 1e6;
    out[i].received_frames = random.below(100'000);
  }
  return out;
}

QString shown(const QAbstractItemModel& model, int row, int column) {
  return model.index(row, column, {}).data().toString();
}

TEST(FlowTableModel, ShowsEveryColumnOfAFlow) {
  FlowTableModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  control::LiveFlow flow{"host0>host5#2", 0, 5, 1200, 1100, 4'500'600, 3, 7, 2, 1, 98.7e9};
  model.setFlows({flow});
  const QStringList expected = {"host0>host5#2", "98.7 Gb/s", "7", "1", "1,100", "1,200", "2", "3",
                                "4,500,600",     "0",         "5"};
  const QStringList titles = {"Flow",         "Rate",   "Lost",  "CE",   "Received", "Sent",
                              "Out of order", "Resent", "Bytes", "From", "To"};
  for (int column = 0; column < model.columnCount(); ++column) {
    EXPECT_EQ(shown(model, 0, column), expected[column]) << column;
    EXPECT_EQ(model.headerData(column, Qt::Horizontal).toString(), titles[column]);
  }
}

TEST(FlowTableModel, StaysSortedWhileRatesChange) {
  FlowTableModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  model.setFlows(flows(4096, 1));
  model.sort(FlowTableModel::kRate, Qt::DescendingOrder);
  for (std::uint64_t update = 2; update < 6; ++update) {
    model.setFlows(flows(4096, update));
    for (int row = 1; row < model.rowCount(); ++row) {
      ASSERT_GE(model.flow(row - 1).rx_bps, model.flow(row).rx_bps);
    }
  }
  model.sort(FlowTableModel::kName, Qt::AscendingOrder);
  for (int row = 1; row < model.rowCount(); ++row) {
    ASSERT_LE(model.flow(row - 1).name, model.flow(row).name);
  }
}

TEST(FlowTableModel, ASelectedRowStaysWithItsFlow) {
  FlowTableModel model;
  model.setFlows(flows(100, 1));
  model.sort(FlowTableModel::kRate, Qt::DescendingOrder);
  const QPersistentModelIndex selected(model.index(0, 0));
  const QString name = selected.data().toString();
  model.setFlows(flows(100, 2));
  EXPECT_EQ(selected.data().toString(), name);
  model.sort(-1, Qt::AscendingOrder);
  EXPECT_EQ(selected.data().toString(), name);
  EXPECT_EQ(shown(model, 3, 0), "flow3");
}

TEST(FlowTableModel, AnotherNumberOfFlowsResets) {
  FlowTableModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
  model.setFlows(flows(10, 1));
  model.setFlows(flows(10, 2));
  EXPECT_EQ(resets.count(), 1);
  model.setFlows({});
  EXPECT_EQ(resets.count(), 2);
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(CounterTableModel, ClearAndMarkAreZeroPointsOfTheWindow) {
  CounterTableModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  CounterValues trial(counterNames().size(), 0);
  CounterValues run = trial;
  trial[0] = 40;
  run[0] = 1040;
  model.setCounters(trial, run, 1);
  EXPECT_EQ(shown(model, 0, CounterTableModel::kTrial), "40");
  EXPECT_EQ(shown(model, 0, CounterTableModel::kSinceClear), "1,040");
  EXPECT_EQ(shown(model, 0, CounterTableModel::kSinceMark), "");
  model.clear();
  run[0] = 1050;
  model.setCounters(trial, run, 1);
  EXPECT_EQ(shown(model, 0, CounterTableModel::kSinceClear), "10");
  model.mark();
  run[0] = 1055;
  model.setCounters(trial, run, 1);
  EXPECT_EQ(shown(model, 0, CounterTableModel::kSinceClear), "15");
  EXPECT_EQ(shown(model, 0, CounterTableModel::kSinceMark), "5");
  // Another run starts over, without a mark.
  run[0] = 3;
  model.setCounters(trial, run, 2);
  EXPECT_EQ(shown(model, 0, CounterTableModel::kSinceClear), "3");
  EXPECT_EQ(shown(model, 0, CounterTableModel::kSinceMark), "");
}

TEST(GroupedModel, GrowsWithoutForgettingWhatIsSelected) {
  GroupedModel model({"Trial", "State"});
  const QAbstractItemModelTester tester(&model, kFatal);
  const auto group = [](const char* name, int rows) {
    Group out{{{name, ""}}, {}};
    for (int i = 0; i < rows; ++i) {
      out.rows.push_back({{QString::number(i), "done"}, RowState::kGood, {}, i});
    }
    return out;
  };
  model.setGroups({group("T5.1", 2)});
  const QPersistentModelIndex second(model.index(1, 0, model.index(0, 0, {})));
  QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
  model.setGroups({group("T5.1", 5), group("T5.2", 1)});
  EXPECT_EQ(resets.count(), 0);
  ASSERT_TRUE(second.isValid());
  EXPECT_EQ(second.data(GroupedModel::kRowDataRole).toInt(), 1);
  EXPECT_EQ(model.rowCount(model.index(0, 0, {})), 5);
  EXPECT_EQ(model.rowCount(model.index(1, 0, {})), 1);
  model.setGroups({group("T5.1", 1)});
  EXPECT_EQ(resets.count(), 1);
  EXPECT_EQ(model.rowCount({}), 1);
}

TEST(LinkTableModel, BusiestFirst) {
  LinkTableModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  control::LiveLink idle;
  idle.name = "a-b";
  idle.utilisation = 0.01;
  control::LiveLink busy;
  busy.name = "b-c";
  busy.utilisation = 0.987;
  busy.dropped = 12;
  model.setLinks({idle, busy});
  EXPECT_EQ(shown(model, 0, LinkTableModel::kName), "b-c");
  EXPECT_EQ(shown(model, 0, LinkTableModel::kUtilisation), "98.7 %");
  EXPECT_EQ(shown(model, 0, LinkTableModel::kDropped), "12");
  EXPECT_EQ(model.rowOf("a-b"), 1);
  EXPECT_EQ(model.rowOf("x-y"), -1);
}

QByteArray resultJson(int run, const char* scenario) {
  return QStringLiteral(
             R"({"run":%1,"created":"","finished":"","status":"done",)"
             R"("scenario_name":"%2","scenario":"","bench":"sim","profile":"quick","tests":[]})")
      .arg(run)
      .arg(QString::fromLatin1(scenario))
      .toUtf8();
}

TEST(RunList, ShowsOneOrComparesSeveral) {
  RunList runList;
  QSignalSpy changes(&runList, &RunList::changed);
  EXPECT_EQ(runList.add("a", "a.json", resultJson(1, "latency")), "");
  EXPECT_EQ(runList.add("b", "b.json", resultJson(1, "latency")), "");
  runList.showAlone("a");
  runList.compare("b", true);
  runList.compare("b", true);
  ASSERT_EQ(runList.shown().size(), 2U);
  EXPECT_EQ(runList.shown()[0].name, "run 1, latency");
  EXPECT_EQ(runList.shown()[1].name, "run 1, latency (b.json)");
  runList.compare("a", false);
  EXPECT_EQ(runList.shown().size(), 1U);
  runList.forget("b");
  EXPECT_TRUE(runList.shown().empty());
  EXPECT_FALSE(runList.has("b"));
  EXPECT_EQ(changes.count(), 6);
}

TEST(RunList, SaysWhatIsWrongWithAFile) {
  RunList runList;
  EXPECT_TRUE(runList.add("a", "a.json", "{}").contains("\"run\" is missing"));
  EXPECT_TRUE(runList.addFile("no/such/file.json").contains("could not be read"));
  const QTemporaryDir dir;
  const QString path = dir.filePath("result.json");
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(resultJson(4, "incast"));
  file.close();
  EXPECT_EQ(runList.addFile(path), "");
  EXPECT_TRUE(runList.has(path));
}

TEST(Text, NumbersAsPeopleWriteThem) {
  EXPECT_EQ(countText(1234567), "1,234,567");
  EXPECT_EQ(numberText(0.5), "0.5");
  EXPECT_EQ(numberText(1234.5678), "1,235");
  EXPECT_EQ(numberText(99.99), "99.99");
  EXPECT_EQ(numberText(100), "100");
  EXPECT_EQ(numberText(0), "0");
  EXPECT_EQ(rateText(0), "0");
  EXPECT_EQ(rateText(98.7e9), "98.7 Gb/s");
  EXPECT_EQ(rateText(1.6e12), "1.6 Tb/s");
  EXPECT_EQ(durationText(711.36), "711.4 ns");
  EXPECT_EQ(durationText(12'034), "12.03 µs");
  EXPECT_EQ(clockText(7), "0:07");
  EXPECT_EQ(clockText(125), "2:05");
  EXPECT_EQ(clockText(3723), "1:02:03");
}

}  // namespace
}  // namespace plumbline::gui

int main(int argc, char** argv) {
  QCoreApplication app(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
