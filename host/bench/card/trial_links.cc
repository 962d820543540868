#include "bench/card/trial_links.h"

#include <fmt/format.h>

#include "base/error.h"

namespace plumbline::bench {

TrialLinks::TrialLinks(CardSet& cards, const std::vector<std::uint32_t>& hosts)
    : cards_(cards), hosts_(hosts) {}

void TrialLinks::begin() {
  if (!cards_.info().macs) return;
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) {
    card::Mac mac = cards_.port(port).mac();
    if (const card::MacLink link = mac.link(); link.state != card::MacState::kUp) {
      throw Error(ErrorKind::kTester,
                  fmt::format("the link is down: {}", card::describe(link.reason)),
                  fmt::format("port {}", hosts_[port]));
    }
    mac.takeCounters();  // begins anew
  }
}

void TrialLinks::collect(TrialResult& result) {
  if (!cards_.info().macs) return;
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) {
    card::Mac mac = cards_.port(port).mac();
    const card::MacLink link = mac.link();
    const card::MacCounters counts = mac.counters();
    result.ports[hosts_[port]].link = LinkHealth{link.rs_fec, counts};
    const auto fault = [&](bool present, const std::string& what) {
      if (present) result.faults.push_back(fmt::format("port {}: {}", hosts_[port], what));
    };
    fault(link.state != card::MacState::kUp,
          fmt::format("the link is down at the trial's end: {}", card::describe(link.reason)));
    fault(
        link.state == card::MacState::kUp &&
            counts.alignment_losses + counts.local_faults + counts.remote_faults > 0,
        fmt::format("the link was lost during the trial: {} losses of alignment, {} local faults, "
                    "{} remote faults",
                    counts.alignment_losses, counts.local_faults, counts.remote_faults));
    fault(counts.tx_underflows > 0,
          fmt::format("the MAC ran dry inside a frame in {} clocks: frames were sent damaged",
                      counts.tx_underflows));
    fault(counts.tx_overflows > 0,
          fmt::format("the MAC was given too much in {} clocks", counts.tx_overflows));
    fault(counts.rx_fifo_overflows > 0,
          fmt::format("{} beats were lost between the MAC and the card", counts.rx_fifo_overflows));
  }
}

}  // namespace plumbline::bench
