#include "scenario/few_credits.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/counted.h"
#include "bench/card/packet.h"
#include "bench/trial/longest_frame.h"
#include "fabric/link/credits.h"

namespace plumbline::scenario {
namespace {

// The frames of one kind of data.
struct Frames {
  unsigned priority = 0;
  Bytes longest;
  Bytes shortest;  // or less
};

// Payload of the shortest first packet of a message; nothing where the file does not tell.
std::uint64_t shortestPayload(const Scenario& scenario) {
  if (!scenario.workload || scenario.serving) return 0;
  auto payload = static_cast<std::uint64_t>(bench::packetPayload(*scenario.transport).count());
  for (const workload::JobSpec& job : scenario.workload->jobs) {
    const auto* messages = std::get_if<workload::MessageProgram>(&job.program);
    if (messages == nullptr) return 0;
    const std::uint32_t parts = job.flow_use == workload::FlowUse::kSplit ? job.flows : 1;
    payload = std::min(payload, messages->bytes / parts);
  }
  return payload;
}

std::vector<Frames> dataOf(const Scenario& scenario, const KeyPlaces& places) {
  std::vector<Frames> all;
  if (scenario.transport) {
    all.push_back({std::visit([](const auto& spec) -> unsigned { return spec.data_priority; },
                              *scenario.transport),
                   bench::longestFrame(*scenario.transport),
                   Bytes(static_cast<std::int64_t>(shortestPayload(scenario)))});
  }
  const auto& sizes = scenario.traffic.frame_sizes;
  if (places.has("traffic") && sizes && !sizes->empty()) {
    const auto [shortest, longest] = std::minmax_element(sizes->begin(), sizes->end());
    all.push_back({bench::priorityOf(scenario.traffic.format), *longest, *shortest});
  }
  return all;
}

std::string placeOf(const fabric::CbfcSpec& cbfc, unsigned priority) {
  for (std::size_t i = 0; i < cbfc.virtual_channels.size(); ++i) {
    if ((cbfc.virtual_channels[i].priorities >> priority & 1U) != 0) {
      return fmt::format("dut.switch.cbfc.virtual_channels.{}.credits", i);
    }
  }
  return "dut.switch.cbfc.credits";
}

}  // namespace

std::string FewCredits::what() const {
  return fmt::format("a frame of {} B needs more than {} to leave: {}", frame.count(),
                     counted(credits, "credit"),
                     for_all ? "no data is ever sent" : "it stands for ever, with all behind it");
}

std::string FewCredits::allowed() const { return fmt::format("at least {}", needed); }

std::vector<FewCredits> fewCredits(const Scenario& scenario, const KeyPlaces& places) {
  std::vector<FewCredits> all;
  const auto& cbfc = scenario.switches.cbfc;
  if (!cbfc || !simulatesDut(scenario.bench)) return all;
  const fabric::VirtualChannels channels(*cbfc);
  for (const Frames& data : dataOf(scenario, places)) {
    if ((cbfc->channels >> data.priority & 1U) == 0) continue;
    FewCredits one;
    one.place = placeOf(*cbfc, data.priority);
    one.credits = channels.limit(channels.of(data.priority));
    one.frame = data.longest;
    one.needed = fabric::creditsOf(*cbfc, data.longest.count());
    if (static_cast<std::uint32_t>(one.needed) <= one.credits) continue;
    one.for_all =
        fabric::creditsOf(*cbfc, data.shortest.count()) > static_cast<std::int32_t>(one.credits);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace plumbline::scenario
