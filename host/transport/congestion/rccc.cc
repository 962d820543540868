#include "transport/congestion/rccc.h"

#include <algorithm>

namespace plumbline::transport {
namespace {

constexpr std::uint32_t kMask24 = 0xFFFFFF;

}  // namespace

void RcccSource::stopSpeculating() {
  if (!speculating_) return;
  speculating_ = false;
  unspent_ = std::min<std::int64_t>(unspent_, 0);
}

void RcccSource::onCredit(std::uint32_t credit) {
  stopSpeculating();
  const std::int32_t grown = distance24(credit_, credit);
  if (grown <= 0) return;
  credit_ = credit;
  // A request is rounded up to a unit: what that adds belongs to the source, or each grant would
  // lose some of it.
  unspent_ = std::min(unspent_ + std::int64_t{grown} * kCreditUnit, max_window_ + kCreditUnit - 1);
}

std::uint32_t RcccSource::target(std::int64_t backlog, std::int64_t mtu,
                                 std::optional<std::int64_t> limit, std::uint32_t sharers) const {
  // Only what it would like to hold is shared. What it has overdrawn is asked for in full, or the
  // answer might leave the account overdrawn, and no packet would leave to ask again. Speculative
  // credit is not shared either: each destination may have used a whole window of it.
  std::int64_t share = max_window_;
  if (!speculating_ && sharers > 1) share = std::max<std::int64_t>(share / sharers, 1);
  std::int64_t want = std::min(backlog, share);
  if (limit) want = std::min(want, *limit);
  want -= unspent_;
  if (speculating_ && backlog > 0) want = std::max(want, mtu);
  if (want <= 0) return credit_;
  const auto units = static_cast<std::uint32_t>((want + kCreditUnit - 1) / kCreditUnit);
  return (credit_ + units) & kMask24;
}

RcccPacer::RcccPacer(BitRate rate, Bytes grant, Fraction pace)
    : rate_(rate), pace_(pace), grant_(static_cast<std::int32_t>(grant.count() / kCreditUnit)) {}

void RcccPacer::request(std::uint32_t source, std::uint32_t target, bool renew) {
  if (source >= sources_.size()) sources_.resize(source + 1);
  Source& s = sources_[source];
  if (distance24(s.target, target) > 0) s.target = target;
  s.renew = s.renew || renew;
  if (!s.listed && (s.renew || distance24(s.granted, s.target) > 0)) {
    s.listed = true;
    active_.push(source);
  }
}

std::optional<RcccPacer::Grant> RcccPacer::next(Picoseconds now) {
  while (!active_.empty() && now >= next_at_) {
    const std::uint32_t index = active_.front();
    active_.pop();
    Source& s = sources_[index];
    s.listed = false;
    const std::int32_t units = std::min(grant_, distance24(s.granted, s.target));
    if (units <= 0 && !s.renew) continue;
    s.renew = false;
    if (units > 0) {
      s.granted = (s.granted + static_cast<std::uint32_t>(units)) & kMask24;
      next_at_ = now + spacing(std::int64_t{units} * kCreditUnit);
      if (s.granted != s.target) {
        s.listed = true;
        active_.push(index);
      }
    }
    return Grant{index, s.granted, units > 0 ? static_cast<std::uint32_t>(units) * kCreditUnit : 0};
  }
  return std::nullopt;
}

Picoseconds RcccPacer::spacing(std::int64_t bytes) const {
  const Int128 bits = static_cast<Int128>(bytes) * 8 * 1'000'000'000'000 * Fraction::kOne;
  const Int128 per_second = static_cast<Int128>(rate_.bitsPerSecond()) * pace_.partsPerTrillion();
  return Picoseconds(static_cast<std::int64_t>((bits + per_second - 1) / per_second));
}

}  // namespace plumbline::transport
