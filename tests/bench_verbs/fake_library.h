// Replacement for rdma-core: two ends in one memory, with injectable faults.
#pragma once

#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench_verbs/verbs_fault.h"
#include "bench_verbs/verbs_library.h"
#include "endpoint/buffer.h"
#include "endpoint/channel.h"

namespace plumbline::bench_verbs {

class FakeEnd;

// Injected faults of a fake library's ends, and the recorded calls.
struct FakeScript {
  std::vector<std::string> devices{"fake0"};
  Bytes longest{1 << 30};
  std::size_t send_room = 1 << 20;  // capacity of a send queue
  int post_error = 0;               // of every further post
  int poll_error = 0;
  WorkStatus status = WorkStatus::kDone;  // of every further completion
  DeviceEvent event = DeviceEvent::kNone;
  bool lose_messages = false;  // as an unreliable service may
  int port_errno = 0;          // of looking at the port
  int connect_errno = 0;       // of registering memory
  int target_errno = 0;        // the same, of a target that is opened for a peer
  bench::EndpointSpec connected;
  std::vector<EndSpec> ends;            // all that were made, in their order
  std::optional<std::uint64_t> astray;  // the next completion has this work request
  std::mutex mutex;                     // the two ends are used by two threads
  std::vector<FakeEnd*> opened;         // one by one, for a peer
};

class FakeEnd final : public VerbsEnd {
 public:
  FakeEnd(FakeScript& script, std::size_t bytes)
      : script_(script), bytes_(bytes), memory_(endpoint::makeBuffer(bytes)) {}

  void meet(FakeEnd& peer) { peer_ = &peer; }

  [[nodiscard]] std::uint8_t* memory() const override { return memory_.get(); }
  [[nodiscard]] MemoryKey key() const override { return {1, 2}; }

  int post(std::uint32_t /*queue_pair*/, std::uint64_t id, bench::Operation operation,
           const MemoryKey& remote) override {
    if (remote.address != 1 || remote.rkey != 2) return EINVAL;
    const std::lock_guard lock(script_.mutex);
    const bool told = endpoint::targetIsNotified(operation);
    if (script_.post_error != 0) return script_.post_error;
    if (done_.size() >= script_.send_room) return ENOMEM;
    // Waits for a receiver that is not ready.
    if (told && !script_.lose_messages && peer_->receives_.empty()) return ENOMEM;
    done_.push_back({id, script_.status, "the fake says so"});
    if (script_.status != WorkStatus::kDone || script_.lose_messages) return 0;
    if (operation == bench::Operation::kRead) {
      std::memcpy(memory(), peer_->memory(), bytes_);
    } else {
      std::memcpy(peer_->memory(), memory(), bytes_);
    }
    if (told) {
      peer_->done_.push_back({peer_->receives_.front(), WorkStatus::kDone, {}});
      peer_->receives_.pop_front();
    }
    return 0;
  }

  int postReceive(std::uint32_t /*queue_pair*/, std::uint64_t id) override {
    const std::lock_guard lock(script_.mutex);
    receives_.push_back(id);
    return 0;
  }

  int poll(std::span<WorkCompletion> completions) override {
    const std::lock_guard lock(script_.mutex);
    if (script_.poll_error != 0) return -script_.poll_error;
    int count = 0;
    for (WorkCompletion& completion : completions) {
      if (script_.astray) {
        completion = {*std::exchange(script_.astray, std::nullopt), WorkStatus::kDone, {}};
        ++count;
        continue;
      }
      if (done_.empty()) break;
      completion = std::move(done_.front());
      done_.pop_front();
      ++count;
    }
    return count;
  }

  DeviceEvent event() override {
    const std::lock_guard lock(script_.mutex);
    return std::exchange(script_.event, DeviceEvent::kNone);
  }

 private:
  FakeScript& script_;
  std::size_t bytes_;
  endpoint::Buffer memory_;
  FakeEnd* peer_ = nullptr;
  std::deque<WorkCompletion> done_;
  std::deque<std::uint64_t> receives_;
};

// Separately opened ends find each other through the script, by the number of their first pair: the
// initiator identifies the target by its address.
class FakeOpenEnd final : public UnconnectedEnd {
 public:
  FakeOpenEnd(FakeScript& script, const EndSpec& spec)
      : script_(script), end_(std::make_unique<FakeEnd>(script, spec.memory_bytes)) {
    const std::lock_guard lock(script_.mutex);
    script_.opened.push_back(end_.get());
    address_.mtu = 3;
    for (std::uint32_t i = 0; i < spec.queue_pairs; ++i) {
      address_.pairs.push_back({static_cast<std::uint32_t>(script_.opened.size() - 1), i});
    }
  }

  [[nodiscard]] EndAddress address() const override { return address_; }
  std::unique_ptr<VerbsEnd> meet(const EndAddress& peer) override {
    const std::lock_guard lock(script_.mutex);
    end_->meet(*script_.opened.at(peer.pairs.at(0).number));
    return std::move(end_);
  }

 private:
  FakeScript& script_;
  std::unique_ptr<FakeEnd> end_;
  EndAddress address_;
};

class FakeLibrary final : public VerbsLibrary {
 public:
  explicit FakeLibrary(FakeScript& script) : script_(script) {}

  [[nodiscard]] std::vector<std::string> devices() const override { return script_.devices; }
  [[nodiscard]] PortLimits port(const bench::EndpointSpec& /*spec*/) const override {
    checkErrno(script_.port_errno, "ibv_query_port", "fake0 port 1");
    return {script_.longest, Bytes(4096)};
  }
  EndPair connect(const bench::EndpointSpec& spec, const EndSpec& initiator,
                  const EndSpec& target) override {
    script_.connected = spec;
    script_.ends.insert(script_.ends.end(), {initiator, target});
    checkErrno(script_.connect_errno, "ibv_reg_mr", initiator.name);
    auto caller = std::make_unique<FakeEnd>(script_, initiator.memory_bytes);
    auto callee = std::make_unique<FakeEnd>(script_, target.memory_bytes);
    caller->meet(*callee);
    callee->meet(*caller);
    return {std::move(caller), std::move(callee)};
  }

  std::unique_ptr<UnconnectedEnd> open(const bench::EndpointSpec& spec, const EndSpec& end,
                                       Role role) override {
    const int error = role == Role::kTarget ? script_.target_errno : script_.connect_errno;
    checkErrno(error, "ibv_reg_mr", end.name);
    {
      const std::lock_guard lock(script_.mutex);
      script_.connected = spec;
      script_.ends.push_back(end);
    }
    return std::make_unique<FakeOpenEnd>(script_, end);
  }

 private:
  FakeScript& script_;
};

}  // namespace plumbline::bench_verbs
