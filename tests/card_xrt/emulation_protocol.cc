#include "emulation_protocol.h"

#include <algorithm>

namespace plumbline::card_xrt_test {
namespace {

constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kFixed64 = 1;
constexpr std::uint32_t kDelimited = 2;
constexpr std::uint32_t kFixed32 = 5;
constexpr unsigned kMaxVarintShift = 63;

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool empty() const { return bytes_.empty(); }

  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift <= kMaxVarintShift; shift += 7) {
      if (bytes_.empty()) return std::nullopt;
      const std::uint8_t byte = bytes_.front();
      bytes_ = bytes_.subspan(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> fixed(std::size_t size) {
    const auto piece = take(size);
    if (!piece) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8U | (*piece)[i];
    return value;
  }

  std::optional<std::span<const std::uint8_t>> take(std::uint64_t size) {
    if (size > bytes_.size()) return std::nullopt;
    const auto piece = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return piece;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

void appendVarint(Encoded& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out.push_back(static_cast<std::uint8_t>(value | 0x80U));
  out.push_back(static_cast<std::uint8_t>(value));
}

void appendFixed(Encoded& out, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i, value >>= 8U) {
    out.push_back(static_cast<std::uint8_t>(value));
  }
}

}  // namespace

std::uint64_t Message::number(std::uint32_t field) const {
  const auto found = numbers.find(field);
  return found == numbers.end() ? 0 : found->second;
}

std::optional<Message> decodeMessage(std::span<const std::uint8_t> bytes) {
  Message message;
  Reader reader(bytes);
  while (!reader.empty()) {
    const auto key = reader.varint();
    if (!key || *key >> 3U == 0 || *key >> 3U > UINT32_MAX) return std::nullopt;
    const auto field = static_cast<std::uint32_t>(*key >> 3U);
    const auto type = static_cast<std::uint32_t>(*key & 7U);
    if (type == kDelimited) {
      const auto length = reader.varint();
      const auto piece = length ? reader.take(*length) : std::nullopt;
      if (!piece) return std::nullopt;
      message.bytes.try_emplace(field, piece->begin(), piece->end());
      continue;
    }
    std::optional<std::uint64_t> value;
    if (type == kVarint) value = reader.varint();
    if (type == kFixed64) value = reader.fixed(8);
    if (type == kFixed32) value = reader.fixed(4);
    if (!value) return std::nullopt;
    message.numbers.try_emplace(field, *value);
  }
  return message;
}

Encoded numberField(std::uint32_t field, std::uint64_t value) {
  Encoded out;
  appendVarint(out, field << 3U | kVarint);
  appendVarint(out, value);
  return out;
}

Encoded bytesField(std::uint32_t field, std::span<const std::uint8_t> value) {
  Encoded out;
  appendVarint(out, field << 3U | kDelimited);
  appendVarint(out, value.size());
  out.insert(out.end(), value.begin(), value.end());
  return out;
}

std::optional<RequestHeader> decodeRequestHeader(
    std::span<const std::uint8_t, kRequestHeaderBytes> bytes) {
  // Field 1 as eight bytes, field 2 as four, after their keys.
  Reader reader(bytes.subspan(1));
  RequestHeader header;
  header.length = reader.fixed(8).value();
  if (header.length > kMaxRequestBytes) return std::nullopt;
  reader.take(1);
  header.call = static_cast<Call>(reader.fixed(4).value());
  return header;
}

Encoded encodeReply(const Encoded& body) {
  Encoded out{1U << 3U | kFixed64};
  appendFixed(out, body.size(), 8);
  out.insert(out.end(), body.begin(), body.end());
  return out;
}

}  // namespace plumbline::card_xrt_test
