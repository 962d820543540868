#include "transport/roce/roce_packet.h"

namespace plumbline::transport {

namespace {

constexpr std::uint32_t kEthernet = 14;
constexpr std::uint32_t kVlanTag = 4;
constexpr std::uint32_t kIpv4 = 20;
constexpr std::uint32_t kIpv6 = 40;
constexpr std::uint32_t kUdp = 8;
constexpr std::uint32_t kBth = 12;
constexpr std::uint32_t kReth = 16;
constexpr std::uint32_t kAeth = 4;
constexpr std::uint32_t kImmediate = 4;
constexpr std::uint32_t kCnpReserved = 16;
constexpr std::uint32_t kDeth = 8;
constexpr std::uint32_t kMad = 256;
constexpr std::uint32_t kIcrcAndFcs = 8;

// Bytes between BTH and payload.
std::uint32_t extension(std::uint8_t code) {
  using namespace roce_code;
  switch (code & ~kUc) {
    case kWriteFirst:
    case kWriteOnly:
      return kReth;
    case kWriteOnlyImmediate:
      return kReth + kImmediate;
    case kWriteLastImmediate:
      return kImmediate;
    case kReadRequest:
      return kReth;
    case kReadResponseFirst:
    case kReadResponseLast:
    case kReadResponseOnly:
    case kAcknowledge:
      return kAeth;
    case kConnectRequest:
    case kConnectReply:
    case kReadyToUse:
    case kConnectReject:
      return kDeth + kMad;
    default:
      return 0;
  }
}

constexpr std::array<RoceMeaning, kRoceCodes> makeMeanings() {
  using namespace roce_code;
  std::array<RoceMeaning, kRoceCodes> table{};
  const auto request = [&table](std::uint8_t code, bool first, bool last, Verb verb) {
    table[code] = {RoceKind::kRequest, first, last, false, verb};
    table[code | kUc] = {RoceKind::kRequest, first, last, true, verb};
  };
  request(kSendFirst, true, false, Verb::kSend);
  request(kSendMiddle, false, false, Verb::kSend);
  request(kSendLast, false, true, Verb::kSend);
  request(kSendOnly, true, true, Verb::kSend);
  request(kWriteFirst, true, false, Verb::kWrite);
  request(kWriteMiddle, false, false, Verb::kWrite);
  request(kWriteLast, false, true, Verb::kWrite);
  request(kWriteLastImmediate, false, true, Verb::kWriteImmediate);
  request(kWriteOnly, true, true, Verb::kWrite);
  request(kWriteOnlyImmediate, true, true, Verb::kWriteImmediate);
  table[kReadRequest] = {RoceKind::kReadRequest, true, true, false, Verb::kRead};
  table[kReadResponseFirst] = {RoceKind::kReadResponse, true, false, false, Verb::kRead};
  table[kReadResponseMiddle] = {RoceKind::kReadResponse, false, false, false, Verb::kRead};
  table[kReadResponseLast] = {RoceKind::kReadResponse, false, true, false, Verb::kRead};
  table[kReadResponseOnly] = {RoceKind::kReadResponse, true, true, false, Verb::kRead};
  table[kAcknowledge].kind = RoceKind::kAck;
  table[kCnp].kind = RoceKind::kCnp;
  for (const std::uint8_t code : {kConnectRequest, kConnectReply, kReadyToUse, kConnectReject}) {
    table[code].kind = RoceKind::kConnection;
  }
  return table;
}

}  // namespace

constinit const std::array<RoceMeaning, kRoceCodes> kRoceMeanings = makeMeanings();

std::uint8_t readResponseCode(bool first, bool last) {
  using namespace roce_code;
  if (last) return first ? kReadResponseOnly : kReadResponseLast;
  return first ? kReadResponseFirst : kReadResponseMiddle;
}

RoceFrames::RoceFrames(const RoceSpec& spec) {
  const std::uint32_t common = kEthernet + (spec.vlan ? kVlanTag : 0) +
                               (spec.ipv6 ? kIpv6 : kIpv4) + kUdp + kBth + kIcrcAndFcs;
  for (std::uint32_t code = 0; code < kRoceCodes; ++code) {
    const auto small = static_cast<std::uint8_t>(code);
    const RoceKind kind = meaningOf(small).kind;
    if (kind == RoceKind::kNone) continue;
    const std::uint32_t more = kind == RoceKind::kCnp ? kCnpReserved : extension(small);
    fixed_[code] = static_cast<std::uint16_t>(common + more);
  }
  selective_nak_ = bytes(roce_code::kAcknowledge, spec.selective_nak_bytes);
}

}  // namespace plumbline::transport
