#include "bench_verbs/cm_connection.h"

#include <fmt/format.h>
#include <netdb.h>
#include <rdma/rdma_cma.h>

#include <cerrno>
#include <utility>

#include "bench_verbs/ibv_end.h"
#include "bench_verbs/verbs_fault.h"
#include "endpoint/fault.h"

namespace plumbline::bench_verbs {
namespace {

constexpr int kResolve_ms = 2000;
constexpr int kBacklog = 256;

struct ChannelDeleter {
  void operator()(rdma_event_channel* channel) const { rdma_destroy_event_channel(channel); }
};
using EventChannel = std::unique_ptr<rdma_event_channel, ChannelDeleter>;

struct AddressDeleter {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Address = std::unique_ptr<addrinfo, AddressDeleter>;

Address resolve(const std::string& text) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* list = nullptr;
  if (const int code = getaddrinfo(text.c_str(), nullptr, &hints, &list); code != 0) {
    throw endpoint::fault(endpoint::FaultKind::kNoDevice, gai_strerror(code), text);
  }
  return Address(list);
}

EventChannel newChannel() {
  EventChannel channel(rdma_create_event_channel());
  if (!channel) throw verbsFault("rdma_create_event_channel", errno, "connection manager");
  return channel;
}

CmId newId(rdma_event_channel* channel) {
  rdma_cm_id* id = nullptr;
  checkResult(rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP), "rdma_create_id",
              "connection manager");
  return CmId(id);
}

// Waits for the next event, which must be `wanted`; returns the identifier it is about.
rdma_cm_id* expect(rdma_event_channel* channel, rdma_cm_event_type wanted,
                   const std::string& where) {
  rdma_cm_event* event = nullptr;
  checkResult(rdma_get_cm_event(channel, &event), "rdma_get_cm_event", where);
  rdma_cm_id* id = event->id;
  const rdma_cm_event_type got = event->event;
  rdma_ack_cm_event(event);
  if (got == wanted) return id;
  const bool no_path = got == RDMA_CM_EVENT_ADDR_ERROR || got == RDMA_CM_EVENT_ROUTE_ERROR;
  throw endpoint::fault(no_path ? endpoint::FaultKind::kNoDevice : endpoint::FaultKind::kPeerGone,
                        fmt::format("the connection manager answers {} instead of {}",
                                    rdma_event_str(got), rdma_event_str(wanted)),
                        where);
}

rdma_conn_param parameters() {
  rdma_conn_param parameters{};
  parameters.responder_resources = 1;
  parameters.initiator_depth = 1;
  parameters.retry_count = 7;
  parameters.rnr_retry_count = 7;
  return parameters;
}

// Makes the queue pair of an identifier at its end, which is made with the first one: only then is
// it known which device the address belongs to.
void makePair(rdma_cm_id* id, const EndSpec& spec, std::unique_ptr<IbvEnd>& end) {
  if (!end) end = std::make_unique<IbvEnd>(id->verbs, spec);
  ibv_qp_init_attr attributes = end->attributes(bench::QueuePairService::kReliable);
  checkResult(rdma_create_qp(id, end->domain(), &attributes), "rdma_create_qp", spec.name);
}

}  // namespace

EndPair connectByManager(const bench::EndpointSpec& spec, const EndSpec& initiator,
                         const EndSpec& target) {
  const Address address = resolve(spec.address);
  // Identifiers outlive their channels' use here: from when they stand, nothing more is asked of
  // the connection manager, and rdma_migrate_id() gives each a channel of its own.
  const EventChannel calls = newChannel();
  const EventChannel listens = newChannel();
  const CmId listener = newId(listens.get());
  checkResult(rdma_bind_addr(listener.get(), address->ai_addr), "rdma_bind_addr", spec.address);
  checkResult(rdma_listen(listener.get(), kBacklog), "rdma_listen", spec.address);
  const sockaddr* listening = rdma_get_local_addr(listener.get());
  std::unique_ptr<IbvEnd> caller;
  std::unique_ptr<IbvEnd> callee;
  for (std::uint32_t i = 0; i < initiator.queue_pairs; ++i) {
    const std::string where = fmt::format("queue pair {}", i);
    rdma_conn_param wanted = parameters();
    CmId call = newId(calls.get());
    checkResult(rdma_resolve_addr(call.get(), address->ai_addr, const_cast<sockaddr*>(listening),
                                  kResolve_ms),
                "rdma_resolve_addr", spec.address);
    expect(calls.get(), RDMA_CM_EVENT_ADDR_RESOLVED, where);
    checkResult(rdma_resolve_route(call.get(), kResolve_ms), "rdma_resolve_route", where);
    expect(calls.get(), RDMA_CM_EVENT_ROUTE_RESOLVED, where);
    makePair(call.get(), initiator, caller);
    checkResult(rdma_connect(call.get(), &wanted), "rdma_connect", where);
    CmId answer(expect(listens.get(), RDMA_CM_EVENT_CONNECT_REQUEST, where));
    makePair(answer.get(), target, callee);
    checkResult(rdma_accept(answer.get(), &wanted), "rdma_accept", where);
    expect(calls.get(), RDMA_CM_EVENT_ESTABLISHED, where);
    expect(listens.get(), RDMA_CM_EVENT_ESTABLISHED, where);
    checkResult(rdma_migrate_id(call.get(), nullptr), "rdma_migrate_id", where);
    checkResult(rdma_migrate_id(answer.get(), nullptr), "rdma_migrate_id", where);
    caller->add(std::move(call));
    callee->add(std::move(answer));
  }
  return {std::move(caller), std::move(callee)};
}

}  // namespace plumbline::bench_verbs
