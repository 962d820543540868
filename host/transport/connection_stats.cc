#include "transport/connection_stats.h"

#include <algorithm>

namespace plumbline::transport {

void ConnectionStats::merge(const ConnectionStats& other) {
  opened += other.opened;
  established += other.established;
  failed += other.failed;
  most_open = std::max(most_open, other.most_open);
  first_opened = std::min(first_opened, other.first_opened);
  last_established = std::max(last_established, other.last_established);
  setup.merge(other.setup);
}

}  // namespace plumbline::transport
