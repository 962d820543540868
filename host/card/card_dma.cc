#include "card/card_dma.h"

#include <utility>

#include "base/error.h"
#include "card/dma_registers.h"

namespace plumbline::card {
namespace {

// At line rate in both directions of a port this lasts for some three milliseconds.
constexpr std::size_t kRingBytes = std::size_t{64} << 20U;
constexpr std::size_t kListBytes = std::size_t{1} << 20U;
// Handing over a list takes some ten accesses and a copy to the card.
constexpr std::size_t kLongList = 64;

}  // namespace

CardDma::CardDma(RegisterBus& bus, BufferSource memory) : bus_(bus), memory_(std::move(memory)) {}

bool CardDma::present() {
  if (!present_) present_ = DmaRegisters(bus_).present();
  return *present_;
}

void CardDma::writeAll(std::span<const RegisterWrite> writes) {
  if (writes.size() < kLongList || !present()) {
    for (const RegisterWrite& one : writes) bus_.write(one.offset, one.value);
    return;
  }
  if (!loader_) loader_ = std::make_unique<RegisterLoader>(bus_, memory_(kListBytes));
  loader_->load(writes);
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

// Not only what this process has begun: another may have ended in the middle of a capture.
void CardDma::stopCapture() {
  capturing_ = false;
  if (present()) DmaRegisters(bus_).write(regs::dma::kCaptureControl, 0);
}

void CardDma::release() {
  if (ring_) stopCapture();
  ring_.reset();
  loader_.reset();
}

std::vector<CapturedFrame> CardDma::takeCaptured() {
  return capturing_ ? ring_->take() : std::vector<CapturedFrame>();
}

}  // namespace plumbline::card
