// Which links the packets between two hosts take, seen and not computed: whatever the balancing,
// the transport's entropy and the routing are.
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

  // Links and the share of the bytes from one host to the other that each carried, ascending by
  // link; by (from, to). Frames without a packet's worth of data (acknowledgements, barriers) do
  // not count.
  [[nodiscard]] std::map<std::pair<fabric::HostId, fabric::HostId>, std::vector<LinkUse>> routes()
      const;

 private:
  // (from, to) → link → bytes
  std::map<std::pair<fabric::HostId, fabric::HostId>, std::map<fabric::LinkId, std::uint64_t>>
      bytes_;
};

}  // namespace plumbline::bench
