#include "flow_reloader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "card/flow_plan.h"

namespace plumbline::hw_test {
namespace {

namespace tables = card::regs;
namespace port_regs = card::regs::port;

constexpr std::uint32_t kOthers = card::kTemplateRows + 1;  // behind templates and configuration

}  // namespace

void FlowReloader::load(std::span<const card::FlowConfig> flows) {
  bus_.write(address(port_regs::kPortCommand), port_regs::kPortCommandClearTx.of(1));
  waitWhile(port_regs::kPortStatusClearBusy);
  card::FlowPlan plan = planFlows(flows, slots_);
  // Rows that are alike one after the other: most of their words are there already. The others, and
  // so the schedule, keep their order and their place at the end.
  const auto kind = [](const card::PlannedRow& row) {
    if (row.table == tables::template_table::kNumber) return row.row % card::kTemplateRows;
    return row.table == tables::flow_table::kNumber ? card::kTemplateRows : kOthers;
  };
  std::stable_sort(
      plan.rows.begin(), plan.rows.end(),
      [&](const card::PlannedRow& a, const card::PlannedRow& b) { return kind(a) < kind(b); });
  for (const card::PlannedRow& row : plan.rows) {
    const bool kept = kind(row) != kOthers;
    const auto held = held_.find({row.table, row.row});
    if (kept && held != held_.end() && held->second == row.data) continue;
    writeRow(row.table, row.row, row.data);
    if (kept) held_[{row.table, row.row}] = row.data;
  }
  const std::uint32_t control = bus_.read(address(port_regs::kPortControl));
  bus_.write(address(port_regs::kPortControl), port_regs::kPortControlTxEnable.set(control, 1));
}

void FlowReloader::writeRow(std::uint32_t table, std::uint32_t row,
                            const card::regs::TableRow& data) {
  for (std::uint32_t word = 0; word < data.size(); ++word) {
    if (words_known_ && words_[word] == data[word]) continue;
    bus_.write(address(port_regs::kTblData + 4 * word), data[word]);
  }
  words_ = data;
  words_known_ = true;
  bus_.write(address(port_regs::kTblAddr),
             port_regs::kTblAddrTable.of(table) | port_regs::kTblAddrRow.of(row));
  bus_.write(address(port_regs::kTblCmd), port_regs::kTblCmdWrite.of(1));
  waitWhile(port_regs::kTblStatusBusy);
}

void FlowReloader::waitWhile(card::regs::Field busy) {
  constexpr int kLimit = 10'000;
  int asked = 0;
  while (busy.get(bus_.read(address(busy.offset))) != 0) ASSERT_LT(++asked, kLimit);
}

}  // namespace plumbline::hw_test
