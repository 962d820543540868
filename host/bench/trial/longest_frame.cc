#include "bench/trial/longest_frame.h"

#include <algorithm>

#include "transport/roce/roce_packet.h"
#include "transport/uet/uet_wire.h"

namespace plumbline::bench {

Bytes longestFrame(const TransportSpec& transport) {
  if (const auto* roce = std::get_if<transport::RoceSpec>(&transport)) {
    const std::uint8_t code =
        transport::requestCode(roce->service, transport::Verb::kWrite, true, false);
    return Bytes(transport::RoceFrames(*roce).bytes(code, roce->path_mtu));
  }
  const auto& uet = std::get<transport::UetSpec>(transport);
  return Bytes(transport::frameBytes(uet, transport::dataType(uet), transport::kSesStandard,
                                     uet.mtu_payload));
}

Bytes packetPayload(const TransportSpec& transport) {
  const auto* roce = std::get_if<transport::RoceSpec>(&transport);
  return Bytes(roce != nullptr ? std::int64_t{roce->path_mtu}
                               : std::int64_t{std::get<transport::UetSpec>(transport).mtu_payload});
}

Bytes longestFrame(const TrialSpec& spec) {
  Bytes longest;
  const bool jobs = spec.workload && !spec.workload->jobs.empty();
  if (spec.transport && (jobs || spec.serving)) {
    longest = longestFrame(*spec.transport);
  }
  for (const StreamSpec& stream : spec.streams) longest = std::max(longest, stream.frame);
  return longest;
}

}  // namespace plumbline::bench
