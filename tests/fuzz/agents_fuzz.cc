// links: plumbline_control_agents
// Any text as an agent's answer, and as a list of agents. For any times in it, an estimate is of a
// possible round trip; accepted text is stable when written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "control/agent_results.h"
#include "control/controller.h"

namespace {

using namespace plumbline::control;  // NOLINT: a program of its own

void require(bool holds) {
  if (!holds) std::abort();
}

void compareClocks(std::string_view bytes) {
  std::vector<ClockExchange> exchanges(bytes.size() / sizeof(ClockExchange));
  if (exchanges.empty()) return;
  std::memcpy(exchanges.data(), bytes.data(), exchanges.size() * sizeof(ClockExchange));
  ClockTrack track;
  for (const ClockExchange& exchange : exchanges) {
    const auto estimate = estimateClock({exchange});
    if (!estimate) continue;
    require(estimate->uncertainty_ns > 0 && estimate->at_ns >= exchange.sent_ns &&
            estimate->at_ns <= exchange.returned_ns);
    track.add(*estimate);
  }
  if (track.empty()) return;
  require(track.strayedNs() >= 0);
  require(track.at(exchanges.front().sent_ns).uncertainty_ns > 0);
  if (const auto drift = track.drift()) require(drift->uncertainty_ppm > 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  compareClocks(text);
  ClockReading reading;
  if (fromJson(text, reading)) {
    const std::int64_t now = 1'790'000'000'000'000'000;
    estimateClock({{now, reading.received_ns, reading.answered_ns, now + 1'000'000}});
  }
  TrialPage page;
  if (fromJson(text, page)) {
    for (const TrialDocument& trial : page.trials) {
      require(mergedTrial("agent", trial).label == "agent: " + trial.label);
    }
    TrialPage again;
    require(fromJson(toJson(page), again) && toJson(again) == toJson(page));
  }
  try {
    for (const AgentAddress& agent : parseAgents(std::string(text))) {
      require(!agent.address.host.empty() && agent.address.port > 0);
    }
  } catch (const plumbline::Error&) {
    // No list of agents.
  }
  try {
    const auto agents = plumbline::results::agentsFromJson(std::string(text));
    plumbline::results::agentsFromJson(plumbline::results::agentsJson(agents));
  } catch (const plumbline::Error&) {
    // No agents.
  }
  return 0;
}
