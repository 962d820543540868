// Memory that card and host share: the card reads and writes it by itself, at its own address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace plumbline::card {

// Not thread-safe. Errors of the way to the card throw Error(kTester).
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;

  // Of its first byte, as the card addresses it; a multiple of 4096.
  [[nodiscard]] virtual std::uint64_t address() const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;  // [bytes]

  // What the card sees, from byte `offset` on; all of it within the buffer.
  virtual void write(std::size_t offset, std::span<const std::uint8_t> bytes) = 0;
  virtual void read(std::size_t offset, std::span<std::uint8_t> bytes) = 0;
};

// Gives a buffer of so many bytes, a multiple of 4096. Throws Error(kTester) when there is no
// memory for it.
using BufferSource = std::function<std::unique_ptr<DeviceBuffer>(std::size_t bytes)>;

}  // namespace plumbline::card
