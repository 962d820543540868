// Memory that card and host share: the card reads and writes it directly, at its own address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace plumbline::card {

// Not thread-safe. Errors of the connection to the card throw Error(kTester).
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;

  // Address of its first byte for the card; a multiple of 4096.
  [[nodiscard]] virtual std::uint64_t address() const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;  // [bytes]

  // Access to the card's view, from byte `offset` on; all of it within the buffer.
  virtual void write(std::size_t offset, std::span<const std::uint8_t> bytes) = 0;
  virtual void read(std::size_t offset, std::span<std::uint8_t> bytes) = 0;
};

// Allocates a buffer of `bytes`, a multiple of 4096. Throws Error(kTester) without memory for it.
using BufferSource = std::function<std::unique_ptr<DeviceBuffer>(std::size_t bytes)>;

}  // namespace plumbline::card
