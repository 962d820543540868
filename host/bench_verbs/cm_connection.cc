#include "bench_verbs/cm_connection.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/work.h"
#include "bench_verbs/ibv_end.h"
#include "bench_verbs/verbs_fault.h"
#include "endpoint/fault.h"

namespace plumbline::bench_verbs {
namespace {

constexpr int kResolve_ms = 2000;
constexpr int kEvent_ms = 10'000;
constexpr int kPollInterval_ms = 200;  // interval at which a wait checks for cancellation
constexpr int kBacklog = 256;
constexpr const char* kManager = "connection manager";

struct ChannelDeleter {
  void operator()(rdma_event_channel* channel) const { rdma_destroy_event_channel(channel); }
};
using EventChannel = std::unique_ptr<rdma_event_channel, ChannelDeleter>;

struct AddressDeleter {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Address = std::unique_ptr<addrinfo, AddressDeleter>;

Address resolve(const std::string& text, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const std::string service = std::to_string(port);
  if (const int code = getaddrinfo(text.c_str(), service.c_str(), &hints, &list); code != 0) {
    throw endpoint::fault(endpoint::FaultKind::kNoDevice, gai_strerror(code), text);
  }
  return Address(list);
}

EventChannel newChannel() {
  EventChannel channel(rdma_create_event_channel());
  if (!channel) throw verbsFault("rdma_create_event_channel", errno, kManager);
  return channel;
}

CmId newId(rdma_event_channel* channel) {
  rdma_cm_id* id = nullptr;
  checkResult(rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP), "rdma_create_id", kManager);
  return CmId(id);
}

struct CmEvent {
  rdma_cm_event_type type;
  rdma_cm_id* id;  // that it is about
};

// Waits for the next event, as long as checkWork() allows. `wanted`: the expected event, for
// messages.
CmEvent nextEvent(rdma_event_channel* channel, const std::string& wanted) {
  pollfd waiting{channel->fd, POLLIN, 0};
  int ready = 0;
  for (int left_ms = kEvent_ms; ready == 0 && left_ms > 0; left_ms -= kPollInterval_ms) {
    checkWork();
    ready = poll(&waiting, 1, std::min(left_ms, kPollInterval_ms));
  }
  if (ready == 0) {
    throw endpoint::fault(endpoint::FaultKind::kPeerGone,
                          "the connection manager timed out waiting for " + wanted, kManager);
  }
  rdma_cm_event* event = nullptr;
  checkResult(rdma_get_cm_event(channel, &event), "rdma_get_cm_event", kManager);
  const CmEvent copy{event->event, event->id};
  rdma_ack_cm_event(event);
  return copy;
}

Error unexpected(const CmEvent& event, const std::string& wanted) {
  const bool no_path =
      event.type == RDMA_CM_EVENT_ADDR_ERROR || event.type == RDMA_CM_EVENT_ROUTE_ERROR;
  return endpoint::fault(no_path ? endpoint::FaultKind::kNoDevice : endpoint::FaultKind::kPeerGone,
                         fmt::format("the connection manager answers {} instead of {}",
                                     rdma_event_str(event.type), wanted),
                         kManager);
}

void expect(rdma_event_channel* channel, rdma_cm_event_type wanted) {
  const CmEvent event = nextEvent(channel, rdma_event_str(wanted));
  if (event.type != wanted) throw unexpected(event, rdma_event_str(wanted));
}

rdma_conn_param parameters() {
  rdma_conn_param parameters{};
  parameters.responder_resources = 1;
  parameters.initiator_depth = 1;
  parameters.retry_count = kAckRetries;
  parameters.rnr_retry_count = 7;
  return parameters;
}

// Makes the queue pair of an identifier at its end, which is created with the first one: only then
// is the device of the address known.
void makePair(rdma_cm_id* id, const bench::EndpointSpec& spec, const EndSpec& end_spec,
              std::unique_ptr<IbvEnd>& end) {
  const std::string device = ibv_get_device_name(id->verbs->device);
  if (device != spec.device) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the connection manager takes {} for this address, not {}", device,
                            spec.device),
                "endpoint.address",
                fmt::format("an address of {}, or device: {}", spec.device, device));
  }
  if (!end) end = std::make_unique<IbvEnd>(id->verbs, end_spec);
  ibv_qp_init_attr attributes = end->attributes(bench::QueuePairService::kReliable);
  checkResult(rdma_create_qp(id, end->domain(), &attributes), "rdma_create_qp", end_spec.name);
}

// Hands a connected queue pair to its end. The connection manager is not used for it any more: the
// identifier gets a channel of its own and outlives the one it was connected with.
void handOver(CmId id, IbvEnd& end) {
  checkResult(rdma_migrate_id(id.get(), nullptr), "rdma_migrate_id", kManager);
  end.add(std::move(id));
}

// The end that calls, one queue pair after the other.
class CmCaller {
 public:
  CmCaller(const bench::EndpointSpec& spec, const EndSpec& end)
      : spec_(spec), end_spec_(end), channel_(newChannel()) {}

  // Connects to the listener at `peer`, from the address `own` or from any that has a route.
  void call(const addrinfo* own, const addrinfo& peer) {
    const std::string where = fmt::format("queue pair {}", end_ ? end_->pairs() : 0);
    id_ = newId(channel_.get());
    checkResult(rdma_resolve_addr(id_.get(), own == nullptr ? nullptr : own->ai_addr, peer.ai_addr,
                                  kResolve_ms),
                "rdma_resolve_addr", where);
    expect(channel_.get(), RDMA_CM_EVENT_ADDR_RESOLVED);
    checkResult(rdma_resolve_route(id_.get(), kResolve_ms), "rdma_resolve_route", where);
    expect(channel_.get(), RDMA_CM_EVENT_ROUTE_RESOLVED);
    makePair(id_.get(), spec_, end_spec_, end_);
    rdma_conn_param wanted = parameters();
    checkResult(rdma_connect(id_.get(), &wanted), "rdma_connect", where);
  }

  // Waits until the call is answered.
  void establish() {
    expect(channel_.get(), RDMA_CM_EVENT_ESTABLISHED);
    handOver(std::move(id_), *end_);
  }

  std::unique_ptr<IbvEnd> take() { return std::move(end_); }

 private:
  bench::EndpointSpec spec_;
  EndSpec end_spec_;
  EventChannel channel_;
  CmId id_;
  std::unique_ptr<IbvEnd> end_;
};

// The listening end. A connection may arrive before the previous one is established here: the last
// message of its handshake can be late or lost.
class CmListener {
 public:
  CmListener(const bench::EndpointSpec& spec, const EndSpec& end)
      : spec_(spec), end_spec_(end), channel_(newChannel()) {
    const Address address = resolve(spec.address, 0);
    listener_ = newId(channel_.get());
    checkResult(rdma_bind_addr(listener_.get(), address->ai_addr), "rdma_bind_addr", spec.address);
    checkResult(rdma_listen(listener_.get(), kBacklog), "rdma_listen", spec.address);
  }

  [[nodiscard]] std::uint16_t port() const { return ntohs(rdma_get_src_port(listener_.get())); }

  // Accepts connections until there were `count`.
  void acceptUntil(std::size_t count) {
    while (answered_.size() < count) step();
  }

  // The end, once all its queue pairs stand.
  std::unique_ptr<IbvEnd> take() {
    acceptUntil(end_spec_.queue_pairs);
    while (established_ < answered_.size()) step();
    for (CmId& id : answered_) handOver(std::move(id), *end_);
    return std::move(end_);
  }

 private:
  void step() {
    const CmEvent event = nextEvent(channel_.get(), "a call or its end");
    if (event.type == RDMA_CM_EVENT_ESTABLISHED) {
      ++established_;
    } else if (event.type == RDMA_CM_EVENT_CONNECT_REQUEST) {
      CmId id(event.id);
      makePair(id.get(), spec_, end_spec_, end_);
      rdma_conn_param wanted = parameters();
      checkResult(rdma_accept(id.get(), &wanted), "rdma_accept", kManager);
      answered_.push_back(std::move(id));
    } else {
      throw unexpected(event, "a call or its end");
    }
  }

  bench::EndpointSpec spec_;
  EndSpec end_spec_;
  EventChannel channel_;
  CmId listener_;
  std::unique_ptr<IbvEnd> end_;
  std::vector<CmId> answered_;
  std::size_t established_ = 0;
};

class CallerEnd final : public UnconnectedEnd {
 public:
  CallerEnd(const bench::EndpointSpec& spec, const EndSpec& end)
      : caller_(spec, end), pairs_(end.queue_pairs) {}

  [[nodiscard]] EndAddress address() const override { return {}; }
  std::unique_ptr<VerbsEnd> meet(const EndAddress& peer) override {
    const Address address = resolve(peer.manager_address, peer.manager_port);
    for (std::uint32_t i = 0; i < pairs_; ++i) {
      caller_.call(nullptr, *address);
      caller_.establish();
    }
    return caller_.take();
  }

 private:
  CmCaller caller_;
  std::uint32_t pairs_;
};

class ListenerEnd final : public UnconnectedEnd {
 public:
  ListenerEnd(const bench::EndpointSpec& spec, const EndSpec& end) : listener_(spec, end) {
    address_.manager_address = spec.address;
    address_.manager_port = listener_.port();
  }

  [[nodiscard]] EndAddress address() const override { return address_; }
  std::unique_ptr<VerbsEnd> meet(const EndAddress& /*peer*/) override { return listener_.take(); }

 private:
  CmListener listener_;
  EndAddress address_;
};

}  // namespace

EndPair connectByManager(const bench::EndpointSpec& spec, const EndSpec& initiator,
                         const EndSpec& target) {
  CmListener listener(spec, target);
  CmCaller caller(spec, initiator);
  const Address own = resolve(spec.address, 0);
  const Address listening = resolve(spec.address, listener.port());
  for (std::uint32_t i = 0; i < initiator.queue_pairs; ++i) {
    caller.call(own.get(), *listening);
    listener.acceptUntil(i + 1);
    caller.establish();
  }
  return {caller.take(), listener.take()};
}

std::unique_ptr<UnconnectedEnd> makeCallerEnd(const bench::EndpointSpec& spec, const EndSpec& end) {
  return std::make_unique<CallerEnd>(spec, end);
}

std::unique_ptr<UnconnectedEnd> makeListenerEnd(const bench::EndpointSpec& spec,
                                                const EndSpec& end) {
  return std::make_unique<ListenerEnd>(spec, end);
}

}  // namespace plumbline::bench_verbs
