#include "card/card_dma.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "card/dma_registers.h"
#include "card/registers.h"

namespace plumbline::card {
namespace {

// At line rate in both directions of a port this lasts for some three milliseconds.
constexpr std::size_t kRingBytes = std::size_t{64} << 20U;
// For lists and their answers: some 87,000 accesses at a time.
constexpr std::size_t kListBytes = std::size_t{1} << 20U;
// Handing over a list takes some ten accesses and two copies.
constexpr std::size_t kLongList = 64;

// The card's lists reach what is behind its clock crossing: blocks core and mac of a kernel are
// before it.
bool isBeforeCard(const RegisterAccess& access) {
  constexpr std::uint32_t kMacEnd = regs::mac::kBase + regs::mac::kSize * regs::mac::kCount;
  const auto within = [&](std::uint32_t base, std::uint32_t end) {
    return access.offset >= base && access.offset < end;
  };
  return within(regs::core::kBase, regs::core::kBase + regs::core::kSize) ||
         within(regs::mac::kBase, kMacEnd);
}

}  // namespace

CardDma::CardDma(RegisterBus& bus, BufferSource memory) : bus_(bus), memory_(std::move(memory)) {}

bool CardDma::present() {
  if (!present_) present_ = DmaRegisters(bus_).present();
  return *present_;
}

std::vector<std::uint32_t> CardDma::accessAll(std::span<const RegisterAccess> accesses) {
  // The bus' own function would call this one.
  if (accesses.size() < kLongList || std::ranges::any_of(accesses, isBeforeCard) || !present()) {
    return bus_.RegisterBus::accessAll(accesses);
  }
  if (!loader_) loader_ = std::make_unique<RegisterLoader>(bus_, memory_(kListBytes));
  return loader_->run(accesses);
}

void CardDma::startCapture() {
  if (!present()) {
    throw Error(ErrorKind::kUnsupported,
                "captures cannot get to the host: the card has no path to its memory", "DMA_ID",
                "a packed card with a DMA");
  }
  if (!ring_) {
    const std::uint32_t ports =
        regs::global::kCapabilityPorts.get(bus_.read(regs::global::kCapability));
    ring_ = std::make_unique<CaptureRing>(bus_, memory_(kRingBytes), ports);
  }
  ring_->start();
  capturing_ = true;
}

// Also ends a capture of another process, which may have died during it.
void CardDma::stopCapture() {
  capturing_ = false;
  if (present()) DmaRegisters(bus_).write(regs::dma::kCaptureControl, 0);
}

void CardDma::release() {
  if (ring_) stopCapture();
  ring_.reset();
  loader_.reset();
}

std::vector<CapturedFrame> CardDma::readCaptured() {
  return capturing_ ? ring_->take() : std::vector<CapturedFrame>();
}

}  // namespace plumbline::card
