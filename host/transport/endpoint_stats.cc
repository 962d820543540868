#include "transport/endpoint_stats.h"

#include <algorithm>

namespace plumbline::transport {

void EndpointStats::merge(const EndpointStats& other) {
  data_sent += other.data_sent;
  bytes_sent += other.bytes_sent;
  retransmitted += other.retransmitted;
  control_sent += other.control_sent;
  data_received += other.data_received;
  payload_received += other.payload_received;
  duplicates += other.duplicates;
  out_of_order += other.out_of_order;
  discarded += other.discarded;
  ce_received += other.ce_received;
  trimmed_received += other.trimmed_received;
  cnp_sent += other.cnp_sent;
  cnp_received += other.cnp_received;
  nack_received += other.nack_received;
  timeouts += other.timeouts;
  messages_completed += other.messages_completed;
  messages_failed += other.messages_failed;
  credit_granted += other.credit_granted;
  credited_bytes += other.credited_bytes;
  first_nack = std::min(first_nack, other.first_nack);
  first_resent = std::min(first_resent, other.first_resent);
  latency.merge(other.latency);
}

}  // namespace plumbline::transport
