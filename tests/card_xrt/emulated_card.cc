// The device behind the runtime's hardware emulation: the Verilated card with its memory and a
// cable between its two ports. It runs freely, as a card would, and answers the runtime's requests.
// Started by the runtime; arguments: the cable's delay in picoseconds, and faults of the card:
//   gone=N      it disappears from its slot when it is to start for the Nth time
//   version=V   the version of its register map
//   fails=N     its memory answers every access with an error, from byte N on
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include "card/registers.h"
#include "card_xrt/kernel_layout.h"
#include "emulation_protocol.h"
#include "sim/axi_memory.h"
#include "sim/bare_link.h"
#include "sim/card_sim.h"
#include "sim/host_card.h"
#include "xclbin_writer.h"

namespace plumbline::card_xrt_test {
namespace {

// The card runs this long between two checks for a request, and waits this long for the next one of
// a series before it continues: requests arrive some ten microseconds apart.
constexpr Picoseconds kStretch = nanoseconds(50);
constexpr std::chrono::microseconds kRow{40};

// The runtime listens; it may need a moment.
int connectTo(const std::string& path) {
  const int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (end < 0 || path.size() >= sizeof address.sun_path) throw std::runtime_error("socket " + path);
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  for (int tries = 0; tries < 500; ++tries) {
    if (connect(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return end;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw std::runtime_error("no one listens at " + path);
}

// False when the other side has gone.
bool receiveAll(int end, std::uint8_t* to, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = recv(end, to, bytes, 0);
    if (got <= 0) return false;
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool sendAll(int end, const Encoded& bytes) {
  return send(end, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

struct Defects {
  std::uint64_t gone = 0;  // at which start; 0 = never
  std::optional<std::uint32_t> version;
  std::optional<std::uint64_t> failing_from;  // byte of its memory
};

class EmulatedCard {
 public:
  EmulatedCard(int requests, Picoseconds delay, const Defects& defects)
      : requests_(requests), defects_(defects), link_(card_, 0, 1, delay) {
    memory_.map(kBankBase, {bank_.get(), kBankBytes});
    if (const auto from = defects.failing_from) {
      memory_.fail(kBankBase + *from, kBankBytes - *from);
    }
  }

  // Runs until the runtime closes the connection or ends.
  void run() {
    bool in_row = false;
    for (;;) {
      const auto row_end = std::chrono::steady_clock::now() + kRow;
      bool asked = waiting();
      while (!asked && in_row && std::chrono::steady_clock::now() < row_end) asked = waiting();
      if (!asked) card_.runUntil(card_.now() + kStretch);
      if (asked && !answer()) return;
      in_row = asked;
    }
  }

 private:
  [[nodiscard]] bool waiting() const {
    pollfd request{requests_, POLLIN, 0};
    return poll(&request, 1, 0) > 0;
  }

  // False at the end.
  bool answer() {
    std::array<std::uint8_t, kRequestHeaderBytes> head{};
    if (!receiveAll(requests_, head.data(), head.size())) return false;
    const std::optional<RequestHeader> header = decodeRequestHeader(head);
    if (!header) throw std::runtime_error("a request of more than 1 MiB");
    Encoded body(header->length);
    if (!receiveAll(requests_, body.data(), body.size())) return false;
    const std::optional<Message> message = decodeMessage(body);
    if (!message) throw std::runtime_error("a request that cannot be read");
    return sendAll(requests_, encodeReply(replyTo(header->call, *message))) &&
           header->call != Call::kClose;
  }

  Encoded replyTo(Call call, const Message& message) {
    Encoded reply = numberField(1, 1);
    const auto add = [&reply](const Encoded& more) {
      reply.insert(reply.end(), more.begin(), more.end());
    };
    switch (call) {
      case Call::kAllocBuffer:
        add(bytesField(2, {}));
        break;
      case Call::kToDevice: {
        const Encoded& data = message.bytes.at(4);
        std::copy(data.begin(), data.end(),
                  inBank(message.number(3) + message.number(6), data.size()));
        reply = numberField(1, data.size());
        break;
      }
      case Call::kFromDevice: {
        const std::uint64_t bytes = message.number(5);
        reply = numberField(1, bytes);
        add(bytesField(2, {inBank(message.number(4) + message.number(6), bytes), bytes}));
        break;
      }
      case Call::kWriteControl:
        writeWords(message.number(2), message.bytes.at(4));
        break;
      case Call::kWriteRegister:
        writeWords(message.number(1) + message.number(2), message.bytes.at(3));
        break;
      case Call::kReadControl:
        add(bytesField(2, readWords(message.number(2), message.number(3))));
        break;
      case Call::kReadRegister:
        add(bytesField(2, readWords(message.number(1) + message.number(2), sizeof(std::uint32_t))));
        break;
      case Call::kDebugMessage:
        return {};
      default:
        break;
    }
    return reply;
  }

  // Bytes of the device's memory.
  [[nodiscard]] std::uint8_t* inBank(std::uint64_t address, std::uint64_t bytes) const {
    if (address < kBankBase || bytes > kBankBytes || address - kBankBase > kBankBytes - bytes) {
      throw std::runtime_error("a copy outside of the memory, at " + std::to_string(address));
    }
    return &bank_[address - kBankBase];
  }

  // Offset in the kernel, wherever the runtime counts from.
  static std::uint64_t inKernel(std::uint64_t address) {
    return address >= kKernelBase ? address - kKernelBase : address;
  }

  void writeWords(std::uint64_t address, const Encoded& data) {
    for (std::size_t at = 0; at + 4 <= data.size(); at += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, &data[at], sizeof word);
      const std::uint64_t offset = inKernel(address + at);
      if (offset >= card::kRuntimeBytes) write(static_cast<std::uint32_t>(offset), word);
    }
  }

  void write(std::uint32_t offset, std::uint32_t value) {
    using namespace card::regs::global;
    if (offset == kControl && kControlArm.get(value) != 0) {
      gone_ = gone_ || ++starts_ == defects_.gone;
    }
    if (!gone_) card_.write(offset, value);
  }

  std::uint32_t read(std::uint32_t offset) {
    if (gone_) return ~0U;
    if (offset == card::regs::global::kVersion && defects_.version) return *defects_.version;
    return card_.read(offset);
  }

  Encoded readWords(std::uint64_t address, std::uint64_t bytes) {
    if (bytes > card::kKernelRange) {
      throw std::runtime_error("a read of more registers than there are, " + std::to_string(bytes));
    }
    Encoded data(bytes);
    for (std::size_t at = 0; at + 4 <= data.size(); at += 4) {
      const std::uint64_t offset = inKernel(address + at);
      const std::uint32_t word =
          offset >= card::kRuntimeBytes ? read(static_cast<std::uint32_t>(offset)) : 0;
      std::memcpy(&data[at], &word, sizeof word);
    }
    return data;
  }

  int requests_;
  Defects defects_;
  std::uint64_t starts_ = 0;
  bool gone_ = false;
  // Not initialised: unwritten memory may have any contents.
  std::unique_ptr<std::uint8_t[]> bank_ =
      std::make_unique_for_overwrite<std::uint8_t[]>(kBankBytes);
  sim::DeviceMemory memory_;
  sim::CardSim card_{{}, sim::makeHostCardModel(), memory_};
  sim::BareLink link_;
};

Defects defectsOf(std::span<char* const> arguments) {
  Defects defects;
  for (const std::string argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string what = argument.substr(0, equals);
    const std::uint64_t value = std::stoull(argument.substr(equals + 1), nullptr, 0);
    if (what == "gone") {
      defects.gone = value;
    } else if (what == "version") {
      defects.version = static_cast<std::uint32_t>(value);
    } else if (what == "fails") {
      defects.failing_from = value;
    } else {
      throw std::runtime_error("what is " + argument);
    }
  }
  return defects;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set");
  return value;
}

}  // namespace
}  // namespace plumbline::card_xrt_test

int main(int argc, char** argv) {
  using namespace plumbline;
  using namespace plumbline::card_xrt_test;
  try {
    if (argc < 2) throw std::runtime_error("argument: the cable's delay in picoseconds");
    const Defects defects = defectsOf({argv + 2, argv + argc});
    const std::string id = environment("EMULATION_SOCKETID");
    const std::string directory = "/tmp/" + environment("USER") + "/";
    const int requests = connectTo(directory + id);
    const int events = connectTo(directory + "D2X_unix_sock_" + id);
    EmulatedCard(requests, Picoseconds(std::stoll(argv[1])), defects).run();
    // The runtime waits for a last word of the device: an empty message with the number of "close".
    sendAll(events, {1U << 3U | 1U, 0, 0, 0, 0, 0, 0, 0, 0, 2U << 3U | 5U, 1, 0, 0, 0});
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "emulated_card: %s\n", fault.what());
    return 1;
  }
}
