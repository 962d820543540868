// Checks of a SwitchSpec.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>

#include "base/counted.h"
#include "fabric/link/credits.h"
#include "fabric/spec/spec_checks.h"
#include "spec/field.h"

namespace plumbline::fabric {
namespace {

constexpr std::int64_t kShortestFrame = 64;  // of Ethernet, with FCS

void checkSharedBuffer(const SwitchSpec& switches, std::uint32_t max_ports) {
  const SharedBufferSpec& buffer = *switches.shared_buffer;
  Int128 reserved = buffer.reserve_per_port.count();
  if (switches.pfc) {
    reserved += static_cast<Int128>(switches.pfc->headroom.count()) *
                std::popcount(switches.pfc->priorities);
  }
  reserved *= max_ports;
  if (reserved + kMinBuffer.count() <= buffer.total.count()) return;
  refuse(fmt::format("{} bytes do not hold the reserves and headrooms of a switch of {} ports",
                     buffer.total.count(), max_ports),
         "switches.shared_buffer.total",
         fmt::format("at least {} bytes, or smaller reserves and headrooms",
                     reserved + kMinBuffer.count()));
}

void checkEcn(const EcnSpec& ecn, const std::string& field) {
  if (ecn.kmax < ecn.kmin) {
    refuse(fmt::format("kmax of {} bytes is below kmin of {} bytes", ecn.kmax.count(),
                       ecn.kmin.count()),
           field + ".kmax", "kmin or more");
  }
}

void checkWatchdog(const WatchdogSpec& watchdog) {
  const auto notBelowPoll = [&](Picoseconds time, const char* field) {
    if (time < watchdog.poll) {
      refuse(fmt::format("{} is less than poll", spec::timeText(time.count())),
             fmt::format("switches.pfc.watchdog.{}", field), "poll or more");
    }
  };
  notBelowPoll(watchdog.detection, "detection");
  notBelowPoll(watchdog.restoration, "restoration");
}

void checkPfc(const SwitchSpec& switches) {
  const PfcSpec& pfc = *switches.pfc;
  if (pfc.xon > pfc.xoff) {
    refuse(
        fmt::format("xon of {} bytes is above xoff of {} bytes", pfc.xon.count(), pfc.xoff.count()),
        "switches.pfc.xon", "at most xoff");
  }
  if (pfc.dynamic_alpha && !switches.shared_buffer) {
    refuse("a share of a shared buffer that does not exist", "switches.pfc.dynamic_alpha",
           "only with shared_buffer");
  }
  if (pfc.watchdog) checkWatchdog(*pfc.watchdog);
}

void checkTrim(const SwitchSpec& switches) {
  const TrimSpec& trim = *switches.trim;
  if (trim.limit < trim.keep) {
    refuse(fmt::format("a limit of {} bytes is below keep of {} bytes", trim.limit.count(),
                       trim.keep.count()),
           "switches.trim.limit", "keep or more");
  }
  // Trimmed frames may be dropped, which a lossless priority must not.
  const auto bit = static_cast<std::uint8_t>(1U << trim.priority);
  if (switches.pfc && (switches.pfc->priorities & bit) != 0) {
    refuse(fmt::format("priority {} is lossless by PFC", trim.priority), "switches.trim.priority",
           "priorities that are not in pfc.priorities");
  }
  if (switches.cbfc && (switches.cbfc->channels & bit) != 0) {
    refuse(fmt::format("priority {} is lossless by CBFC", trim.priority), "switches.trim.priority",
           "priorities that are not in cbfc.channels");
  }
}

void checkVirtualChannels(const CbfcSpec& cbfc) {
  std::uint8_t left = cbfc.channels;
  for (std::size_t i = 0; i < cbfc.virtual_channels.size(); ++i) {
    const VirtualChannelSpec& channel = cbfc.virtual_channels[i];
    const std::string field = fmt::format("switches.cbfc.virtual_channels[{}]", i);
    if ((channel.priorities & ~left) != 0) {
      refuse("a priority of this channel has no credits or another channel", field + ".priorities",
             "priorities of cbfc.channels, each in one channel");
    }
    left &= static_cast<std::uint8_t>(~channel.priorities);
  }
}

// A limit that the shortest frame exceeds lets nothing through.
void checkCreditLimit(const CbfcSpec& cbfc, std::uint32_t limit, const std::string& field) {
  const std::int32_t needed = creditsOf(cbfc, kShortestFrame);
  if (static_cast<std::int64_t>(limit) >= needed) return;
  refuse(fmt::format("a frame of {} B needs more than {} to leave: nothing is ever sent",
                     kShortestFrame, counted(limit, "credit")),
         field, fmt::format("at least {}", needed));
}

void checkCbfc(const SwitchSpec& switches) {
  const CbfcSpec& cbfc = *switches.cbfc;
  if (switches.pfc && (switches.pfc->priorities & cbfc.channels) != 0) {
    refuse("a priority has both PFC and CBFC", "switches.cbfc.channels",
           "priorities that are not in pfc.priorities");
  }
  checkVirtualChannels(cbfc);
  PriorityMask own = cbfc.channels;  // in a channel with the common limit
  for (std::size_t i = 0; i < cbfc.virtual_channels.size(); ++i) {
    const VirtualChannelSpec& channel = cbfc.virtual_channels[i];
    own &= static_cast<PriorityMask>(~channel.priorities);
    checkCreditLimit(cbfc, channel.credits,
                     fmt::format("switches.cbfc.virtual_channels[{}].credits", i));
  }
  if (own != 0) checkCreditLimit(cbfc, cbfc.credits, "switches.cbfc.credits");
}

}  // namespace

void checkSwitches(const SwitchSpec& switches, std::uint32_t max_ports) {
  for (std::size_t i = 0; i < switches.ecn.size(); ++i) {
    checkEcn(switches.ecn[i], fmt::format("switches.ecn[{}]", i));
  }
  if (switches.pfc) checkPfc(switches);
  if (switches.shared_buffer) checkSharedBuffer(switches, max_ports);
  if (switches.cbfc) checkCbfc(switches);
  if (switches.trim) checkTrim(switches);
}

}  // namespace plumbline::fabric
