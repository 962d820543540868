// Protocol between the runtime's hardware emulation and the process that represents the device:
// requests and replies over a UNIX stream socket, each a small header and a protocol buffer of
// plain fields. Only the part for register accesses, buffers and the end of a session.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plumbline::card_xrt_test {

using Encoded = std::vector<std::uint8_t>;

// Requests by number, as the runtime's xcl_macros.h has them.
enum class Call : std::uint32_t {
  kClose = 1,
  kAllocBuffer = 4,
  kFreeBuffer = 5,
  kToDevice = 6,
  kFromDevice = 7,
  kWriteControl = 9,
  kReadControl = 11,
  kDebugMessage = 19,
  kWriteRegister = 51,
  kReadRegister = 52,
};

// Fields of a message by number: integers, or bytes. Of repeated fields the first is used.
struct Message {
  std::map<std::uint32_t, std::uint64_t> numbers;
  std::map<std::uint32_t, Encoded> bytes;

  [[nodiscard]] std::uint64_t number(std::uint32_t field) const;  // 0 when absent
};

// Nothing for invalid bytes. Never reads outside them.
std::optional<Message> decodeMessage(std::span<const std::uint8_t> bytes);

Encoded numberField(std::uint32_t field, std::uint64_t value);
Encoded bytesField(std::uint32_t field, std::span<const std::uint8_t> value);

// Length of a request's header, and its contents. A body has at most kMaxRequestBytes: the
// runtime's packets are 256 KiB (xrt.ini).
inline constexpr std::size_t kRequestHeaderBytes = 14;
inline constexpr std::uint64_t kMaxRequestBytes = 1 << 20;
struct RequestHeader {
  std::uint64_t length = 0;
  Call call = Call::kClose;
};
// Nothing for a longer body.
std::optional<RequestHeader> decodeRequestHeader(
    std::span<const std::uint8_t, kRequestHeaderBytes> bytes);
// The header of a reply, and the reply.
Encoded encodeReply(const Encoded& body);

}  // namespace plumbline::card_xrt_test
