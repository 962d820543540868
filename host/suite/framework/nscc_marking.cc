#include "suite/framework/nscc_marking.h"

#include <fmt/format.h>

#include <variant>

#include "base/counted.h"
#include "suite/framework/data_priority.h"
#include "transport/congestion/nscc.h"
#include "transport/uet/uet_wire.h"

namespace plumbline::suite {
namespace {

// Nothing unless data of the trial goes by NSCC.
const transport::UetSpec* nsccOf(const bench::TrialSpec& spec) {
  if (!spec.transport) return nullptr;
  const auto* uet = std::get_if<transport::UetSpec>(&*spec.transport);
  if (uet == nullptr ||
      transport::effectiveControl(*uet) != transport::UetCongestionControl::kNscc) {
    return nullptr;
  }
  return uet;
}

// The link with the longest queue; nullptr if there was none.
const bench::LinkLoad* mostQueuedLink(const bench::FabricResult& fabric) {
  const bench::LinkLoad* longest = nullptr;
  for (const bench::LinkLoad& link : fabric.links) {
    if (link.max_queue_bytes > (longest != nullptr ? longest->max_queue_bytes : 0)) {
      longest = &link;
    }
  }
  return longest;
}

// Packets that were trimmed, or dropped by a full queue or buffer, in % of those sent.
double lostShare(const bench::TrialResult& trial) {
  const auto& total = trial.fabric->total;
  const std::uint64_t lost = total.trimmed + total.dropsBy(fabric::DropReason::kBufferFull);
  const std::uint64_t sent = trial.fabric->endpoints.data_sent;
  return sent == 0 ? 0 : 100.0 * static_cast<double>(lost) / static_cast<double>(sent);
}

}  // namespace

void NsccMarking::add(const bench::TrialSpec& spec, const bench::TrialResult& trial,
                      const std::string& where) {
  const transport::UetSpec* uet = nsccOf(spec);
  if (uet == nullptr || !trial.fabric) return;
  const double share = lostShare(trial);
  if (share <= 0) return;
  const BitRate host = spec.dut.topology.link_rate;
  const transport::NsccParameters parameters = transport::makeNsccParameters(
      uet->nscc, host, uet->base_rtt, uet->mtu_payload, uet->trimming);
  // Of the port whose queue was the longest. The same delay is a longer queue on a faster link.
  const bench::LinkLoad* port = mostQueuedLink(*trial.fabric);
  const BitRate rate = port != nullptr ? port->rate : host;
  const double bytes_per_ps = static_cast<double>(rate.bitsPerSecond()) / 8e12;
  const double queue = parameters.target * bytes_per_ps;
  const fabric::EcnSpec* rule =
      uet->ecn ? markingOf(spec.dut.switches, uet->data_priority) : nullptr;
  if (rule != nullptr && static_cast<double>(rule->kmin.count()) < queue) return;
  ++trials_;
  if (share <= share_) return;
  share_ = share;
  where_ = where;
  const std::string marks = rule != nullptr
                                ? fmt::format("the switches mark its packets from {:.4g} kB on",
                                              static_cast<double>(rule->kmin.count()) / 1e3)
                                : std::string("the switches do not mark its packets");
  marking_ =
      fmt::format("NSCC aims at a queueing delay of {:.3g} us, {:.4g} kB at {:.4g} Gb/s{}, and {}",
                  parameters.target / 1e6, queue / 1e3, rate.toGigabitsPerSecond(),
                  port != nullptr ? fmt::format(" (the longest queue was that of {})", port->name)
                                  : std::string(),
                  marks);
}

std::optional<results::Anomaly> NsccMarking::anomaly() const {
  if (trials_ == 0) return std::nullopt;
  return results::Anomaly{
      fmt::format("{}: at the target no mark limits its windows. Packets were trimmed or "
                  "dropped in {}, at most {:.3g} % of the packets sent in one. That is a possible "
                  "cause; first windows of several senders on one link are another",
                  marking_, counted(trials_, "trial"), share_),
      where_};
}

}  // namespace plumbline::suite
