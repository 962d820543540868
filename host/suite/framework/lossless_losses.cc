#include "suite/framework/lossless_losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "bench/trial/longest_frame.h"
#include "fabric/switch/headroom.h"
#include "fabric/topology/topology.h"
#include "suite/framework/data_priority.h"

namespace plumbline::suite {
namespace {

constexpr std::size_t kLinksNamed = 3;

bool injectsLosses(const bench::TrialSpec& spec) {
  return !spec.dut.impairments.empty() || !spec.dut.bit_errors.empty() ||
         !spec.dut.failures.empty() || !spec.damage.empty();
}

bool injectsPauses(const bench::TrialSpec& spec) {
  return !spec.dut.storms.empty() || !spec.storms.empty();
}

bool dataIsLossless(const bench::TrialSpec& spec) {
  return spec.transport && holdsSendersBack(spec.dut.switches, dataPriority(*spec.transport));
}

// By the closed form of the headroom that every link into a switch needs.
std::string headroomReason(const bench::TrialSpec& spec, const bench::FabricResult& fabric) {
  const fabric::Topology topology = fabric::buildTopology(spec.dut.topology);
  const auto need =
      fabric::largestHeadroomNeed(topology, spec.dut.switches, bench::longestFrame(spec));
  if (!need || need->short_of_it == 0) {
    const auto& pfc = spec.dut.switches.pfc;
    if (fabric.total.watchdog_events > 0 && pfc && pfc->watchdog &&
        pfc->watchdog->action == fabric::WatchdogSpec::Action::kForward) {
      return "the PFC watchdog forwards: a switch sends although the next one pauses it";
    }
    return "the headroom is enough for every link of the DUT: what sends into it did not stop in "
           "time";
  }
  return fmt::format("the headroom of {} B is below the {} B that {} needs",
                     spec.dut.switches.pfc->headroom.count(), need->bytes.count(),
                     topology.linkName(need->link));
}

std::string linksText(const std::map<std::string, std::uint64_t>& links) {
  std::vector<std::pair<std::uint64_t, std::string>> max;
  max.reserve(links.size());
  for (const auto& [name, packets] : links) max.emplace_back(packets, name);
  std::sort(max.begin(), max.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(max.size(), kLinksNamed); ++i) {
    text += fmt::format("{}{} ({})", i > 0 ? ", " : "", max[i].second, max[i].first);
  }
  if (max.size() > kLinksNamed) text += fmt::format(" and {} more", max.size() - kLinksNamed);
  return text;
}

}  // namespace

void LosslessLosses::add(const bench::TrialSpec& spec, const bench::TrialResult& trial,
                         const std::string& where) {
  if (!trial.fabric || trial.fabric->fast_forward) return;
  const bench::FabricResult& fabric = *trial.fabric;
  const std::uint64_t headroom = fabric.total.dropsBy(fabric::DropReason::kHeadroomFull);
  const std::uint64_t watchdog =
      injectsPauses(spec) ? 0 : fabric.total.dropsBy(fabric::DropReason::kWatchdog);
  const bool other_causes =
      injectsLosses(spec) || injectsPauses(spec) || fabric.total.dropped() > headroom + watchdog;
  const std::uint64_t timeouts =
      dataIsLossless(spec) && !other_causes ? fabric.endpoints.timeouts : 0;
  if (headroom + watchdog + timeouts == 0) return;
  if (headroom > 0 && headroom_full_ == 0) reason_ = headroomReason(spec, fabric);
  if (trials_ == 0) first_ = where;
  ++trials_;
  headroom_full_ += headroom;
  watchdog_ += watchdog;
  timeouts_ += timeouts;
  for (const bench::LinkLoad& link : fabric.links) {
    if (link.headroom_dropped > 0) links_[link.name] += link.headroom_dropped;
  }
}

std::optional<results::Anomaly> LosslessLosses::anomaly() const {
  if (trials_ == 0) return std::nullopt;
  std::vector<std::string> what;
  if (headroom_full_ > 0) {
    what.push_back(
        fmt::format("{} of a lossless priority dropped, PFC headroom full, on the way into {}",
                    counted(headroom_full_, "packet"), linksText(links_)));
  }
  if (watchdog_ > 0) {
    what.push_back(fmt::format("{} of a lossless priority dropped by the PFC watchdog",
                               counted(watchdog_, "packet")));
  }
  if (timeouts_ > 0) {
    what.push_back(fmt::format(
        "{} of endpoints with lossless data{}", counted(timeouts_, "timeout"),
        headroom_full_ + watchdog_ > 0 ? ""
                                       : ", without a loss: pauses, queues or the way itself took "
                                         "longer than the timeout, or receivers discarded packets "
                                         "out of order"));
  }
  std::string text = fmt::format("{}", fmt::join(what, "; "));
  if (!reason_.empty()) {
    text += watchdog_ > 0 ? ". Likely reason for the full headroom: " : ". Likely reason: ";
    text += reason_;
  }
  return results::Anomaly{
      std::move(text),
      trials_ == 1 ? first_ : fmt::format("{} trials, the first: {}", trials_, first_)};
}

}  // namespace plumbline::suite
