#include "transport/connection_stats.h"

#include <algorithm>

namespace plumbline::transport {

void ConnectionStats::merge(const ConnectionStats& other) {
  opened += other.opened;
  established += other.established;
  failed += other.failed;
  max_open_connections = std::max(max_open_connections, other.max_open_connections);
  first_opened = std::min(first_opened, other.first_opened);
  last_established = std::max(last_established, other.last_established);
  setup.merge(other.setup);
}

}  // namespace plumbline::transport
