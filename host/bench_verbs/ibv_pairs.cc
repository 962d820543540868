#include "bench_verbs/ibv_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "bench_verbs/verbs_fault.h"

namespace plumbline::bench_verbs {
namespace {

constexpr std::uint32_t kPsnMask = 0xFF'FFFF;
// Of RC queue pairs: 4.096 us * 2^14 = 67 ms until a retry, six retries, then the peer counts as
// silent; waiting for a receiver that is not ready is unlimited.
constexpr std::uint8_t kTimeout = 14;
constexpr std::uint8_t kEndlessRnrRetries = 7;
constexpr std::uint8_t kRnrTimer = 12;  // 0.64 ms
constexpr std::uint8_t kHopLimit = 64;

void toInit(ibv_qp* pair, const bench::EndpointSpec& spec, endpoint::RemoteAccess access,
            const std::string& where) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = spec.port;
  attributes.qp_access_flags = remoteFlags(access);
  checkErrno(ibv_modify_qp(pair, &attributes,
                           IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
             "ibv_modify_qp to INIT", where);
}

void toReadyToReceive(ibv_qp* pair, const bench::EndpointSpec& spec, const EndAddress& own,
                      const EndAddress& peer, const PairAddress& peer_pair,
                      const std::string& where) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.path_mtu = static_cast<ibv_mtu>(std::min(own.mtu, peer.mtu));
  attributes.dest_qp_num = peer_pair.number;
  attributes.rq_psn = peer_pair.psn;
  attributes.ah_attr.is_global = 1;
  std::copy(peer.gid.begin(), peer.gid.end(), attributes.ah_attr.grh.dgid.raw);
  attributes.ah_attr.grh.sgid_index = spec.gid_index;
  attributes.ah_attr.grh.hop_limit = kHopLimit;
  attributes.ah_attr.dlid = peer.lid;
  attributes.ah_attr.port_num = spec.port;
  int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  if (isReliable(spec)) {
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
  if (isReliable(spec)) {
    attributes.timeout = kTimeout;
    attributes.retry_cnt = kAckRetries;
    attributes.rnr_retry = kEndlessRnrRetries;
    attributes.max_rd_atomic = 1;
    mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  }
  checkErrno(ibv_modify_qp(pair, &attributes, mask), "ibv_modify_qp to RTS", where);
}

// The GID of `spec`. A port has more places for GIDs than GIDs; an empty one is all zeros.
ibv_gid gidOf(ibv_context* context, const bench::EndpointSpec& spec) {
  ibv_gid gid{};
  const bool read = ibv_query_gid(context, spec.port, spec.gid_index, &gid) == 0;
  if (!read || std::all_of(std::begin(gid.raw), std::end(gid.raw),
                           [](std::uint8_t byte) { return byte == 0; })) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("port {} of {} has no GID of index {}", spec.port, spec.device, spec.gid_index),
        "endpoint.gid_index",
        fmt::format("one of /sys/class/infiniband/{}/ports/{}/gids, of the type RoCE v2",
                    spec.device, spec.port));
  }
  return gid;
}

std::string pairName(const IbvEnd& end, std::uint32_t pair) {
  return fmt::format("{} {}", end.spec().name, pair);
}

void addPair(IbvEnd& end, const bench::EndpointSpec& spec, std::uint32_t number) {
  ibv_qp_init_attr attributes = end.attributes(spec.service);
  Ibv<ibv_qp> pair(ibv_create_qp(end.domain(), &attributes));
  if (!pair) throw verbsFault("ibv_create_qp", errno, pairName(end, number));
  toInit(pair.get(), spec, end.spec().remote, pairName(end, number));
  end.add(std::move(pair));
}

}  // namespace

ibv_port_attr activePort(ibv_context* context, const bench::EndpointSpec& spec) {
  const auto fault = [&](const std::string& what) {
    return Error(
        ErrorKind::kTester, what, fmt::format("{} port {}", spec.device, spec.port),
        "a port with a link: `rdma link` shows them, `ip link set … up` starts the network "
        "interface");
  };
  ibv_port_attr attributes{};
  if (const int error = ibv_query_port(context, spec.port, &attributes); error != 0) {
    throw fault("ibv_query_port: " + std::generic_category().message(error));
  }
  if (attributes.state != IBV_PORT_ACTIVE) {
    throw fault(fmt::format("the port is {}", ibv_port_state_str(attributes.state)));
  }
  return attributes;
}

std::unique_ptr<IbvEnd> makeEnd(const bench::EndpointSpec& spec, const EndSpec& end_spec) {
  Ibv<ibv_context> context = openDevice(spec.device);
  auto end = std::make_unique<IbvEnd>(context.get(), end_spec);
  end->keep(std::move(context));
  for (std::uint32_t i = 0; i < end_spec.queue_pairs; ++i) addPair(*end, spec, i);
  return end;
}

EndAddress addressOf(const IbvEnd& end, const bench::EndpointSpec& spec) {
  ibv_context* context = end.domain()->context;
  const ibv_port_attr port = activePort(context, spec);
  const ibv_gid gid = gidOf(context, spec);
  EndAddress address;
  std::copy(std::begin(gid.raw), std::end(gid.raw), address.gid.begin());
  address.lid = port.lid;
  address.mtu = static_cast<std::uint8_t>(port.active_mtu);
  std::random_device random;  // a stray frame of an earlier connection must not fit this one
  for (std::uint32_t i = 0; i < end.spec().queue_pairs; ++i) {
    address.pairs.push_back({end.pair(i)->qp_num, random() & kPsnMask});
  }
  return address;
}

void introduce(const IbvEnd& end, const bench::EndpointSpec& spec, const EndAddress& own,
               const EndAddress& peer) {
  for (std::uint32_t i = 0; i < end.spec().queue_pairs; ++i) {
    const std::string where = pairName(end, i);
    toReadyToReceive(end.pair(i), spec, own, peer, peer.pairs[i], where);
    toReadyToSend(end.pair(i), spec, own.pairs[i].psn, where);
  }
}

}  // namespace plumbline::bench_verbs
