// Checks of a SwitchSpec.
#include <fmt/format.h>

#include <bit>

#include "fabric/spec_checks.h"

namespace plumbline::fabric {
namespace {

// Most bytes of a weighted queue's quantum, and most of a share of free buffer.
constexpr Bytes kMaxQuantum{std::int64_t{1} << 24};
constexpr std::int64_t kMaxAlpha = 1024;
// Longest time a receiver may take to react; the bounds of IEEE 802.3 Annex 31B are a thousandth.
constexpr Picoseconds kMaxReaction = milliseconds(1);
constexpr std::int64_t kMostReplays = 254;  // FACTS B.2.4
constexpr Picoseconds kMinPoll = microseconds(1);
constexpr Picoseconds kMaxWatchdog = seconds(100);
constexpr Bytes kMinTrimmed{60};  // headers of every encapsulation fit
constexpr Bytes kMaxTrimmed{9'216};
constexpr std::int64_t kMaxCredits = (1 << 20) - 1;  // 20-bit counters
constexpr std::int64_t kMinCreditSize = 32;
constexpr std::int64_t kMaxCreditSize = 2'048;
constexpr Picoseconds kMinConsumedPeriod = microseconds(1);
constexpr Picoseconds kMaxConsumedPeriod = milliseconds(250);

void checkAlpha(Fraction alpha, const std::string& field) {
  if (alpha > Fraction() && alpha <= Fraction::partsPerTrillion(kMaxAlpha * Fraction::kOne)) return;
  refuse(fmt::format("{} is out of range", alpha.toDouble()), field,
         fmt::format("more than 0, at most {}", kMaxAlpha));
}

void checkSharedBuffer(const SwitchSpec& switches, std::uint32_t most_ports) {
  const SharedBufferSpec& buffer = *switches.shared_buffer;
  checkBytes(buffer.total, kMinBuffer, kMaxBuffer, "switches.shared_buffer.total");
  checkAlpha(buffer.alpha, "switches.shared_buffer.alpha");
  checkBytes(buffer.reserve_per_port, Bytes(0), kMaxBuffer,
             "switches.shared_buffer.reserve_per_port");
  Int128 set_aside = buffer.reserve_per_port.count();
  if (switches.pfc) {
    set_aside += static_cast<Int128>(switches.pfc->headroom.count()) *
                 std::popcount(switches.pfc->priorities);
  }
  set_aside *= most_ports;
  if (set_aside + kMinBuffer.count() <= buffer.total.count()) return;
  refuse(fmt::format("{} bytes do not hold the reserves and headrooms of a switch of {} ports",
                     buffer.total.count(), most_ports),
         "switches.shared_buffer.total",
         fmt::format("at least {} bytes, or smaller reserves and headrooms",
                     set_aside + kMinBuffer.count()));
}

void checkEcn(const EcnSpec& ecn, const std::string& field) {
  checkPriorities(ecn.priorities, field + ".priorities");
  checkBytes(ecn.kmin, Bytes(0), kMaxBuffer, field + ".kmin");
  checkBytes(ecn.kmax, Bytes(0), kMaxBuffer, field + ".kmax");
  if (ecn.kmax < ecn.kmin) {
    refuse(fmt::format("kmax of {} bytes is below kmin of {} bytes", ecn.kmax.count(),
                       ecn.kmin.count()),
           field + ".kmax", "kmin or more");
  }
  if (ecn.pmax < Fraction() || ecn.pmax > Fraction::one()) {
    refuse(fmt::format("{} is not a probability", ecn.pmax.toDouble()), field + ".pmax", "0 to 1");
  }
}

void checkWatchdog(const WatchdogSpec& watchdog) {
  checkTime(watchdog.poll, kMinPoll, kMaxWatchdog, "switches.pfc.watchdog.poll");
  checkTime(watchdog.detection, watchdog.poll, kMaxWatchdog, "switches.pfc.watchdog.detection");
  checkTime(watchdog.restoration, watchdog.poll, kMaxWatchdog, "switches.pfc.watchdog.restoration");
  if (watchdog.action != WatchdogSpec::Action::kDrop &&
      watchdog.action != WatchdogSpec::Action::kForward) {
    refuse("unknown action", "switches.pfc.watchdog.action", "drop, forward");
  }
}

void checkPfc(const SwitchSpec& switches) {
  const PfcSpec& pfc = *switches.pfc;
  checkPriorities(pfc.priorities, "switches.pfc.priorities");
  checkBytes(pfc.xoff, Bytes(1), kMaxBuffer, "switches.pfc.xoff");
  checkBytes(pfc.xon, Bytes(0), kMaxBuffer, "switches.pfc.xon");
  if (pfc.xon > pfc.xoff) {
    refuse(
        fmt::format("xon of {} bytes is above xoff of {} bytes", pfc.xon.count(), pfc.xoff.count()),
        "switches.pfc.xon", "at most xoff");
  }
  if (pfc.dynamic_alpha) {
    checkAlpha(*pfc.dynamic_alpha, "switches.pfc.dynamic_alpha");
    if (!switches.shared_buffer) {
      refuse("a share of a shared buffer that does not exist", "switches.pfc.dynamic_alpha",
             "only with switches.shared_buffer");
    }
  }
  checkBytes(pfc.headroom, Bytes(0), kMaxBuffer, "switches.pfc.headroom");
  checkCount(pfc.quanta, 1, 0xFFFF, "switches.pfc.quanta");
  checkTime(pfc.response, Picoseconds(0), kMaxReaction, "switches.pfc.response");
  if (pfc.watchdog) checkWatchdog(*pfc.watchdog);
}

void checkTrim(const SwitchSpec& switches) {
  const TrimSpec& trim = *switches.trim;
  checkBytes(trim.threshold, Bytes(0), kMaxBuffer, "switches.trim.threshold");
  checkBytes(trim.keep, kMinTrimmed, kMaxTrimmed, "switches.trim.keep");
  checkBytes(trim.limit, trim.keep, kMaxBuffer, "switches.trim.limit");
  checkCount(trim.priority, 0, 7, "switches.trim.priority");
  // Trimmed frames may be dropped, which a lossless priority must not.
  const auto bit = static_cast<std::uint8_t>(1U << trim.priority);
  if (switches.pfc && (switches.pfc->priorities & bit) != 0) {
    refuse(fmt::format("priority {} is lossless by PFC", trim.priority), "switches.trim.priority",
           "priorities that are not in switches.pfc.priorities");
  }
  if (switches.cbfc && (switches.cbfc->channels & bit) != 0) {
    refuse(fmt::format("priority {} is lossless by CBFC", trim.priority), "switches.trim.priority",
           "priorities that are not in switches.cbfc.channels");
  }
}

void checkVirtualChannels(const CbfcSpec& cbfc) {
  std::uint8_t left = cbfc.channels;
  for (std::size_t i = 0; i < cbfc.virtual_channels.size(); ++i) {
    const VirtualChannelSpec& channel = cbfc.virtual_channels[i];
    const std::string field = fmt::format("switches.cbfc.virtual_channels[{}]", i);
    checkPriorities(channel.priorities, field + ".priorities");
    if ((channel.priorities & ~left) != 0) {
      refuse("a priority of this channel has no credits or another channel", field + ".priorities",
             "priorities of switches.cbfc.channels, each in one channel");
    }
    left &= static_cast<std::uint8_t>(~channel.priorities);
    checkCount(channel.credits, 1, kMaxCredits, field + ".credits");
  }
}

void checkCbfc(const SwitchSpec& switches) {
  const CbfcSpec& cbfc = *switches.cbfc;
  checkPriorities(cbfc.channels, "switches.cbfc.channels");
  if (switches.pfc && (switches.pfc->priorities & cbfc.channels) != 0) {
    refuse("a priority has both PFC and CBFC", "switches.cbfc.channels",
           "priorities that are not in switches.pfc.priorities");
  }
  checkCount(cbfc.credits, 1, kMaxCredits, "switches.cbfc.credits");
  checkVirtualChannels(cbfc);
  const std::int64_t size = cbfc.credit_size.count();
  if (size < kMinCreditSize || size > kMaxCreditSize ||
      !std::has_single_bit(static_cast<std::uint64_t>(size))) {
    refuse(fmt::format("{} bytes is not a credit", size), "switches.cbfc.credit_size",
           fmt::format("powers of two from {} to {} bytes", kMinCreditSize, kMaxCreditSize));
  }
  checkCount(cbfc.packet_overhead, -16, 127, "switches.cbfc.packet_overhead");
  checkBytes(cbfc.update_spacing, Bytes(1), kMaxBuffer, "switches.cbfc.update_spacing");
  checkDelay(cbfc.update_period, "switches.cbfc.update_period");
  checkTime(cbfc.processing, Picoseconds(0), kMaxReaction, "switches.cbfc.processing");
  if (cbfc.consumed_period != Picoseconds(0)) {
    checkTime(cbfc.consumed_period, kMinConsumedPeriod, kMaxConsumedPeriod,
              "switches.cbfc.consumed_period");
  }
}

void checkLoadBalancing(const LoadBalancingSpec& balancing) {
  switch (balancing.kind) {
    case LoadBalancingKind::kEcmp:
    case LoadBalancingKind::kEcmpQp:
    case LoadBalancingKind::kSprayRandom:
    case LoadBalancingKind::kSprayRoundRobin:
    case LoadBalancingKind::kSprayLeastQueue:
    case LoadBalancingKind::kWeighted:
      return;
    case LoadBalancingKind::kFlowlet:
      return checkDelay(balancing.flowlet_gap, "switches.load_balancing.flowlet_gap");
  }
  refuse("unknown load balancing", "switches.load_balancing.kind",
         "ECMP, ECMP with QP, flowlet, spray (random, round robin, least queue), weighted");
}

}  // namespace

void checkSwitches(const SwitchSpec& switches, std::uint32_t most_ports) {
  checkBytes(switches.buffer_per_port, kMinBuffer, kMaxBuffer, "switches.buffer_per_port");
  checkDelay(switches.latency, "switches.latency");
  if (switches.forwarding != Forwarding::kStoreAndForward &&
      switches.forwarding != Forwarding::kCutThrough) {
    refuse("unknown forwarding mode", "switches.forwarding", "store-and-forward, cut-through");
  }
  // Any weight is good; less than a smallest frame a round would make rounds without end.
  checkBytes(switches.dwrr_quantum, kMinBuffer, kMaxQuantum, "switches.dwrr_quantum");
  for (std::size_t i = 0; i < switches.ecn.size(); ++i) {
    checkEcn(switches.ecn[i], fmt::format("switches.ecn[{}]", i));
  }
  if (switches.pfc) checkPfc(switches);
  if (switches.shared_buffer) checkSharedBuffer(switches, most_ports);
  if (switches.cbfc) checkCbfc(switches);
  if (switches.trim) checkTrim(switches);
  if (switches.llr) {
    checkTime(switches.llr->receiver_processing, Picoseconds(0), kMaxReaction,
              "switches.llr.receiver_processing");
    checkTime(switches.llr->sender_processing, Picoseconds(0), kMaxReaction,
              "switches.llr.sender_processing");
    if (switches.llr->max_replays) {
      checkCount(*switches.llr->max_replays, 0, kMostReplays, "switches.llr.max_replays");
    }
    if (switches.llr->pcs_lost) {
      checkTime(*switches.llr->pcs_lost, Picoseconds(1), kMaxDelay, "switches.llr.pcs_lost");
    }
    if (switches.llr->data_age) {
      checkTime(*switches.llr->data_age, Picoseconds(1), kMaxDelay, "switches.llr.data_age");
    }
    checkTime(switches.llr->init_interval, nanoseconds(1), kMaxDelay, "switches.llr.init_interval");
  }
  checkLoadBalancing(switches.load_balancing);
}

}  // namespace plumbline::fabric
