#include "sim/axi_memory.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"

namespace plumbline::sim {
namespace {

constexpr std::uint8_t kSizeOf64Bytes = 6;
constexpr std::uint8_t kIncrementing = 1;
constexpr std::uint64_t kAllBytes = ~std::uint64_t{0};

std::string hexText(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

[[noreturn]] void breach(const std::string& what, std::uint64_t address,
                         const std::string& remedy) {
  throw Error(ErrorKind::kTester, "the AXI master " + what, "address " + hexText(address), remedy);
}

// Throws unless the address channel's request is allowed.
void checkBurst(std::uint64_t address, std::size_t beats, std::uint8_t size, std::uint8_t type) {
  if (size != kSizeOf64Bytes || type != kIncrementing) {
    breach("asks for another kind of burst", address, "beats of 64 bytes, type INCR");
  }
  if (address % kAxiBeatBytes != 0) breach("asks for half a beat", address, "a multiple of 64");
  if (beats > kAxiMaxBeats) breach("asks for too long a burst", address, "at most 64 beats");
  if (address % kAxiPageBytes + beats * kAxiBeatBytes > kAxiPageBytes) {
    breach("asks for a burst across 4 KiB", address, "one up to the border and one behind it");
  }
}

bool drawn(RandomStream& random, std::uint32_t sixteenths) {
  return sixteenths >= 16 || random.below(16) < sixteenths;
}

std::uint64_t drawnLatency(RandomStream& random, const AxiTiming& timing) {
  if (timing.max_latency <= timing.min_latency) return timing.min_latency;
  return timing.min_latency + random.below(timing.max_latency - timing.min_latency + 1);
}

}  // namespace

const DeviceMemory::Range* DeviceMemory::containing(const std::vector<Range>& ranges,
                                                    std::uint64_t address) {
  const auto found = std::find_if(ranges.begin(), ranges.end(), [&](const Range& range) {
    return address >= range.address && address - range.address < range.size;
  });
  return found == ranges.end() ? nullptr : &*found;
}

void DeviceMemory::map(std::uint64_t address, std::span<std::uint8_t> bytes) {
  if (address % kAxiBeatBytes != 0 || bytes.size() % kAxiBeatBytes != 0) {
    throw Error(ErrorKind::kTester, "a buffer of the card's memory has an end within a beat",
                "address " + hexText(address), "multiples of 64");
  }
  for (const Range& range : buffers_) {
    if (address < range.address + range.size && range.address < address + bytes.size()) {
      throw Error(ErrorKind::kTester, "two buffers of the card's memory overlap",
                  "address " + hexText(address), "buffers beside each other");
    }
  }
  buffers_.push_back({address, bytes.size(), bytes.data()});
}

void DeviceMemory::fail(std::uint64_t address, std::uint64_t size) {
  failing_.push_back({address, size, nullptr});
}

DeviceMemory::Place DeviceMemory::find(std::uint64_t address) const {
  const Range* range = containing(buffers_, address);
  if (range == nullptr) return {AxiResponse::kDecodeError, nullptr};
  if (containing(failing_, address) != nullptr) return {AxiResponse::kSlaveError, nullptr};
  return {AxiResponse::kOkay, range->bytes + (address - range->address)};
}

AxiWriteSlave::AxiWriteSlave(const AxiWritePins& pins, const DeviceMemory& memory,
                             const AxiTiming& timing)
    : pins_(pins), memory_(memory), timing_(timing), random_(timing.seed, "axi write") {}

void AxiWriteSlave::sample() {
  takeAddress();
  takeData();
  match();
  if (*pins_.bvalid != 0 && *pins_.bready != 0) {
    bursts_.pop_front();
    --matched_;
    ++answered_;
    answering_ = false;
  }
}

void AxiWriteSlave::takeAddress() {
  if (*pins_.awvalid == 0) {
    if (held_address_) breach("withdrew an address", held_address_->address, "hold it until ready");
    return;
  }
  const Burst burst{*pins_.awaddr, std::size_t{*pins_.awlen} + 1, std::nullopt};
  if (held_address_ &&
      (held_address_->address != burst.address || held_address_->beats != burst.beats)) {
    breach("changed an address", burst.address, "hold it until ready");
  }
  held_address_ = burst;
  if (*pins_.awready == 0) return;
  held_address_.reset();
  checkBurst(burst.address, burst.beats, pins_.awsize != nullptr ? *pins_.awsize : kSizeOf64Bytes,
             pins_.awburst != nullptr ? *pins_.awburst : kIncrementing);
  bursts_.push_back(burst);
}

void AxiWriteSlave::takeData() {
  const std::uint64_t near = bursts_.empty() ? 0 : bursts_.back().address;
  if (*pins_.wvalid == 0) {
    if (held_beat_) breach("withdrew a beat", near, "hold it until ready");
    return;
  }
  Beat beat{{}, *pins_.wlast != 0};
  std::copy_n(pins_.wdata, kBeatWords, beat.words.begin());
  if (held_beat_ && (held_beat_->words != beat.words || held_beat_->last != beat.last)) {
    breach("changed a beat", near, "hold it until ready");
  }
  if (*pins_.wready == 0) {
    held_beat_ = beat;
    return;
  }
  held_beat_.reset();
  if (pins_.wstrb != nullptr && *pins_.wstrb != kAllBytes) {
    breach("leaves out bytes of a beat", near, "all of them");
  }
  if (++arriving_ > kAxiMaxBeats) breach("never ends a burst", near, "wlast with its last beat");
  if (beat.last) ends_.push_back(std::exchange(arriving_, 0));
  beats_.push_back(beat);
}

void AxiWriteSlave::match() {
  for (; matched_ < bursts_.size() && !ends_.empty(); ends_.pop_front()) {
    Burst& burst = bursts_[matched_++];
    if (burst.beats != ends_.front()) {
      breach("ends a burst of " + std::to_string(burst.beats) + " beats with number " +
                 std::to_string(ends_.front()),
             burst.address, "wlast with its last beat");
    }
    last_due_ = std::max(last_due_ + 1, clock_ + drawnLatency(random_, timing_));
    burst.due = last_due_;
  }
}

AxiResponse AxiWriteSlave::store(const Burst& burst) {
  AxiResponse response = AxiResponse::kOkay;
  for (std::size_t i = 0; i < burst.beats; ++i) {
    const DeviceMemory::Place place = memory_.find(burst.address + i * kAxiBeatBytes);
    response = std::max(response, place.response);
    if (place.bytes != nullptr) {
      std::memcpy(place.bytes, beats_.front().words.data(), kAxiBeatBytes);
    }
    beats_.pop_front();
  }
  return response;
}

void AxiWriteSlave::drive() {
  ++clock_;
  *pins_.awready = drawn(random_, timing_.address_sixteenths) ? 1 : 0;
  *pins_.wready = drawn(random_, timing_.data_sixteenths) ? 1 : 0;
  if (!answering_ && !hold_answers_ && matched_ != 0 && *bursts_.front().due <= clock_) {
    *pins_.bresp = static_cast<std::uint8_t>(store(bursts_.front()));
    answering_ = true;
  }
  *pins_.bvalid = answering_ ? 1 : 0;
}

AxiReadSlave::AxiReadSlave(const AxiReadPins& pins, const DeviceMemory& memory,
                           const AxiTiming& timing)
    : pins_(pins), memory_(memory), timing_(timing), random_(timing.seed, "axi read") {}

void AxiReadSlave::sample() {
  if (*pins_.rvalid != 0 && *pins_.rready != 0) {
    ++given_;
    giving_ = false;
    if (++next_beat_ == bursts_.front().beats) {
      next_beat_ = 0;
      bursts_.pop_front();
    }
  }
  if (*pins_.arvalid == 0) {
    if (held_address_) breach("withdrew an address", held_address_->address, "hold it until ready");
    return;
  }
  const Burst burst{*pins_.araddr, std::size_t{*pins_.arlen} + 1,
                    clock_ + drawnLatency(random_, timing_)};
  if (held_address_ &&
      (held_address_->address != burst.address || held_address_->beats != burst.beats)) {
    breach("changed an address", burst.address, "hold it until ready");
  }
  held_address_ = burst;
  if (*pins_.arready == 0) return;
  held_address_.reset();
  checkBurst(burst.address, burst.beats, pins_.arsize != nullptr ? *pins_.arsize : kSizeOf64Bytes,
             pins_.arburst != nullptr ? *pins_.arburst : kIncrementing);
  bursts_.push_back(burst);
}

void AxiReadSlave::drive() {
  ++clock_;
  *pins_.arready = drawn(random_, timing_.address_sixteenths) ? 1 : 0;
  if (!giving_ && !bursts_.empty() && bursts_.front().due <= clock_ &&
      drawn(random_, timing_.data_sixteenths)) {
    give();
    giving_ = true;
  }
  *pins_.rvalid = giving_ ? 1 : 0;
}

void AxiReadSlave::give() {
  const Burst& burst = bursts_.front();
  const DeviceMemory::Place place = memory_.find(burst.address + next_beat_ * kAxiBeatBytes);
  if (place.bytes != nullptr) {
    std::memcpy(pins_.rdata, place.bytes, kAxiBeatBytes);
  } else {
    std::memset(pins_.rdata, 0, kAxiBeatBytes);
  }
  *pins_.rresp = static_cast<std::uint8_t>(place.response);
  if (pins_.rlast != nullptr) *pins_.rlast = next_beat_ + 1 == burst.beats ? 1 : 0;
}

}  // namespace plumbline::sim
