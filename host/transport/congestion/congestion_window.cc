#include "transport/congestion/congestion_window.h"

#include <algorithm>

#include "transport/uet/uet_wire.h"

namespace plumbline::transport {

CongestionWindowRules makeCongestionWindowRules(const UetSpec& spec, BitRate rate,
                                                std::uint32_t mtu_bytes) {
  CongestionWindowRules rules;
  rules.control = effectiveControl(spec);
  const double bdp = static_cast<double>(rate.bitsPerSecond()) / 8.0 * spec.base_rtt.toSeconds();
  // Whole bytes, as it is compared with whole bytes.
  if (rules.control == UetCongestionControl::kNone) {
    rules.fixed = static_cast<double>(
        std::max<std::int64_t>(static_cast<std::int64_t>(spec.fixed_window * bdp), mtu_bytes));
  }
  rules.nscc = makeNsccParameters(spec.nscc, rate, spec.base_rtt, mtu_bytes, spec.trimming);
  rules.swift = makeSwiftParameters(spec.swift, rate, spec.base_rtt, mtu_bytes);
  return rules;
}

CongestionWindow::Algorithm CongestionWindow::make(const CongestionWindowRules& rules,
                                                   Picoseconds now) {
  switch (rules.control) {
    case UetCongestionControl::kNscc:
    case UetCongestionControl::kNsccRccc:
      return Nscc(rules.nscc, now);
    case UetCongestionControl::kSwift:
      return Swift(rules.swift, now);
    case UetCongestionControl::kNone:
    case UetCongestionControl::kRccc:
      break;
  }
  return FixedWindow(rules.fixed);
}

}  // namespace plumbline::transport
