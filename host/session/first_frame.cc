#include "session/first_frame.h"

#include <algorithm>

#include "wire/crc.h"
#include "wire/roce.h"
#include "wire/test_tag.h"

namespace plumbline::session {
namespace {

constexpr std::size_t kIpOffset = 14;
constexpr std::size_t kVlanBytes = 4;

}  // namespace

std::vector<std::uint8_t> firstFrame(const card::FlowConfig& flow) {
  std::vector<std::uint8_t> frame(flow.length);
  std::copy_n(flow.head.begin(), std::min(flow.head.size(), frame.size()), frame.begin());
  for (std::size_t at = flow.payload_offset; at < frame.size(); ++at) {
    frame[at] = static_cast<std::uint8_t>(at - flow.payload_offset);
  }
  if (flow.tagged) {
    wire::TestTag tag;
    tag.id = wire::TestTag::makeId(flow.group, flow.row);
    tag.departure = static_cast<std::uint64_t>(flow.first_due.count());
    tag.encode(wire::FixedSpan<wire::TestTag::kSize>(frame.data() + flow.tag_offset,
                                                     wire::TestTag::kSize));
  }
  frame.resize(flow.length - wire::kFcsSize);
  if (flow.icrc) {
    const std::size_t ip = kIpOffset + (flow.vlan ? kVlanBytes : 0);
    const std::size_t end = frame.size() - wire::kIcrcSize;
    const std::uint32_t icrc =
        wire::roceIcrc(wire::ByteView(frame).subspan(ip, end - ip), flow.ipv6);
    // Least significant byte first, as the FCS (FACTS C.5).
    for (std::size_t i = 0; i < wire::kIcrcSize; ++i) {
      frame[end + i] = static_cast<std::uint8_t>(icrc >> (8 * i));
    }
  }
  wire::appendFcs(frame);
  return frame;
}

}  // namespace plumbline::session
