#include "wire/flow_control.h"

namespace plumbline::wire {
namespace {

constexpr std::size_t kCountersOffset = 6;  // after opcode, company id and message type

}  // namespace

void PfcHeader::encode(FixedSpan<kSize> out) const {
  store16(out.data(), mac_control_opcode::kPfc);
  store16(&out[2], enabled);
  for (std::size_t i = 0; i < quanta.size(); ++i) store16(&out[4 + 2 * i], quanta[i]);
}

PfcHeader PfcHeader::decode(FixedView<kSize> in) {
  PfcHeader pfc;
  pfc.enabled = in[3];
  for (std::size_t i = 0; i < pfc.quanta.size(); ++i) pfc.quanta[i] = load16(&in[4 + 2 * i]);
  return pfc;
}

void PauseHeader::encode(FixedSpan<kSize> out) const {
  store16(out.data(), mac_control_opcode::kPause);
  store16(&out[2], quanta);
}

PauseHeader PauseHeader::decode(FixedView<kSize> in) { return {load16(&in[2])}; }

void CcUpdate::encode(FixedSpan<kSize> out) const {
  store16(out.data(), mac_control_opcode::kOrganization);
  store24(&out[2], kCompanyId);
  out[5] = message_type;
  // Two counters fill five bytes.
  for (std::size_t pair = 0; pair < consumed.size() / 2; ++pair) {
    const std::uint64_t first = consumed[2 * pair] & 0xFFFFFU;
    const std::uint64_t second = consumed[2 * pair + 1] & 0xFFFFFU;
    storeBe<5>(&out[kCountersOffset + 5 * pair], first << 20 | second);
  }
}

CcUpdate CcUpdate::decode(FixedView<kSize> in) {
  CcUpdate update;
  update.message_type = in[5];
  for (std::size_t pair = 0; pair < update.consumed.size() / 2; ++pair) {
    const std::uint64_t both = loadBe<5>(&in[kCountersOffset + 5 * pair]);
    update.consumed[2 * pair] = static_cast<std::uint32_t>(both >> 20);
    update.consumed[2 * pair + 1] = static_cast<std::uint32_t>(both & 0xFFFFFU);
  }
  return update;
}

bool CcUpdate::matches(FixedView<kSize> in) {
  return load16(in.data()) == mac_control_opcode::kOrganization && load24(&in[2]) == kCompanyId &&
         (in[5] == 1 || in[5] == 2);
}

}  // namespace plumbline::wire
