// Messages of the Precision Time Protocol (IEEE 1588-2019, version 2) over Ethernet: Annex E for
// the frame, clause 13 for the messages. Only those of the end-to-end delay mechanism.
#pragma once

#include <stdint.h>

namespace plumbline::firmware::ptp {

inline constexpr uint32_t kEthernetBytes = 14;
inline constexpr uint32_t kMaxFrameBytes = kEthernetBytes + 64;  // Announce
inline constexpr uint32_t kMinFrameBytes = 60;                   // of Ethernet, without FCS
inline constexpr uint64_t kPsPerSecond = 1'000'000'000'000;

enum MessageType : uint8_t {
  kSync = 0,
  kDelayReq = 1,
  kFollowUp = 8,
  kDelayResp = 9,
  kAnnounce = 11,
};

struct PortIdentity {
  uint8_t clock[8];
  uint16_t port;
};

inline bool operator==(const PortIdentity& a, const PortIdentity& b) {
  for (int i = 0; i < 8; ++i) {
    if (a.clock[i] != b.clock[i]) return false;
  }
  return a.port == b.port;
}

// What messages carry, of all types together.
struct Message {
  MessageType type;
  uint8_t domain;
  bool two_step;       // Sync
  int64_t correction;  // 2^-16 ns
  PortIdentity source;
  uint16_t sequence;
  int8_t log_interval;
  uint64_t time_ps;        // its timestamp, modulo 2^64 ps (213 days)
  PortIdentity requester;  // Delay_Resp
};

// A correction in ps, rounded down.
inline int64_t correctionPs(int64_t correction) { return correction * 1000 >> 16; }

// Corrections beyond 2^52 (half a minute) are none that a link has, and would not fit into ps.
inline constexpr int64_t kMaxCorrection = int64_t{1} << 52;

// Bytes of the messages, without the Ethernet header; 0 for a type that is not handled here.
inline uint32_t messageBytes(uint8_t type) {
  switch (type) {
    case kSync:
    case kDelayReq:
    case kFollowUp:
      return 44;
    case kDelayResp:
      return 54;
    case kAnnounce:
      return 64;
    default:
      return 0;
  }
}

// Big-endian fields of a frame.
class Writer {
 public:
  explicit Writer(uint8_t* bytes) : at_(bytes) {}
  void put(uint64_t value, uint32_t bytes) {
    for (uint32_t i = bytes; i-- > 0;) *at_++ = static_cast<uint8_t>(value >> 8 * i);
  }
  void put(const PortIdentity& identity) {
    for (const uint8_t byte : identity.clock) put(byte, 1);
    put(identity.port, 2);
  }
  // 48 bits of seconds, 32 bits of ns.
  void putTime(uint64_t time_ps) {
    put(time_ps / kPsPerSecond, 6);
    put(time_ps % kPsPerSecond / 1000, 4);
  }

 private:
  uint8_t* at_;
};

class Reader {
 public:
  explicit Reader(const uint8_t* bytes) : at_(bytes) {}
  uint64_t take(uint32_t bytes) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; ++i) value = value << 8 | *at_++;
    return value;
  }
  PortIdentity takeIdentity() {
    PortIdentity identity;
    for (uint8_t& byte : identity.clock) byte = static_cast<uint8_t>(take(1));
    identity.port = static_cast<uint16_t>(take(2));
    return identity;
  }

 private:
  const uint8_t* at_;
};

// The clock identity of a MAC address: its halves around FF FE (EUI-64, 7.5.2.2.2).
inline PortIdentity identityOf(const uint8_t (&mac)[6], uint16_t port) {
  return {{mac[0], mac[1], mac[2], 0xFF, 0xFE, mac[3], mac[4], mac[5]}, port};
}

// Writes the frame of `message` and returns its length, at least kMinFrameBytes. Parts of a ns of
// its timestamp are not in it: they belong in a correction.
inline uint32_t encode(const Message& message, const uint8_t (&mac)[6],
                       uint8_t (&frame)[kMaxFrameBytes]) {
  for (uint8_t& byte : frame) byte = 0;
  Writer writer(frame);
  writer.put(0x011B19000000, 6);
  for (const uint8_t byte : mac) writer.put(byte, 1);
  writer.put(0x88F7, 2);
  const uint32_t bytes = messageBytes(message.type);
  writer.put(message.type, 1);
  writer.put(0x12, 1);  // version 2.1
  writer.put(bytes, 2);
  writer.put(message.domain, 1);
  writer.put(0, 1);
  writer.put(message.two_step ? 0x0200 : 0, 2);
  writer.put(static_cast<uint64_t>(message.correction), 8);
  writer.put(0, 4);
  writer.put(message.source);
  writer.put(message.sequence, 2);
  // controlField, 13.3.2.13: of old hardware.
  const uint8_t control[] = {0, 1, 5, 5, 5, 5, 5, 5, 2, 3, 5, 5};
  writer.put(control[message.type], 1);
  writer.put(static_cast<uint8_t>(message.log_interval), 1);
  writer.putTime(message.time_ps);
  if (message.type == kDelayResp) writer.put(message.requester);
  if (message.type == kAnnounce) {
    writer.put(0, 2 + 1);   // UTC offset, reserved
    writer.put(128, 1);     // priority 1
    writer.put(248, 1);     // clock class: the default
    writer.put(0xFE, 1);    // accuracy: unknown
    writer.put(0xFFFF, 2);  // variance: unknown
    writer.put(128, 1);     // priority 2
    for (const uint8_t byte : message.source.clock) writer.put(byte, 1);
    writer.put(0, 2);     // steps removed
    writer.put(0xA0, 1);  // time source: internal oscillator
  }
  const uint32_t length = kEthernetBytes + bytes;
  return length < kMinFrameBytes ? kMinFrameBytes : length;
}

// Takes a frame of `length` bytes, of which kMaxFrameBytes are there at most. False for what is
// none of the messages above, cut short, or out of range.
inline bool decode(const uint8_t (&frame)[kMaxFrameBytes], uint32_t length, Message& message) {
  if (length < kEthernetBytes + 34) return false;
  Reader reader(frame + 12);
  if (reader.take(2) != 0x88F7) return false;
  const uint64_t type = reader.take(1);  // the upper half, majorSdoId, is 0 of this protocol
  const uint64_t version = reader.take(1) & 0xF;
  const uint64_t message_length = reader.take(2);
  const uint32_t bytes = type < 16 ? messageBytes(static_cast<uint8_t>(type)) : 0;
  if (bytes == 0 || version != 2 || message_length < bytes ||
      message_length + kEthernetBytes > length) {
    return false;
  }
  message.type = static_cast<MessageType>(type);
  message.domain = static_cast<uint8_t>(reader.take(1));
  reader.take(1);
  message.two_step = (reader.take(2) & 0x0200) != 0;
  message.correction = static_cast<int64_t>(reader.take(8));
  reader.take(4);
  message.source = reader.takeIdentity();
  message.sequence = static_cast<uint16_t>(reader.take(2));
  reader.take(1);
  message.log_interval = static_cast<int8_t>(reader.take(1));
  const uint64_t seconds = reader.take(6);
  const uint64_t ns = reader.take(4);
  message.time_ps = seconds * kPsPerSecond + ns * 1000;
  if (message.type == kDelayResp) message.requester = reader.takeIdentity();
  return ns < 1'000'000'000 && message.correction < kMaxCorrection &&
         message.correction > -kMaxCorrection;
}

}  // namespace plumbline::firmware::ptp
