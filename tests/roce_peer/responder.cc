// Runs inside the guest: RC queue pairs on the kernel's soft-RoCE device that a peer writes to,
// reads from and sends to. Prints events to standard output, one per line:
//   QP <index> <number>                   a queue pair is ready for the peer
//   MEMORY <rkey> <address> <bytes>       memory of all QPs: `bytes` for each, consecutively
//   READY                                 setup is complete
//   REGION <index> <CRC-32, hexadecimal>  the region's bytes have changed
//   RECEIVED <index> <bytes> <status>     a SEND has completed (status 0: success)
//   FAULT <what>                          an error; the program ends
#include <arpa/inet.h>
#include <infiniband/verbs.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "wire/crc.h"

namespace {

constexpr std::size_t kRegionBytes = 1U << 16U;
constexpr std::uint32_t kReceives = 64;
constexpr std::size_t kReceiveBytes = 4096;
constexpr std::uint8_t kPort = 1;
constexpr int kRemoteAccess =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

struct Arguments {
  std::string peer_address;    // IPv4
  std::uint32_t peer_qp = 0;   // of the first queue pair; the next ones follow
  std::uint32_t peer_psn = 0;  // first one of every queue pair
  std::uint32_t queue_pairs = 1;
};

void require(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

// The GID of the device's IPv4 address.
int ipv4GidIndex(ibv_context* device) {
  ibv_port_attr port{};
  require(ibv_query_port(device, kPort, &port) == 0, "the port cannot be queried");
  for (int i = 0; i < port.gid_tbl_len; ++i) {
    ibv_gid gid{};
    if (ibv_query_gid(device, kPort, i, &gid) == 0 && gid.raw[10] == 0xFF && gid.raw[11] == 0xFF) {
      return i;
    }
  }
  throw std::runtime_error("the device has no IPv4 address");
}

class Responder {
 public:
  explicit Responder(const Arguments& arguments)
      : memory_(arguments.queue_pairs * kRegionBytes),
        received_(std::size_t{kReceives} * kReceiveBytes) {
    int devices = 0;
    ibv_device** list = ibv_get_device_list(&devices);
    require(list != nullptr && devices > 0, "no RDMA device");
    device_ = ibv_open_device(list[0]);
    require(device_ != nullptr, "the RDMA device cannot be opened");
    domain_ = ibv_alloc_pd(device_);
    require(domain_ != nullptr, "no protection domain");
    region_ = ibv_reg_mr(domain_, memory_.data(), memory_.size(), kRemoteAccess);
    receive_region_ =
        ibv_reg_mr(domain_, received_.data(), received_.size(), IBV_ACCESS_LOCAL_WRITE);
    require(region_ != nullptr && receive_region_ != nullptr, "memory cannot be registered");
    queue_ = ibv_create_cq(device_, 1024, nullptr, nullptr, 0);
    require(queue_ != nullptr, "no completion queue");
    const int gid = ipv4GidIndex(device_);
    for (std::uint32_t i = 0; i < arguments.queue_pairs; ++i) {
      pairs_.push_back(connect(arguments, arguments.peer_qp + i, gid));
      std::printf("QP %u %u\n", i, pairs_.back()->qp_num);
    }
    std::printf("MEMORY %u %llu %zu\nREADY\n", region_->rkey,
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(memory_.data())),
                kRegionBytes);
    sums_.resize(pairs_.size());
    for (std::uint32_t i = 0; i < pairs_.size(); ++i) sums_[i] = sumOf(i);
  }

  [[noreturn]] void watch() {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ibv_wc done{};
      while (ibv_poll_cq(queue_, 1, &done) > 0) {
        std::printf("RECEIVED %u %u %d\n", indexOf(done.qp_num), done.byte_len, done.status);
      }
      for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
        const std::uint32_t sum = sumOf(i);
        if (sum != sums_[i]) std::printf("REGION %u %08x\n", i, sum);
        sums_[i] = sum;
      }
    }
  }

 private:
  ibv_qp* connect(const Arguments& arguments, std::uint32_t peer_qp, int gid) {
    ibv_qp_init_attr init{};
    init.send_cq = queue_;
    init.recv_cq = queue_;
    init.cap = {1, kReceives, 1, 1, 0};
    init.qp_type = IBV_QPT_RC;
    ibv_qp* pair = ibv_create_qp(domain_, &init);
    require(pair != nullptr, "no queue pair");
    ibv_qp_attr to{};
    to.qp_state = IBV_QPS_INIT;
    to.port_num = kPort;
    to.qp_access_flags = kRemoteAccess;
    require(
        ibv_modify_qp(pair, &to,
                      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0,
        "the queue pair does not become INIT");
    for (std::uint32_t i = 0; i < kReceives; ++i) {
      ibv_sge place{reinterpret_cast<std::uintptr_t>(&received_[i * kReceiveBytes]), kReceiveBytes,
                    receive_region_->lkey};
      ibv_recv_wr receive{};
      receive.sg_list = &place;
      receive.num_sge = 1;
      ibv_recv_wr* refused = nullptr;
      require(ibv_post_recv(pair, &receive, &refused) == 0, "a receive cannot be posted");
    }
    to = {};
    to.qp_state = IBV_QPS_RTR;
    to.path_mtu = IBV_MTU_1024;
    to.dest_qp_num = peer_qp;
    to.rq_psn = arguments.peer_psn;
    to.max_dest_rd_atomic = 16;
    to.min_rnr_timer = 12;
    to.ah_attr.is_global = 1;
    to.ah_attr.port_num = kPort;
    to.ah_attr.grh.hop_limit = 64;
    to.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(gid);
    auto& raw = to.ah_attr.grh.dgid.raw;
    raw[10] = raw[11] = 0xFF;
    require(inet_pton(AF_INET, arguments.peer_address.c_str(), &raw[12]) == 1,
            "not an IPv4 address");
    require(
        ibv_modify_qp(pair, &to,
                      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0,
        "the queue pair does not become ready to receive");
    to = {};
    to.qp_state = IBV_QPS_RTS;
    to.timeout = 14;
    to.retry_cnt = 7;
    to.rnr_retry = 7;
    to.max_rd_atomic = 16;
    require(ibv_modify_qp(pair, &to,
                          IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                              IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC) == 0,
            "the queue pair does not become ready to send");
    return pair;
  }

  [[nodiscard]] std::uint32_t sumOf(std::uint32_t index) const {
    return plumbline::wire::crc32({memory_.data() + index * kRegionBytes, kRegionBytes});
  }

  [[nodiscard]] std::uint32_t indexOf(std::uint32_t number) const {
    std::uint32_t index = 0;
    while (index < pairs_.size() && pairs_[index]->qp_num != number) ++index;
    return index;
  }

  std::vector<std::uint8_t> memory_;
  std::vector<std::uint8_t> received_;
  ibv_context* device_ = nullptr;
  ibv_pd* domain_ = nullptr;
  ibv_mr* region_ = nullptr;
  ibv_mr* receive_region_ = nullptr;
  ibv_cq* queue_ = nullptr;
  std::vector<ibv_qp*> pairs_;
  std::vector<std::uint32_t> sums_;
};

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    require(argc == 5, "arguments: peer address, its first QP, its first PSN, queue pairs");
    Responder({argv[1], static_cast<std::uint32_t>(std::stoul(argv[2])),
               static_cast<std::uint32_t>(std::stoul(argv[3])),
               static_cast<std::uint32_t>(std::stoul(argv[4]))})
        .watch();
  } catch (const std::exception& fault) {
    std::printf("FAULT %s\n", fault.what());
    return 1;
  }
}
