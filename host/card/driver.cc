#include "card/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "card/dma_registers.h"
#include "card/polling.h"

namespace plumbline::card {
namespace {

namespace global = regs::global;
namespace port_regs = regs::port;

// How long a clear may take in card time: it visits every histogram cell, some 70,000 clocks.
constexpr Picoseconds kClearLimit = milliseconds(10);
// Rows of the group table from here on are those of retries.
constexpr std::uint32_t kRetryRows = 0x8000;
// The schedulers start this long before the common start; arming must end before.
constexpr Picoseconds kStartLead = microseconds(10);

constexpr std::uint32_t wordsUpTo(regs::TableField last) {
  return (last.lsb + last.width + 31) / 32;
}

struct TableInfo {
  const char* name;
  std::uint32_t words;  // of a row that carry fields
};

// In the order of the table numbers.
constexpr std::array<TableInfo, 9> kTables{{
    {"template", std::tuple_size_v<regs::TableRow>},
    {"flow", wordsUpTo(regs::flow_table::kBurstInterval)},
    {"schedule", wordsUpTo(regs::schedule_table::kValid)},
    {"tx_state", wordsUpTo(regs::tx_state_table::kInBurst)},
    {"rx_flow", wordsUpTo(regs::rx_flow_table::kReorderDepth)},
    {"group", wordsUpTo(regs::group_table::kSum)},
    {"gap", wordsUpTo(regs::gap_table::kGap)},
    {"qp", wordsUpTo(regs::qp_table::kSent)},
    {"pattern", wordsUpTo(regs::pattern_table::kGapSeed)},
}};

// Two accesses, the low half first: it latches the high one.
void addRead64(std::vector<RegisterAccess>& list, std::uint32_t low) {
  list.push_back(RegisterAccess::read(low));
  list.push_back(RegisterAccess::read(low + 4));
}

// The results of a list's reads, in order.
class Answers {
 public:
  explicit Answers(std::vector<std::uint32_t> words) : words_(std::move(words)) {}

  std::uint32_t next() { return words_.at(at_++); }
  std::uint64_t next64() {
    const std::uint64_t low = next();
    return low | std::uint64_t{next()} << 32U;
  }
  // Of `table`.
  regs::TableRow nextRow(std::uint32_t table) {
    regs::TableRow row{};
    for (std::uint32_t word = 0; word < kTables.at(table).words; ++word) row[word] = next();
    return row;
  }

 private:
  std::vector<std::uint32_t> words_;
  std::size_t at_ = 0;
};

constexpr std::array<std::pair<std::uint32_t, std::uint64_t PortCounters::*>, 33> kPortCounters{{
    {port_regs::kTxFrames, &PortCounters::tx_frames},
    {port_regs::kTxBytes, &PortCounters::tx_bytes},
    {port_regs::kTxLate, &PortCounters::tx_late},
    {port_regs::kTxLateMaxPs, &PortCounters::tx_late_max_ps},
    {port_regs::kTxPfcSkipped, &PortCounters::tx_pfc_skipped},
    {port_regs::kTxStallClocks, &PortCounters::tx_stall_clocks},
    {port_regs::kTxDisplaced, &PortCounters::tx_displaced},
    {port_regs::kTxDisplacedMaxPs, &PortCounters::tx_displaced_max_ps},
    {port_regs::kRxFrames, &PortCounters::rx_frames},
    {port_regs::kRxBytes, &PortCounters::rx_bytes},
    {port_regs::kRxFcsErrors, &PortCounters::rx_fcs_errors},
    {port_regs::kRxIcrcErrors, &PortCounters::rx_icrc_errors},
    {port_regs::kRxRunts, &PortCounters::rx_runts},
    {port_regs::kRxGiants, &PortCounters::rx_giants},
    {port_regs::kRxUntagged, &PortCounters::rx_untagged},
    {port_regs::kRxUnparsed, &PortCounters::rx_unparsed},
    {port_regs::kRxLatencyNegative, &PortCounters::rx_latency_negative},
    {port_regs::kRxEventOverflow, &PortCounters::rx_event_overflow},
    {port_regs::kRxPauseFrames, &PortCounters::rx_pause_frames},
    {port_regs::kRxMacControlOther, &PortCounters::rx_mac_control_other},
    {port_regs::kRxBadRow, &PortCounters::rx_bad_row},
    {port_regs::kRxTrimmed, &PortCounters::rx_trimmed},
    {port_regs::kRxTrimmedBare, &PortCounters::rx_trimmed_bare},
    {port_regs::kCaptureDropped, &PortCounters::capture_dropped},
    {port_regs::kPauseEventsLost, &PortCounters::pause_events_lost},
    {port_regs::kTxCreditSkipped, &PortCounters::tx_credit_skipped},
    {port_regs::kTxWaited, &PortCounters::tx_waited},
    {port_regs::kRxBufferDropped, &PortCounters::rx_buffer_dropped},
    {port_regs::kCreditsRecovered, &PortCounters::credits_recovered},
    {port_regs::kCfSent, &PortCounters::cf_sent},
    {port_regs::kCfReceived, &PortCounters::cf_received},
    {port_regs::kCcSent, &PortCounters::cc_sent},
    {port_regs::kCcReceived, &PortCounters::cc_received},
}};

constexpr std::array<std::pair<std::uint32_t, std::array<std::uint64_t, 8> PortCounters::*>, 5>
    kPriorityCounters{{
        {port_regs::kRxXoff, &PortCounters::rx_xoff},
        {port_regs::kRxXon, &PortCounters::rx_xon},
        {port_regs::kPausedPs, &PortCounters::paused_ps},
        {port_regs::kTxXoff, &PortCounters::tx_xoff},
        {port_regs::kTxXon, &PortCounters::tx_xon},
    }};

std::string versionText(std::uint32_t word) {
  return fmt::format("{}.{}.{}", global::kVersionMajor.get(word), global::kVersionMinor.get(word),
                     global::kVersionPatch.get(word));
}

std::uint32_t asWord(Picoseconds time, const char* what) {
  const std::int64_t count = time.count();
  if (count != static_cast<std::int32_t>(count)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} of {} ps does not fit the card", what, count),
                {}, "32 bits");
  }
  return static_cast<std::uint32_t>(count);
}

}  // namespace

Driver::Driver(RegisterBus& bus) : bus_(bus) {
  checkIdentity();
  checkScratch();
  readInfo();
}

void Driver::checkIdentity() {
  const std::uint32_t id = bus_.read(global::kId);
  if (id != global::kIdValue) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("no Plumbline card: its identity register reads 0x{:08X}", id), "ID",
                fmt::format("0x{:08X}", global::kIdValue));
  }
  const std::uint32_t version = bus_.read(global::kVersion);
  if (global::kVersionMajor.get(version) != regs::kMapMajor ||
      global::kVersionMinor.get(version) < regs::kMapMinor) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the card has version {} of the register map", versionText(version)),
                "VERSION",
                fmt::format("this driver needs {}.{} or a later {}.x", regs::kMapMajor,
                            regs::kMapMinor, regs::kMapMajor));
  }
  // A later minor version is a different map that still has everything in this one.
  const std::uint32_t hash = bus_.read(global::kMapHash);
  if (version == global::kVersionValue && hash != regs::kMapHash) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the card's register map has the hash 0x{:08X}", hash), "MAP_HASH",
                fmt::format("this driver was built for 0x{:08X}: card and driver must come from "
                            "the same source",
                            regs::kMapHash));
  }
}

void Driver::checkScratch() {
  for (const std::uint32_t pattern : {0xFFFFFFFFU, 0x00000000U, 0xA5A5A5A5U, 0x5A5A5A5AU}) {
    bus_.write(global::kScratch, pattern);
    const std::uint32_t actual = bus_.read(global::kScratch);
    if (actual != pattern) {
      throw Error(
          ErrorKind::kTester,
          fmt::format("the register bus is faulty: wrote 0x{:08X}, read 0x{:08X}", pattern, actual),
          "SCRATCH");
    }
  }
}

void Driver::readInfo() {
  const std::uint32_t capability = bus_.read(global::kCapability);
  const std::uint32_t features = bus_.read(global::kFeatures);
  info_.ports = global::kCapabilityPorts.get(capability);
  info_.data_bytes = global::kCapabilityDataBytes.get(capability);
  info_.flows = 1U << global::kCapabilityFlowsLog2.get(capability);
  info_.rows = 1U << global::kCapabilityRowsLog2.get(capability);
  info_.groups = 1U << global::kCapabilityGroupsLog2.get(capability);
  info_.icrc = global::kFeaturesIcrc.get(features) != 0;
  info_.pfc_react = global::kFeaturesPfcReact.get(features) != 0;
  info_.capture = global::kFeaturesCapture.get(features) != 0;
  info_.damage = global::kFeaturesDamage.get(features) != 0;
  info_.rx_tracking = global::kFeaturesRxTracking.get(features) != 0;
  info_.pfc_send = global::kFeaturesPfcSend.get(features) != 0;
  info_.cbfc = global::kFeaturesCbfc.get(features) != 0;
  info_.llr = global::kFeaturesLlr.get(features) != 0;
  info_.patterns = global::kFeaturesPatterns.get(features) != 0;
  info_.messages = global::kFeaturesMessages.get(features) != 0;
  info_.core = global::kFeaturesCore.get(features) != 0;
  info_.dma = DmaRegisters(bus_).present();
  info_.macs = Mac(bus_, 0).present();
  info_.clock_period_num = bus_.read(global::kClockPeriodNum);
  info_.clock_period_den = bus_.read(global::kClockPeriodDen);
  if (info_.ports == 0 || info_.ports > port_regs::kCount || info_.clock_period_num == 0 ||
      info_.clock_period_den == 0) {
    throw Error(ErrorKind::kTester,
                fmt::format("the card states {} ports and a clock period of {}/{} ps", info_.ports,
                            info_.clock_period_num, info_.clock_period_den),
                "CAPABILITY", "1 to 8 ports and a period above 0");
  }
  places_.resize(info_.ports);
}

Driver::Address Driver::portAddress(std::uint32_t port, std::uint32_t offset) const {
  if (port >= info_.ports) {
    throw Error(ErrorKind::kUsage,
                fmt::format("port {} of a card with {} ports", port, info_.ports));
  }
  return port_regs::address(port, offset);
}

std::uint64_t Driver::read64(Address low) {
  const std::uint64_t value = bus_.read(low);
  return value | static_cast<std::uint64_t>(bus_.read(low + 4)) << 32;
}

void Driver::write64(std::uint32_t low_offset, std::uint64_t value) {
  bus_.write(low_offset, static_cast<std::uint32_t>(value));
  bus_.write(low_offset + 4, static_cast<std::uint32_t>(value >> 32));
}

void Driver::waitClear(Address address, regs::Field field, Picoseconds limit,
                       const std::string& what) {
  if (!waitUntil(bus_, limit, [&] { return field.get(bus_.read(address)) == 0; })) {
    throw Error(ErrorKind::kTester,
                fmt::format("the card is still busy with {} after {} us", what,
                            limit.count() / microseconds(1).count()),
                fmt::format("register 0x{:04X}", address));
  }
}

void Driver::setPortField(std::uint32_t port, regs::Field field, std::uint32_t value) {
  const Address address = portAddress(port, field.offset);
  bus_.write(address, field.set(bus_.read(address), value));
}

void Driver::reset() {
  stop();
  for (auto& places : places_) places.clear();
  const std::uint32_t clear =
      port_regs::kPortCommandClearTx.of(1) | port_regs::kPortCommandClearRx.of(1);
  for (std::uint32_t port = 0; port < info_.ports; ++port) {
    bus_.write(portAddress(port, port_regs::kPortControl), 0);
    flowControl(port).reset();
    if (info_.llr) {
      linkRetry(port).disable();
    }
    if (info_.damage) damage(port).reset();
    bus_.write(portAddress(port, port_regs::kPortCommand), clear);
  }
  bus_.stopCapture();
  capturing_ = false;
  for (std::uint32_t port = 0; port < info_.ports; ++port) {
    waitClear(portAddress(port, port_regs::kPortStatus), port_regs::kPortStatusClearBusy,
              kClearLimit, fmt::format("clearing port {}", port));
    const std::uint32_t all =
        port_regs::kPortStickyTxLate.mask() | port_regs::kPortStickyTxStall.mask() |
        port_regs::kPortStickyRxEventOverflow.mask() | port_regs::kPortStickyCaptureOverflow.mask();
    bus_.write(portAddress(port, port_regs::kPortSticky), all);
  }
  bus_.write(global::kSticky, global::kStickyLateStart.mask());
}

void Driver::setTiming(std::uint32_t port, const PortTiming& timing) {
  const auto set = [&](std::uint32_t offset, Picoseconds time, const char* what) {
    bus_.write(portAddress(port, offset), asWord(time, what));
  };
  set(port_regs::kByteTimePs, timing.byte_time, "a byte time");
  set(port_regs::kTxTsOffset, timing.tx_offset, "a departure offset");
  set(port_regs::kRxTsOffset, timing.rx_offset, "an arrival offset");
  set(port_regs::kLateThresholdPs, timing.late_threshold, "a threshold for late frames");
}

void Driver::setPfcReaction(std::uint32_t port, std::uint8_t priorities) {
  if (priorities != 0 && !info_.pfc_react) {
    throw Error(ErrorKind::kUnsupported, "this card cannot obey received PFC");
  }
  setPortField(port, port_regs::kPortControlPfcReact, priorities);
}

DamageControl Driver::damage(std::uint32_t port) {
  if (!info_.damage) {
    throw Error(ErrorKind::kUnsupported, "this card cannot damage frames on purpose");
  }
  return {bus_, portAddress(port, 0)};
}

LinkRetry Driver::linkRetry(std::uint32_t port) {
  if (!info_.llr) {
    throw Error(ErrorKind::kUnsupported, "this card has no link-level retry");
  }
  return {bus_, portAddress(port, 0), info_.clock_period_num, info_.clock_period_den};
}

Mac Driver::mac(std::uint32_t port) { return {bus_, port}; }

FlowControl Driver::flowControl(std::uint32_t port) {
  return {bus_,
          portAddress(port, 0),
          {info_.pfc_send, info_.cbfc, info_.clock_period_num, info_.clock_period_den}};
}

void Driver::setCapture(std::uint32_t port, bool received, bool sent) {
  if ((received || sent) && !info_.capture) {
    throw Error(ErrorKind::kUnsupported, "this card cannot capture frames");
  }
  if ((received || sent) && !capturing_) {
    bus_.startCapture();
    capturing_ = true;
  }
  setPortField(port, port_regs::kPortControlCaptureRx, received ? 1 : 0);
  setPortField(port, port_regs::kPortControlCaptureTx, sent ? 1 : 0);
}

// Requests the row and reads it. No access is needed in between: the card delays accesses to the
// table until the previous row has been transferred.
void Driver::addReadRow(std::vector<RegisterAccess>& list, std::uint32_t port, std::uint32_t table,
                        std::uint32_t row) const {
  list.push_back(
      RegisterAccess::write(portAddress(port, port_regs::kTblAddr),
                            port_regs::kTblAddrTable.of(table) | port_regs::kTblAddrRow.of(row)));
  list.push_back(
      RegisterAccess::write(portAddress(port, port_regs::kTblCmd), port_regs::kTblCmdRead.of(1)));
  for (std::uint32_t word = 0; word < kTables.at(table).words; ++word) {
    list.push_back(RegisterAccess::read(portAddress(port, port_regs::kTblData + 4 * word)));
  }
}

regs::TableRow Driver::readRow(std::uint32_t port, std::uint32_t table, std::uint32_t row) {
  std::vector<RegisterAccess> list;
  addReadRow(list, port, table, row);
  return Answers(bus_.accessAll(list)).nextRow(table);
}

// In two passes, so that TBL_DATA does not hold the row already.
void Driver::loadRows(std::uint32_t port, std::span<const PlannedRow> rows) {
  std::vector<RegisterAccess> list;
  const auto add = [&](std::uint32_t offset, std::uint32_t value) {
    list.push_back(RegisterAccess::write(portAddress(port, offset), value));
  };
  for (const PlannedRow& row : rows) {
    for (std::uint32_t word = 0; word < kTables.at(row.table).words; ++word) {
      add(port_regs::kTblData + 4 * word, row.data[word]);
    }
    add(port_regs::kTblAddr,
        port_regs::kTblAddrTable.of(row.table) | port_regs::kTblAddrRow.of(row.row));
    add(port_regs::kTblCmd, port_regs::kTblCmdWrite.of(1));
  }
  for (const PlannedRow& row : rows) addReadRow(list, port, row.table, row.row);
  Answers answers(bus_.accessAll(list));
  for (const PlannedRow& row : rows) verifyRow(port, row, answers.nextRow(row.table));
}

void Driver::verifyRow(std::uint32_t port, const PlannedRow& row,
                       const regs::TableRow& actual) const {
  for (std::uint32_t word = 0; word < kTables.at(row.table).words; ++word) {
    if (actual[word] == row.data[word]) continue;
    throw Error(ErrorKind::kTester,
                fmt::format("a table row does not read back as written: word {} is 0x{:08X}", word,
                            actual[word]),
                fmt::format("port {}, table {}, row {}", port, kTables.at(row.table).name, row.row),
                fmt::format("0x{:08X}", row.data[word]));
  }
}

void Driver::loadFlows(std::uint32_t port, std::span<const FlowConfig> flows) {
  (void)portAddress(port, 0);  // refuses a port that does not exist
  for (const FlowConfig& flow : flows) {
    if (flow.row >= info_.rows || flow.group >= info_.groups) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("receive row {} and latency group {} on port {}", flow.row, flow.group, port),
          {}, fmt::format("below {} and {}", info_.rows, info_.groups));
    }
  }
  FlowPlan plan = planFlows(flows, info_.flows);
  if ((plan.patterns && !info_.patterns) || (plan.messages && !info_.messages)) {
    throw Error(ErrorKind::kUnsupported,
                plan.patterns && !info_.patterns
                    ? "this card cannot draw or list gaps, nor draw source ports"
                    : "this card has no queue pair list");
  }
  loadRows(port, plan.rows);
  places_[port] = std::move(plan.places);
  setPortField(port, port_regs::kPortControlTxEnable, flows.empty() ? 0 : 1);
}

Picoseconds Driver::cardTime() {
  bus_.write(global::kControl, global::kControlLatchTime.of(1));
  return Picoseconds(static_cast<std::int64_t>(read64(global::kTimeLo)));
}

Picoseconds Driver::earliestStart() {
  // Arming takes three accesses, as does reading the time; four times that for a busy host.
  const Picoseconds before = cardTime();
  const Picoseconds now = cardTime();
  return now + 4 * (now - before) + kStartLead;
}

void Driver::arm(Picoseconds start) {
  write64(global::kStartTimeLo, static_cast<std::uint64_t>(start.count()));
  bus_.write(global::kControl, global::kControlArm.of(1));
}

bool Driver::sending() {
  if (global::kStatusArmed.get(bus_.read(global::kStatus)) != 0) return true;
  for (std::uint32_t port = 0; port < info_.ports; ++port) {
    const std::uint32_t status = bus_.read(portAddress(port, port_regs::kPortStatus));
    if (port_regs::kPortStatusTxActive.get(status) != 0) return true;
  }
  return false;
}

void Driver::stop() { bus_.write(global::kControl, global::kControlStop.of(1)); }

bool Driver::lateStart() { return global::kStickyLateStart.get(bus_.read(global::kSticky)) != 0; }

PortFaults Driver::faults(std::uint32_t port) {
  const std::uint32_t sticky = bus_.read(portAddress(port, port_regs::kPortSticky));
  return {port_regs::kPortStickyTxLate.get(sticky) != 0,
          port_regs::kPortStickyTxStall.get(sticky) != 0,
          port_regs::kPortStickyRxEventOverflow.get(sticky) != 0,
          port_regs::kPortStickyCaptureOverflow.get(sticky) != 0};
}

PortCounters Driver::counters(std::uint32_t port) {
  return readCounters(port, {RegisterAccess::write(portAddress(port, port_regs::kPortCommand),
                                                   port_regs::kPortCommandSnapshot.of(1))});
}

void Driver::latchCounters(std::uint32_t port) {
  bus_.write(portAddress(port, port_regs::kPortCommand), port_regs::kPortCommandSnapshot.of(1));
}

PortCounters Driver::latchedCounters(std::uint32_t port) { return readCounters(port, {}); }

PortCounters Driver::readCounters(std::uint32_t port, std::vector<RegisterAccess> list) {
  for (const auto& [offset, member] : kPortCounters) addRead64(list, portAddress(port, offset));
  for (const auto& [offset, member] : kPriorityCounters) {
    for (std::uint32_t priority = 0; priority < 8; ++priority) {
      addRead64(list, portAddress(port, offset + 8 * priority));
    }
  }
  Answers answers(bus_.accessAll(list));
  PortCounters counters;
  for (const auto& [offset, member] : kPortCounters) counters.*member = answers.next64();
  for (const auto& [offset, member] : kPriorityCounters) {
    for (std::uint64_t& counter : counters.*member) counter = answers.next64();
  }
  return counters;
}

std::uint32_t Driver::slot(std::uint32_t port, std::uint32_t flow) const {
  if (port >= places_.size() || flow >= places_[port].size()) {
    throw Error(ErrorKind::kUsage, fmt::format("flow {} of port {} is not loaded", flow, port));
  }
  return places_[port][flow].slot;
}

std::vector<std::uint64_t> Driver::queuePairsSent(std::uint32_t port, std::uint32_t flow) {
  std::vector<std::uint64_t> sent;
  (void)slot(port, flow);
  for (const std::optional<std::uint32_t> entry : places_[port][flow].pair_entries) {
    sent.push_back(entry ? sentOf(readRow(port, regs::qp_table::kNumber, *entry)) : 0);
  }
  return sent;
}

TxState Driver::txState(std::uint32_t port, std::uint32_t flow) {
  if (flow >= info_.flows) {
    throw Error(ErrorKind::kUsage, fmt::format("flow {} of {}", flow, info_.flows));
  }
  const bool loaded = port < places_.size() && flow < places_[port].size();
  return txStateOf(
      readRow(port, regs::tx_state_table::kNumber, loaded ? places_[port][flow].slot : flow));
}

RxFlow Driver::rxFlow(std::uint32_t port, std::uint32_t row) {
  if (row >= info_.rows) {
    throw Error(ErrorKind::kUsage, fmt::format("receive row {} of {}", row, info_.rows));
  }
  return rxFlowOf(readRow(port, regs::rx_flow_table::kNumber, row));
}

std::vector<RxFlow> Driver::rxFlows(std::uint32_t port, std::uint32_t first, std::uint32_t count) {
  if (first > info_.rows || count > info_.rows - first) {
    throw Error(ErrorKind::kUsage,
                fmt::format("receive rows {} to {} of {}", first, first + count, info_.rows));
  }
  constexpr std::uint32_t kTable = regs::rx_flow_table::kNumber;
  std::vector<RegisterAccess> list;
  for (std::uint32_t row = first; row < first + count; ++row) addReadRow(list, port, kTable, row);
  Answers answers(bus_.accessAll(list));
  std::vector<RxFlow> flows;
  flows.reserve(count);
  while (flows.size() < count) flows.push_back(rxFlowOf(answers.nextRow(kTable)));
  return flows;
}

void Driver::setRxTracking(std::uint32_t port, const RxTracking& tracking) {
  const bool any = tracking.wide_rows || tracking.trim_dscp || tracking.trim_by_length;
  if (any && !info_.rx_tracking) {
    throw Error(ErrorKind::kUnsupported, "this card tracks neither trimmed packets nor wide rows");
  }
  if (tracking.trim_dscp.value_or(0) > 63) {
    throw Error(ErrorKind::kUsage, fmt::format("DSCP {}", *tracking.trim_dscp), {}, "0 to 63");
  }
  bus_.write(portAddress(port, port_regs::kRxTracking),
             port_regs::kRxTrackingWideRows.of(tracking.wide_rows ? 1 : 0) |
                 port_regs::kRxTrackingTrimByDscp.of(tracking.trim_dscp ? 1 : 0) |
                 port_regs::kRxTrackingTrimByLength.of(tracking.trim_by_length ? 1 : 0) |
                 port_regs::kRxTrackingTrimDscp.of(tracking.trim_dscp.value_or(0)));
}

stats::Histogram Driver::latency(std::uint32_t port, std::uint32_t group) {
  if (group >= info_.groups) {
    throw Error(ErrorKind::kUsage, fmt::format("latency group {} of {}", group, info_.groups));
  }
  return histogram(port, group, port_regs::kHistAddrGroup.of(group));
}

stats::Histogram Driver::retryLatency(std::uint32_t port, RetryCause cause) {
  if (!info_.llr) {
    throw Error(ErrorKind::kUnsupported, "this card has no link-level retry");
  }
  const auto group = static_cast<std::uint32_t>(cause);
  return histogram(port, kRetryRows + group,
                   port_regs::kHistAddrGroup.of(group) | port_regs::kHistAddrRetry.of(1));
}

// Row of the group table, and the selector of the group's cells.
stats::Histogram Driver::histogram(std::uint32_t port, std::uint32_t row, std::uint32_t address) {
  const GroupSummary summary = groupSummaryOf(readRow(port, regs::group_table::kNumber, row));
  if (summary.count == 0) return {};
  const std::uint32_t first = stats::histogramBucket(summary.minimum);
  const std::uint32_t last = stats::histogramBucket(summary.maximum);
  std::vector<RegisterAccess> list{RegisterAccess::write(
      portAddress(port, port_regs::kHistAddr), address | port_regs::kHistAddrBucket.of(first))};
  for (std::uint32_t bucket = first; bucket <= last; ++bucket) {
    addRead64(list, portAddress(port, port_regs::kHistLo));
  }
  Answers answers(bus_.accessAll(list));
  std::vector<std::uint64_t> cells;
  std::uint64_t total = 0;
  for (std::uint32_t bucket = first; bucket <= last; ++bucket) {
    cells.push_back(answers.next64());
    total += cells.back();
  }
  if (total != summary.count) {
    throw Error(
        ErrorKind::kTester,
        fmt::format("the latency histogram holds {} frames, its summary {}", total, summary.count),
        fmt::format("port {}, {} {}", port, row < kRetryRows ? "group" : "retries, group",
                    row % kRetryRows));
  }
  return stats::Histogram::fromHardware(first, cells, summary.minimum, summary.maximum,
                                        summary.sum_high, summary.sum_low);
}

}  // namespace plumbline::card
