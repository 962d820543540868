// Ultra Ethernet semantic sublayer (SES) headers (FACTS A.4). Extensions after the standard header
// (rendezvous, atomics) count as payload.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "wire/bytes.h"
#include "wire/uet_pds.h"

namespace plumbline::wire {

namespace ses_opcode {
inline constexpr std::uint8_t kNoOp = 0;
inline constexpr std::uint8_t kWrite = 1;
inline constexpr std::uint8_t kRead = 2;
inline constexpr std::uint8_t kSend = 5;
}  // namespace ses_opcode

namespace ses_return {
inline constexpr std::uint8_t kNull = 0;
inline constexpr std::uint8_t kOk = 1;
}  // namespace ses_return

// First two bytes of every request.
struct SesRequestFlags {
  std::uint8_t opcode = 0;   // 6 bits
  std::uint8_t version = 0;  // 2 bits
  bool delivery_complete = false;
  bool initiator_error = false;
  bool relative = false;
  bool header_data = false;
  bool end_of_message = true;
  bool start_of_message = true;

  bool operator==(const SesRequestFlags&) const = default;
};

// Addressee: eight bytes of every request.
struct SesAddress {
  std::uint8_t ri_generation = 0;
  std::uint32_t job_id = 0;          // 24 bits
  std::uint16_t pid_on_fep = 0;      // 12 bits
  std::uint16_t resource_index = 0;  // 12 bits

  bool operator==(const SesAddress&) const = default;
};

struct SesStandard {
  static constexpr std::size_t kSize = 44;

  SesRequestFlags flags{};
  std::uint16_t message_id = 0;
  SesAddress address{};
  std::uint64_t buffer_offset = 0;
  std::uint32_t initiator = 0;
  std::uint64_t key = 0;             // memory key or match bits
  std::uint64_t header_data = 0;     // first packet of a message
  std::uint16_t payload_length = 0;  // other packets; 14 bits
  std::uint32_t message_offset = 0;  // other packets
  std::uint32_t request_length = 0;

  bool operator==(const SesStandard&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static SesStandard decode(FixedView<kSize> in);
};

struct SesMedium {
  static constexpr std::size_t kSize = 32;

  SesRequestFlags flags{};
  std::uint16_t request_length = 0;  // 14 bits
  SesAddress address{};
  std::uint64_t offset_or_data = 0;  // buffer offset, or header data when flags.header_data
  std::uint32_t initiator = 0;
  std::uint64_t key = 0;

  bool operator==(const SesMedium&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static SesMedium decode(FixedView<kSize> in);
};

struct SesSmall {
  static constexpr std::size_t kSize = 20;

  SesRequestFlags flags{};
  std::uint16_t request_length = 0;  // 14 bits
  SesAddress address{};
  std::uint64_t buffer_offset = 0;

  bool operator==(const SesSmall&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static SesSmall decode(FixedView<kSize> in);
};

// First two bytes of every response.
struct SesResponseCode {
  std::uint8_t list = 0;                       // 2 bits
  std::uint8_t opcode = 1;                     // 6 bits: 0 default, 1 response, 2 with data, 3 none
  std::uint8_t version = 0;                    // 2 bits
  std::uint8_t return_code = ses_return::kOk;  // 6 bits

  bool operator==(const SesResponseCode&) const = default;
};

struct SesResponse {
  static constexpr std::size_t kSize = 12;

  SesResponseCode code{};
  std::uint16_t message_id = 0;
  std::uint8_t ri_generation = 0;
  std::uint32_t job_id = 0;  // 24 bits
  std::uint32_t modified_length = 0;

  bool operator==(const SesResponse&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static SesResponse decode(FixedView<kSize> in);
};

struct SesResponseData {
  static constexpr std::size_t kSize = 20;

  SesResponseCode code{};
  std::uint16_t message_id = 0;
  std::uint32_t job_id = 0;  // 24 bits
  std::uint16_t read_request_message_id = 0;
  std::uint16_t payload_length = 0;  // 14 bits
  std::uint32_t modified_length = 0;
  std::uint32_t message_offset = 0;

  bool operator==(const SesResponseData&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static SesResponseData decode(FixedView<kSize> in);
};

struct SesResponseDataSmall {
  static constexpr std::size_t kSize = 12;

  SesResponseCode code{};
  std::uint16_t payload_length = 0;  // 14 bits
  std::uint32_t job_id = 0;          // 24 bits
  std::uint32_t original_request_psn = 0;

  bool operator==(const SesResponseDataSmall&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static SesResponseDataSmall decode(FixedView<kSize> in);
};

// monostate: no SES header.
using Ses = std::variant<std::monostate, SesSmall, SesMedium, SesStandard, SesResponse,
                         SesResponseData, SesResponseDataSmall>;

enum class SesError { kNone, kTruncated, kReservedNext };

struct SesDecoded {
  SesError error = SesError::kNone;
  std::size_t size = 0;  // bytes of the header
  Ses header{};
};

// Decodes the SES header that `next` announces at the start of `bytes`. Reserved bits are ignored.
SesDecoded decodeSes(ByteView bytes, PdsNext next);

// Appends `header` with reserved bits zero.
void encodeSes(Buffer& out, const Ses& header);

// The next header field of a PDS header before `header`.
PdsNext sesNext(const Ses& header);

std::string_view sesOpcodeName(std::uint8_t opcode);  // "WRITE"; "reserved"
std::string_view sesReturnName(std::uint8_t code);    // "OK"; "reserved"

}  // namespace plumbline::wire
