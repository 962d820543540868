// Interface of window-based congestion control: the bytes that a UET source may have in flight to
// one destination.
//
// An algorithm is a class in a file of its own (Nscc, Swift) with the members that WindowAlgorithm
// names. To add one: the class, a word and a block of factors in UetSpec, and in this file its
// parameters, its alternative and its case in make(). The rest of the transport does not depend on
// the algorithm. Receiver credit (rccc.h) is not one: it is a limit in addition to the window.
// Rate-based control of RoCEv2 has an interface of its own (RateAlgorithm, dcqcn.h).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <variant>

#include "base/units.h"
#include "transport/congestion/congestion_events.h"
#include "transport/congestion/nscc.h"
#include "transport/congestion/swift.h"
#include "transport/uet/uet_wire.h"

namespace plumbline::transport {

// window(): bytes, at least one full packet. onTrim(): `adjust` is false where the window must not
// change, as for a trim on the last hop while the destination gives credit.
template <typename T>
concept WindowAlgorithm = requires(T algorithm, const AckEvent& ack, const LossEvent& loss,
                                   bool adjust) {
  algorithm.onAck(ack);
  algorithm.onTrim(loss, adjust);
  algorithm.onLoss(loss);
  algorithm.onTimeout(loss);
  { algorithm.window() } -> std::convertible_to<double>;
};

// A constant window.
class FixedWindow {
 public:
  explicit FixedWindow(double bytes) : bytes_(bytes) {}

  void onAck(const AckEvent& /*ack*/) {}
  void onTrim(const LossEvent& /*trim*/, bool /*adjust*/) {}
  void onLoss(const LossEvent& /*loss*/) {}
  void onTimeout(const LossEvent& /*loss*/) {}
  [[nodiscard]] double window() const { return bytes_; }

 private:
  double bytes_;
};

static_assert(WindowAlgorithm<FixedWindow> && WindowAlgorithm<Nscc> && WindowAlgorithm<Swift>);

// Parameters that all contexts of a host share.
struct CongestionWindowRules {
  // No limit by a window: receiver credit alone limits. Fits into 64 bits.
  static constexpr double kUnlimited = 0x1p62;

  UetCongestionControl control = UetCongestionControl::kNone;
  double fixed = kUnlimited;  // bytes, if no algorithm adjusts it
  NsccParameters nscc;
  SwiftParameters swift;
};

// `mtu_bytes`: nominal size of a full packet.
inline CongestionWindowRules makeCongestionWindowRules(const UetSpec& spec, BitRate rate,
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

class CongestionWindow {
 public:
  // `rules` must outlive it.
  CongestionWindow(const CongestionWindowRules& rules, Picoseconds now)
      : algorithm_(make(rules, now)) {
    bytes_ = std::visit([](const auto& algorithm) { return algorithm.window(); }, algorithm_);
  }

  [[nodiscard]] double bytes() const { return bytes_; }

  void onAck(const AckEvent& ack) {
    forward([&](auto& algorithm) { algorithm.onAck(ack); });
  }
  void onTrim(const LossEvent& trim, bool adjust) {
    forward([&](auto& algorithm) { algorithm.onTrim(trim, adjust); });
  }
  void onLoss(const LossEvent& loss) {
    forward([&](auto& algorithm) { algorithm.onLoss(loss); });
  }
  void onTimeout(const LossEvent& loss) {
    forward([&](auto& algorithm) { algorithm.onTimeout(loss); });
  }

 private:
  using Algorithm = std::variant<FixedWindow, Nscc, Swift>;

  static Algorithm make(const CongestionWindowRules& rules, Picoseconds now) {
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

  // The window is cached beside the algorithm, so that sending does not call it.
  template <typename Event>
  void forward(const Event& event) {
    std::visit(
        [&](auto& algorithm) {
          event(algorithm);
          bytes_ = algorithm.window();
        },
        algorithm_);
  }

  double bytes_ = 0;
  Algorithm algorithm_;
};

}  // namespace plumbline::transport
