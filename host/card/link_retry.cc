#include "card/link_retry.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "card/registers.h"

namespace plumbline::card {
namespace {

namespace port_regs = regs::port;

constexpr std::array<std::pair<std::uint32_t, std::uint64_t LlrCounters::*>, 27> kLlrCounters{{
    {port_regs::kLlrTxInit, &LlrCounters::tx_init},
    {port_regs::kLlrTxEcho, &LlrCounters::tx_echo},
    {port_regs::kLlrTxAck, &LlrCounters::tx_ack},
    {port_regs::kLlrTxNack, &LlrCounters::tx_nack},
    {port_regs::kLlrRxInit, &LlrCounters::rx_init},
    {port_regs::kLlrRxEcho, &LlrCounters::rx_echo},
    {port_regs::kLlrRxAck, &LlrCounters::rx_ack},
    {port_regs::kLlrRxNack, &LlrCounters::rx_nack},
    {port_regs::kLlrRxCtlBad, &LlrCounters::rx_ctl_bad},
    {port_regs::kLlrRxOk, &LlrCounters::rx_ok},
    {port_regs::kLlrRxPoisoned, &LlrCounters::rx_poisoned},
    {port_regs::kLlrRxBad, &LlrCounters::rx_bad},
    {port_regs::kLlrExpectedGood, &LlrCounters::expected_good},
    {port_regs::kLlrExpectedPoisoned, &LlrCounters::expected_poisoned},
    {port_regs::kLlrExpectedBad, &LlrCounters::expected_bad},
    {port_regs::kLlrMissingSeq, &LlrCounters::missing_seq},
    {port_regs::kLlrDuplicateSeq, &LlrCounters::duplicate_seq},
    {port_regs::kLlrRxReplay, &LlrCounters::rx_replay},
    {port_regs::kLlrRxDiscarded, &LlrCounters::rx_discarded},
    {port_regs::kLlrSeqError, &LlrCounters::seq_error},
    {port_regs::kLlrTxDiscarded, &LlrCounters::tx_discarded},
    {port_regs::kLlrTxOk, &LlrCounters::tx_ok},
    {port_regs::kLlrTxPoisoned, &LlrCounters::tx_poisoned},
    {port_regs::kLlrTxReplay, &LlrCounters::tx_replay},
    {port_regs::kLlrTxReplayFrames, &LlrCounters::tx_replay_frames},
    {port_regs::kLlrDelayed, &LlrCounters::delayed},
    {port_regs::kLlrFlushed, &LlrCounters::flushed},
}};

std::uint32_t checked(std::uint32_t value, std::uint32_t max, const char* what) {
  if (value > max) {
    throw Error(ErrorKind::kUsage, fmt::format("{} of {} does not fit the card", what, value), {},
                fmt::format("at most {}", max));
  }
  return value;
}

}  // namespace

LinkRetry::LinkRetry(RegisterBus& bus, std::uint32_t base, std::uint32_t clock_period_num,
                     std::uint32_t clock_period_den)
    : bus_(bus), base_(base), period_num_(clock_period_num), period_den_(clock_period_den) {}

std::uint32_t LinkRetry::clocks(Picoseconds time, std::uint32_t max, const char* what) const {
  const auto scaled = static_cast<unsigned __int128>(time.count()) * period_den_;
  if (time.count() < 0 || (scaled + period_num_ - 1) / period_num_ > max) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} of {} ps does not fit the card", what, time.count()), {},
                fmt::format("0 to {} clocks", max));
  }
  return static_cast<std::uint32_t>((scaled + period_num_ - 1) / period_num_);
}

void LinkRetry::configure(const LlrConfig& config) {
  const std::uint32_t init =
      port_regs::kLlrInitSeq.of(checked(config.init_seq, kLlrMaxSeq, "a first sequence number"));
  const std::uint32_t init_data =
      port_regs::kLlrInitDataData.of(config.init_data) |
      port_regs::kLlrInitDataInterval.of(clocks(
          config.init_interval, port_regs::kLlrInitDataInterval.max(), "an interval of INITs"));
  const std::uint32_t max_frames = port_regs::kLlrMaxFramesFrames.of(
      checked(config.max_frames, kLlrMaxSeq / 2 + 1, "a limit of frames"));
  const std::uint32_t replay =
      port_regs::kLlrReplayTimer.of(
          clocks(config.replay_timer, port_regs::kLlrReplayTimer.max(), "a replay timer")) |
      port_regs::kLlrReplayCountMax.of(
          checked(config.replay_count_max, kLlrMaxReplays + 1, "a replay count"));
  const std::uint32_t pcs_lost = clocks(config.pcs_lost, 0xFFFFFFFF, "a time without link");
  const std::uint32_t data_age = clocks(config.data_age, 0xFFFFFFFF, "an age of data");
  const std::uint32_t spacing = port_regs::kLlrAckSpacingClocks.of(
      clocks(serializationTime(config.ack_spacing, config.line_rate),
             port_regs::kLlrAckSpacingClocks.max(), "a spacing of ACKs"));
  const std::uint32_t control =
      port_regs::kLlrControlTxEnable.of(config.send ? 1 : 0) |
      port_regs::kLlrControlRxEnable.of(config.receive ? 1 : 0) |
      port_regs::kLlrControlReInitOnFlush.of(config.re_init_on_flush ? 1 : 0) |
      port_regs::kLlrControlMacControlEligible.of(config.mac_control_eligible ? 1 : 0) |
      port_regs::kLlrControlInitDataLowFirst.of(config.init_data_low_first ? 1 : 0) |
      port_regs::kLlrControlInitAction.of(static_cast<std::uint32_t>(config.init_action)) |
      port_regs::kLlrControlFlushAction.of(static_cast<std::uint32_t>(config.flush_action));

  bus_.write(base_ + port_regs::kLlrInit, init);
  bus_.write(base_ + port_regs::kLlrInitData, init_data);
  bus_.write(base_ + port_regs::kLlrMaxFrames, max_frames);
  bus_.write(base_ + port_regs::kLlrMaxBytes, config.max_bytes);
  bus_.write(base_ + port_regs::kLlrReplay, replay);
  bus_.write(base_ + port_regs::kLlrPcsLost, pcs_lost);
  bus_.write(base_ + port_regs::kLlrDataAge, data_age);
  bus_.write(base_ + port_regs::kLlrAckSpacing, spacing);
  // Last: it starts with the settings above.
  bus_.write(base_ + port_regs::kLlrControl, control);
}

void LinkRetry::disable() { bus_.write(base_ + port_regs::kLlrControl, 0); }

void LinkRetry::reInit() {
  bus_.write(base_ + port_regs::kLlrCommand, port_regs::kLlrCommandReInit.of(1));
}

LlrStatus LinkRetry::status() {
  const std::uint32_t word = bus_.read(base_ + port_regs::kLlrStatus);
  LlrStatus status;
  status.tx = static_cast<LlrTxState>(port_regs::kLlrStatusTxState.get(word));
  status.rx = static_cast<LlrRxState>(port_regs::kLlrStatusRxState.get(word));
  status.link_up = port_regs::kLlrStatusLinkUp.get(word) != 0;
  status.outstanding = port_regs::kLlrStatusOutstanding.get(word);
  return status;
}

LlrCounters LinkRetry::counters() {
  bus_.write(base_ + port_regs::kPortCommand, port_regs::kPortCommandSnapshot.of(1));
  LlrCounters counters;
  for (const auto& [offset, member] : kLlrCounters) {
    const std::uint64_t low = bus_.read(base_ + offset);
    counters.*member = low | static_cast<std::uint64_t>(bus_.read(base_ + offset + 4)) << 32;
  }
  return counters;
}

}  // namespace plumbline::card
