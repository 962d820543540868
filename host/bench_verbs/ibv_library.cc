#include "bench_verbs/ibv_library.h"

#include <fmt/format.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <utility>

#include "base/random.h"
#include "bench_verbs/cm_connection.h"
#include "bench_verbs/ibv_end.h"
#include "bench_verbs/verbs_fault.h"

namespace plumbline::bench_verbs {
namespace {

constexpr std::uint32_t kPsnMask = 0xFF'FFFF;
// Of RC queue pairs: 4.096 us * 2^14 = 67 ms until a retry, seven retries, then the peer is silent;
// a receiver that is not ready is waited for without end.
constexpr std::uint8_t kTimeout = 14;
constexpr std::uint8_t kRetries = 7;
constexpr std::uint8_t kEndlessRnrRetries = 7;
constexpr std::uint8_t kRnrTimer = 12;  // 0.64 ms
constexpr std::uint8_t kHopLimit = 64;

// What queue pairs tell each other out of band.
struct PairAddress {
  std::uint32_t number = 0;
  std::uint32_t psn = 0;
};

struct Port {
  ibv_port_attr attributes{};
  ibv_gid gid{};
};

Port portOf(ibv_context* context, const bench::EndpointSpec& spec) {
  const std::string where = fmt::format("{} port {}", spec.device, spec.port);
  Port port;
  checkErrno(ibv_query_port(context, spec.port, &port.attributes), "ibv_query_port", where);
  if (port.attributes.state != IBV_PORT_ACTIVE) {
    throw verbsFault(fmt::format("the port is {}", ibv_port_state_str(port.attributes.state)),
                     ENETUNREACH, where);
  }
  checkResult(ibv_query_gid(context, spec.port, spec.gid_index, &port.gid), "ibv_query_gid",
              fmt::format("{}, index {}", where, spec.gid_index));
  return port;
}

void toInit(ibv_qp* pair, const bench::EndpointSpec& spec, const std::string& where) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = spec.port;
  attributes.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
  if (spec.service == bench::QueuePairService::kReliable) {
    attributes.qp_access_flags |= IBV_ACCESS_REMOTE_READ;
  }
  checkErrno(ibv_modify_qp(pair, &attributes,
                           IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
             "ibv_modify_qp to INIT", where);
}

void toReadyToReceive(ibv_qp* pair, const bench::EndpointSpec& spec, const Port& port,
                      const PairAddress& peer, const std::string& where) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.path_mtu = port.attributes.active_mtu;
  attributes.dest_qp_num = peer.number;
  attributes.rq_psn = peer.psn;
  attributes.ah_attr.is_global = 1;
  attributes.ah_attr.grh.dgid = port.gid;
  attributes.ah_attr.grh.sgid_index = spec.gid_index;
  attributes.ah_attr.grh.hop_limit = kHopLimit;
  attributes.ah_attr.dlid = port.attributes.lid;
  attributes.ah_attr.port_num = spec.port;
  int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  if (spec.service == bench::QueuePairService::kReliable) {
    attributes.max_dest_rd_atomic = 1;
    attributes.min_rnr_timer = kRnrTimer;
    mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  }
  checkErrno(ibv_modify_qp(pair, &attributes, mask), "ibv_modify_qp to RTR", where);
}

void toReadyToSend(ibv_qp* pair, const bench::EndpointSpec& spec, std::uint32_t psn,
                   const std::string& where) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = psn;
  int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
  if (spec.service == bench::QueuePairService::kReliable) {
    attributes.timeout = kTimeout;
    attributes.retry_cnt = kRetries;
    attributes.rnr_retry = kEndlessRnrRetries;
    attributes.max_rd_atomic = 1;
    mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  }
  checkErrno(ibv_modify_qp(pair, &attributes, mask), "ibv_modify_qp to RTS", where);
}

void addPair(IbvEnd& end, const bench::EndpointSpec& spec, std::uint32_t number) {
  const std::string where = fmt::format("{} {}", end.spec().name, number);
  ibv_qp_init_attr attributes = end.attributes(spec.service);
  Ibv<ibv_qp> pair(ibv_create_qp(end.domain(), &attributes));
  if (!pair) throw verbsFault("ibv_create_qp", errno, where);
  toInit(pair.get(), spec, where);
  end.add(std::move(pair));
}

void introduce(const IbvEnd& end, const PairAddress& own, const PairAddress& peer,
               const bench::EndpointSpec& spec, const Port& port, std::uint32_t number) {
  const std::string where = fmt::format("{} {}", end.spec().name, number);
  toReadyToReceive(end.pair(number), spec, port, peer, where);
  toReadyToSend(end.pair(number), spec, own.psn, where);
}

std::unique_ptr<IbvEnd> openEnd(const bench::EndpointSpec& spec, const EndSpec& end_spec) {
  Ibv<ibv_context> context = openDevice(spec.device);
  auto end = std::make_unique<IbvEnd>(context.get(), end_spec);
  end->keep(std::move(context));
  for (std::uint32_t i = 0; i < end_spec.queue_pairs; ++i) addPair(*end, spec, i);
  return end;
}

}  // namespace

std::vector<std::string> IbvLibrary::devices() const {
  int count = 0;
  ibv_device** list = ibv_get_device_list(&count);
  if (list == nullptr) return {};  // a kernel without support for RDMA
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) names.emplace_back(ibv_get_device_name(list[i]));
  ibv_free_device_list(list);
  return names;
}

Bytes IbvLibrary::longestMessage(const bench::EndpointSpec& spec) const {
  const Ibv<ibv_context> context = openDevice(spec.device);
  return Bytes(portOf(context.get(), spec).attributes.max_msg_sz);
}

EndPair IbvLibrary::connect(const bench::EndpointSpec& spec, const EndSpec& initiator,
                            const EndSpec& target) {
  if (spec.connection == bench::Connection::kConnectionManager) {
    return connectByManager(spec, initiator, target);
  }
  auto caller = openEnd(spec, initiator);
  auto callee = openEnd(spec, target);
  const Port port = portOf(caller->domain()->context, spec);
  RandomStream random(spec.gid_index, "bench_verbs/psn");
  for (std::uint32_t i = 0; i < initiator.queue_pairs; ++i) {
    const PairAddress own{caller->pair(i)->qp_num,
                          static_cast<std::uint32_t>(random.below(kPsnMask + 1))};
    const PairAddress peer{callee->pair(i)->qp_num,
                           static_cast<std::uint32_t>(random.below(kPsnMask + 1))};
    introduce(*caller, own, peer, spec, port, i);
    introduce(*callee, peer, own, spec, port, i);
  }
  return {std::move(caller), std::move(callee)};
}

}  // namespace plumbline::bench_verbs
