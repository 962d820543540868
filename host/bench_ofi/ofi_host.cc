#include "bench_ofi/ofi_host.h"

#include <fmt/format.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_eq.h>

#include <random>
#include <utility>

#include "base/interrupts.h"
#include "base/work.h"
#include "bench_ofi/ofi_fault.h"

namespace plumbline::bench_ofi {
namespace {

// An unguessable key of the provider's length. A provider that chooses keys itself (FI_MR_PROV_KEY)
// ignores it.
std::uint64_t drawKey(const fi_info& info) {
  std::random_device random;
  const std::uint64_t key = (std::uint64_t{random()} << 32U) | random();
  const std::size_t bytes = info.domain_attr->mr_key_size;
  return bytes >= sizeof key ? key : key & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

template <typename Object, typename Open>
Fid<Object> opened(const char* call, const std::string& where, const Open& open) {
  Object* object = nullptr;
  check(open(&object), call, where);
  return Fid<Object>(object);
}

}  // namespace

OfiHost::OfiHost(fi_info& info, std::string name, std::uint32_t endpoints,
                 std::size_t queue_entries, std::size_t memory_bytes, std::uint64_t access)
    : name_(std::move(name)),
      text_names_(info.addr_format == FI_ADDR_STR),
      memory_(endpoint::makeBuffer(memory_bytes)) {
  const CrashHandlerRestorer kept;  // the shm provider's endpoints
  fabric_ = opened<fid_fabric>("fi_fabric", name_, [&](fid_fabric** fabric) {
    return fi_fabric(info.fabric_attr, fabric, nullptr);
  });
  domain_ = opened<fid_domain>("fi_domain", name_, [&](fid_domain** domain) {
    return fi_domain(fabric_.get(), &info, domain, nullptr);
  });
  registerMemory(info, memory_bytes, access);
  addresses_ = opened<fid_av>("fi_av_open", name_, [&](fid_av** table) {
    fi_av_attr attributes{};
    attributes.type = FI_AV_TABLE;
    attributes.count = endpoints;
    return fi_av_open(domain_.get(), &attributes, table, nullptr);
  });
  queue_ = opened<fid_cq>("fi_cq_open", name_, [&](fid_cq** queue) {
    fi_cq_attr attributes{};
    attributes.size = queue_entries;
    attributes.format = FI_CQ_FORMAT_MSG;
    attributes.wait_obj = FI_WAIT_NONE;
    return fi_cq_open(domain_.get(), &attributes, queue, nullptr);
  });
  openEndpoints(info, endpoints);
}

void OfiHost::registerMemory(const fi_info& info, std::size_t bytes, std::uint64_t access) {
  const std::size_t length = bytes > 0 ? bytes : 1;
  region_ =
      opened<fid_mr>("fi_mr_reg", fmt::format("{}, {} B", name_, bytes), [&](fid_mr** region) {
        return fi_mr_reg(domain_.get(), memory_.get(), length, access, 0, drawKey(info), 0, region,
                         nullptr);
      });
  const bool by_address = (info.domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  remote_address_ = by_address ? reinterpret_cast<std::uint64_t>(memory_.get()) : 0;
}

void OfiHost::openEndpoints(fi_info& info, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    checkWork();  // an endpoint may take 20 MB
    const std::string where = fmt::format("{} {}", name_, i);
    auto endpoint = opened<fid_ep>("fi_endpoint", where, [&](fid_ep** object) {
      return fi_endpoint(domain_.get(), &info, object, nullptr);
    });
    check(fi_ep_bind(endpoint.get(), &addresses_->fid, 0), "fi_ep_bind", where);
    check(fi_ep_bind(endpoint.get(), &queue_->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind", where);
    check(fi_enable(endpoint.get()), "fi_enable", where);
    endpoints_.push_back(std::move(endpoint));
  }
}

std::vector<OfiName> OfiHost::names() const {
  std::vector<OfiName> names;
  for (const Fid<fid_ep>& endpoint : endpoints_) {
    std::size_t length = 0;
    fi_getname(&endpoint->fid, nullptr, &length);  // returns the length of the name
    OfiName name(length);
    check(fi_getname(&endpoint->fid, name.data(), &length), "fi_getname", name_);
    names.push_back(std::move(name));
  }
  return names;
}

void OfiHost::meet(const std::vector<OfiName>& peer) {
  const std::size_t own_length = names().front().size();
  for (const OfiName& name : peer) {
    // It may come from another program, and the provider trusts its length.
    if (!text_names_ && name.size() != own_length) {
      throw Error(ErrorKind::kTester,
                  fmt::format("the peer's name of an endpoint has {} B, this provider's have {} B",
                              name.size(), own_length),
                  name_, "the same provider and the same kind of address on both hosts");
    }
    OfiName padded = name;
    padded.resize(kLongestName + 1);
    fi_addr_t address = FI_ADDR_UNSPEC;
    const int inserted = fi_av_insert(addresses_.get(), padded.data(), 1, &address, 0, nullptr);
    check(inserted, "fi_av_insert", name_);
    if (inserted != 1) {
      throw endpoint::fault(endpoint::FaultKind::kOther, "fi_av_insert: the address was refused",
                            name_);
    }
    peers_.push_back(address);
  }
}

Error OfiHost::completionFault() const {
  fi_cq_err_entry entry{};
  const ssize_t code = fi_cq_readerr(queue_.get(), &entry, 0);
  if (code < 0) return ofiFault("fi_cq_readerr", code, name_);
  char text[256] = "";
  fi_cq_strerror(queue_.get(), entry.prov_errno, entry.err_data, text, sizeof text);
  endpoint::FaultKind kind = faultKindOf(entry.err);
  // "No such device" is a missing device when a call returns it, but a failed message here.
  if (kind == endpoint::FaultKind::kOther || kind == endpoint::FaultKind::kNoDevice) {
    kind = endpoint::FaultKind::kCompletion;
  }
  return endpoint::fault(
      kind, fmt::format("a message failed: {} ({})", fi_strerror(entry.err), text), name_);
}

}  // namespace plumbline::bench_ofi
