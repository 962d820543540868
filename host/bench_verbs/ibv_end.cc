#include "bench_verbs/ibv_end.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "bench_verbs/verbs_fault.h"

namespace plumbline::bench_verbs {
namespace {

using bench::Operation;

constexpr std::size_t kBatch = 64;
constexpr std::uint32_t kImmediate = 0x504C'554D;

template <typename Object>
Ibv<Object> made(Object* object, const char* call, const std::string& where) {
  if (object == nullptr) throw verbsFault(call, errno, where);
  return Ibv<Object>(object);
}

ibv_wr_opcode opcodeOf(Operation operation) {
  switch (operation) {
    case Operation::kWrite:
      return IBV_WR_RDMA_WRITE;
    case Operation::kWriteImmediate:
      return IBV_WR_RDMA_WRITE_WITH_IMM;
    case Operation::kSend:
      return IBV_WR_SEND;
    case Operation::kRead:
      break;
  }
  return IBV_WR_RDMA_READ;
}

WorkStatus statusOf(ibv_wc_status status) {
  switch (status) {
    case IBV_WC_SUCCESS:
      return WorkStatus::kDone;
    case IBV_WC_RETRY_EXC_ERR:
    case IBV_WC_RNR_RETRY_EXC_ERR:
    case IBV_WC_RESP_TIMEOUT_ERR:
      return WorkStatus::kPeerSilent;
    case IBV_WC_REM_ACCESS_ERR:
    case IBV_WC_REM_INV_REQ_ERR:
    case IBV_WC_REM_OP_ERR:
      return WorkStatus::kRefused;
    case IBV_WC_WR_FLUSH_ERR:
      return WorkStatus::kFlushed;
    default:
      return WorkStatus::kFailed;
  }
}

DeviceEvent eventOf(ibv_event_type type) {
  switch (type) {
    case IBV_EVENT_CQ_ERR:
      return DeviceEvent::kQueueOverrun;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
      return DeviceEvent::kQueuePairError;
    case IBV_EVENT_PORT_ERR:
      return DeviceEvent::kPortDown;
    case IBV_EVENT_DEVICE_FATAL:
      return DeviceEvent::kDeviceGone;
    default:
      return DeviceEvent::kNone;
  }
}

}  // namespace

unsigned remoteFlags(endpoint::RemoteAccess access) {
  switch (access) {
    case endpoint::RemoteAccess::kWrite:
      return IBV_ACCESS_REMOTE_WRITE;
    case endpoint::RemoteAccess::kRead:
      return IBV_ACCESS_REMOTE_READ;
    case endpoint::RemoteAccess::kNone:
      break;
  }
  return 0;
}

Ibv<ibv_context> openDevice(const std::string& name) {
  int count = 0;
  ibv_device** list = ibv_get_device_list(&count);
  if (list == nullptr) throw verbsFault("ibv_get_device_list", errno, name);
  ibv_device** end = list + count;
  ibv_device** found = std::find_if(
      list, end, [&](ibv_device* device) { return name == ibv_get_device_name(device); });
  ibv_context* context = found == end ? nullptr : ibv_open_device(*found);
  const int error = found == end ? ENODEV : errno;
  ibv_free_device_list(list);
  if (context == nullptr) throw verbsFault("ibv_open_device", error, name);
  return Ibv<ibv_context>(context);
}

IbvEnd::IbvEnd(ibv_context* context, const EndSpec& spec)
    : spec_(spec), memory_(endpoint::makeBuffer(spec.memory_bytes)) {
  const unsigned access = IBV_ACCESS_LOCAL_WRITE | remoteFlags(spec_.remote);
  // Events are read while messages are in flight: that must not block.
  const int flags = fcntl(context->async_fd, F_GETFL);
  checkResult(fcntl(context->async_fd, F_SETFL, flags | O_NONBLOCK), "fcntl", spec_.name);
  domain_ = made(ibv_alloc_pd(context), "ibv_alloc_pd", spec_.name);
  region_ = made(ibv_reg_mr(domain_.get(), memory_.get(),
                            std::max(spec_.memory_bytes, std::size_t{1}), access),
                 "ibv_reg_mr", fmt::format("{}, {} B", spec_.name, spec_.memory_bytes));
  // All receives of a target completed and none taken out; an initiator's sends are fewer.
  const auto entries = static_cast<int>(kReceivesPerMessage * spec_.queue_pairs * spec_.window);
  queue_ = made(ibv_create_cq(context, entries, nullptr, nullptr, 0), "ibv_create_cq",
                fmt::format("{}, {} entries", spec_.name, entries));
}

ibv_qp_init_attr IbvEnd::attributes(bench::QueuePairService service) const {
  ibv_qp_init_attr attributes{};
  attributes.send_cq = queue_.get();
  attributes.recv_cq = queue_.get();
  attributes.cap = {spec_.window, kReceivesPerMessage * spec_.window, 1, 1, 0};
  attributes.qp_type = service == bench::QueuePairService::kReliable ? IBV_QPT_RC : IBV_QPT_UC;
  attributes.sq_sig_all = 1;
  return attributes;
}

void IbvEnd::add(Ibv<ibv_qp> pair) {
  pairs_.push_back(pair.get());
  own_pairs_.push_back(std::move(pair));
}

void IbvEnd::add(CmId id) {
  pairs_.push_back(id->qp);
  cm_pairs_.push_back(std::move(id));
}

MemoryKey IbvEnd::key() const {
  return {reinterpret_cast<std::uint64_t>(memory_.get()), region_->rkey};
}

ibv_sge IbvEnd::piece() const {
  return {reinterpret_cast<std::uint64_t>(memory_.get()),
          static_cast<std::uint32_t>(spec_.memory_bytes), region_->lkey};
}

int IbvEnd::post(std::uint32_t queue_pair, std::uint64_t id, Operation operation,
                 const MemoryKey& remote) {
  ibv_sge bytes = piece();
  ibv_send_wr request{};
  request.wr_id = id;
  request.sg_list = &bytes;
  request.num_sge = spec_.memory_bytes > 0 ? 1 : 0;
  request.opcode = opcodeOf(operation);
  request.imm_data = kImmediate;
  request.wr.rdma.remote_addr = remote.address;
  request.wr.rdma.rkey = remote.rkey;
  ibv_send_wr* refused = nullptr;
  return ibv_post_send(pairs_[queue_pair], &request, &refused);
}

int IbvEnd::postReceive(std::uint32_t queue_pair, std::uint64_t id) {
  ibv_sge bytes = piece();
  ibv_recv_wr request{};
  request.wr_id = id;
  request.sg_list = &bytes;
  request.num_sge = spec_.memory_bytes > 0 ? 1 : 0;
  ibv_recv_wr* refused = nullptr;
  return ibv_post_recv(pairs_[queue_pair], &request, &refused);
}

int IbvEnd::poll(std::span<WorkCompletion> completions) {
  std::array<ibv_wc, kBatch> entries;
  const int room = static_cast<int>(std::min(completions.size(), entries.size()));
  const int count = ibv_poll_cq(queue_.get(), room, entries.data());
  for (int i = 0; i < count; ++i) {
    const ibv_wc& entry = entries[static_cast<std::size_t>(i)];
    WorkCompletion& completion = completions[static_cast<std::size_t>(i)];
    completion.id = entry.wr_id;
    completion.status = statusOf(entry.status);
    if (completion.status != WorkStatus::kDone) completion.text = ibv_wc_status_str(entry.status);
  }
  // Some providers return -1, others minus an errno.
  return count == -1 ? -EIO : count;
}

DeviceEvent IbvEnd::event() {
  ibv_async_event event{};
  if (ibv_get_async_event(domain_->context, &event) != 0) return DeviceEvent::kNone;
  const DeviceEvent what = eventOf(event.event_type);
  ibv_ack_async_event(&event);
  return what;
}

}  // namespace plumbline::bench_verbs
