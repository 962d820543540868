#include "bench_ofi/ofi_channel.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/work.h"
#include "bench_ofi/ofi_fault.h"
#include "endpoint/clock.h"

namespace plumbline::bench_ofi {
namespace {

constexpr std::size_t kSlots = 64;
constexpr std::int64_t kConnectTime_ns = 10'000'000'000;

}  // namespace

OfiChannel::OfiChannel(fi_info& info, const endpoint::ChannelSpec& spec)
    : spec_(spec),
      initiator_(std::make_unique<OfiInitiator>(info, spec)),
      target_(std::make_unique<OfiTarget>(info, spec)),
      remote_(target_->remote()) {
  initiator_->host().meet(target_->host().names());
  target_->host().meet(initiator_->host().names());
  target_->begin();
  warmUp();
}

// The first message of an endpoint establishes its connection: this is done for all at the same
// time. Many of them take their time; waiting long for a single one is a fault.
void OfiChannel::warmUp() {
  std::int64_t end_ns = endpoint::monotonicNow() + kConnectTime_ns;
  std::uint32_t posted = 0;
  std::size_t completed = 0;
  std::size_t told = 0;
  std::array<std::uint32_t, kSlots> slots{};
  const std::size_t tells = endpoint::targetIsNotified(spec_.operation) ? spec_.queue_pairs : 0;
  while (completed < spec_.queue_pairs || told < tells || !intact()) {
    checkWork();
    while (posted < spec_.queue_pairs && post(posted, posted * spec_.window)) ++posted;
    const std::size_t answered = poll(slots);
    completed += answered;
    if (answered > 0) end_ns = endpoint::monotonicNow() + kConnectTime_ns;
    told += serve();
    if (endpoint::monotonicNow() > end_ns) {
      throw endpoint::fault(endpoint::FaultKind::kPeerGone,
                            fmt::format("{} of {} queue pairs do not answer for 10 s",
                                        spec_.queue_pairs - completed, spec_.queue_pairs),
                            target_->host().name());
    }
  }
  std::memset(receivingMemory().data(), 0, receivingMemory().size());
}

std::span<std::uint8_t> OfiChannel::receivingMemory() const {
  return spec_.operation == bench::Operation::kRead ? initiator_->memory() : target_->memory();
}

bool OfiChannel::intact() const {
  return endpoint::holdsPattern(receivingMemory().data(), receivingMemory().size());
}

}  // namespace plumbline::bench_ofi
