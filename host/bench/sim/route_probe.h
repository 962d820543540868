// Which links the packets between two hosts take: observed rather than computed, for any balancing,
// entropy and routing.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "bench/flow/max_min.h"
#include "fabric/engine/observer.h"

namespace plumbline::bench {

class RouteProbe final : public fabric::Observer {
 public:
  [[nodiscard]] std::uint32_t interests() const override {
    return bit(fabric::RecordKind::kDeparture);
  }
  void onRecord(const fabric::Record& record) override;

  // By (from, to): links and the share of the bytes that each carried, ascending by link. Frames
  // smaller than a data packet (acknowledgements, barriers) do not count.
  [[nodiscard]] std::map<std::pair<fabric::HostId, fabric::HostId>, std::vector<LinkUse>> routes()
      const;

 private:
  // (from, to) → link → bytes
  std::map<std::pair<fabric::HostId, fabric::HostId>, std::map<fabric::LinkId, std::uint64_t>>
      bytes_;
};

}  // namespace plumbline::bench
