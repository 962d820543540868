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
  const BitRate rate = spec.dut.topology.link_rate;
  const transport::NsccParameters parameters = transport::makeNsccParameters(
      uet->nscc, rate, uet->base_rtt, uet->mtu_payload, uet->trimming);
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
      fmt::format("NSCC aims at a queueing delay of {:.3g} us, {:.4g} kB at {:.4g} Gb/s, and {}",
                  parameters.target / 1e6, queue / 1e3, rate.toGigabitsPerSecond(), marks);
}

std::optional<results::Anomaly> NsccMarking::anomaly() const {
  if (trials_ == 0) return std::nullopt;
  return results::Anomaly{
      fmt::format("{}: its windows grow until packets are trimmed or dropped, in {}, at most "
                  "{:.3g} % of the packets sent in one. Marking has to begin at a shorter queue",
                  marking_, counted(trials_, "trial"), share_),
      where_};
}

}  // namespace plumbline::suite
