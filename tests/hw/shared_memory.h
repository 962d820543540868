// Memory that a simulated card and its driver share: buffers at successive addresses of the bus.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "card/device_buffer.h"
#include "sim/axi_memory.h"

namespace plumbline::hw_test {

class SharedMemory {
 public:
  // What the card's bus reaches.
  [[nodiscard]] const sim::DeviceMemory& memory() const { return memory_; }

  // A buffer of `bytes`, behind the earlier ones; a card::BufferSource. The card may use it only as
  // long as the buffer exists.
  std::unique_ptr<card::DeviceBuffer> buffer(std::size_t bytes) {
    auto made = std::make_unique<Buffer>(next_, bytes);
    memory_.map(next_, made->all());
    next_ += bytes;
    return made;
  }

  // From now on the memory answers with errors in all buffers given so far.
  void fail() { memory_.fail(kBase, next_ - kBase); }

 private:
  static constexpr std::uint64_t kBase = 0x10'0000'0000;

  class Buffer final : public card::DeviceBuffer {
   public:
    Buffer(std::uint64_t address, std::size_t bytes)
        : address_(address),
          bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(bytes)),
          size_(bytes) {}
    [[nodiscard]] std::uint64_t address() const override { return address_; }
    [[nodiscard]] std::size_t size() const override { return size_; }
    void write(std::size_t offset, std::span<const std::uint8_t> bytes) override {
      std::copy(bytes.begin(), bytes.end(), all().subspan(offset, bytes.size()).begin());
    }
    void read(std::size_t offset, std::span<std::uint8_t> bytes) override {
      const auto part = all().subspan(offset, bytes.size());
      std::copy(part.begin(), part.end(), bytes.begin());
    }
    [[nodiscard]] std::span<std::uint8_t> all() { return {bytes_.get(), size_}; }

   private:
    std::uint64_t address_;
    std::unique_ptr<std::uint8_t[]> bytes_;
    std::size_t size_;
  };

  sim::DeviceMemory memory_;
  std::uint64_t next_ = kBase;
};

}  // namespace plumbline::hw_test
