// Interface between the application of a host and the transports that carry its messages.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "fabric/engine/packet.h"

namespace plumbline::transport {

using fabric::HostId;
using fabric::kNever;

enum class Verb : std::uint8_t {
  kWrite,  // RDMA Write: reported to the receiver's application as well, in place of polling
  kWriteImmediate,  // Write with immediate ("PUT with signal")
  kSend,            // into a posted receive buffer
  kRead,            // RDMA Read: `bytes` travel from `to` to the poster
};

// Limits of a message's bytes and of a host's number, which has 16 bits in a packet.
inline constexpr std::uint64_t kMaxMessage = (std::uint64_t{1} << 40) - 1;
inline constexpr HostId kMaxHost = 0xFFFF;

// One message. `to` differs from the poster.
struct Message {
  HostId to = 0;
  std::uint32_t flow = 0;  // QP or PDC of this pair of hosts, 0 to 255; each is in order
  Verb verb = Verb::kWrite;
  std::uint64_t bytes = 0;  // payload, 1 to 2^40 - 1
  std::uint32_t tag = 0;    // the application's; travels along
};

// A message has arrived completely at its receiver (kRead: at its poster).
struct Arrival {
  HostId from = 0;
  std::uint32_t flow = 0;
  Verb verb = Verb::kWrite;
  std::uint64_t bytes = 0;
  std::uint32_t tag = 0;
  // False for an unacknowledged service, whose poster gets no notice of the arrival: then `number`
  // is the message's number within its flow, ascending, the same as in its completion.
  bool acknowledged = true;
  std::uint32_t number = 0;
};

// A message is complete for its poster: acknowledged, or, for unacknowledged services, sent.
struct Completion {
  HostId to = 0;
  std::uint32_t flow = 0;
  Verb verb = Verb::kWrite;
  std::uint64_t bytes = 0;
  std::uint32_t tag = 0;
  Picoseconds posted;   // when post() was called
  bool failed = false;  // retries exhausted; not every byte arrived
  // True: the message is at its receiver. False (unacknowledged service): its last frame begins to
  // leave now, and only the receiver's Arrival, with the same number, confirms the arrival.
  bool acknowledged = true;
  std::uint32_t number = 0;
};

// Interface through which an application posts its messages.
class Poster {
 public:
  virtual ~Poster() = default;
  virtual void post(const Message& message, Picoseconds now) = 0;
};

// The application of one host. Its NIC calls it under the thread rules of fabric::Endpoint; every
// call may call Poster::post().
class Application {
 public:
  virtual ~Application() = default;

  // First call, once: the poster to use. Must not post yet; an application that begins at time zero
  // sets wakeAt() to zero.
  virtual void attach(Poster& poster) = 0;
  virtual void onArrival(const Arrival& arrival, Picoseconds now) = 0;
  virtual void onCompletion(const Completion& completion, Picoseconds now) = 0;
  // The time wakeAt() has come.
  virtual void wake(Picoseconds now) = 0;

  [[nodiscard]] Picoseconds wakeAt() const { return wake_at_; }

 protected:
  Application() = default;
  Application(const Application&) = default;
  Application& operator=(const Application&) = default;

  void setWakeAt(Picoseconds time) { wake_at_ = time; }

 private:
  Picoseconds wake_at_ = kNever;
};

}  // namespace plumbline::transport
