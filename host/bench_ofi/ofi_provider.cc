#include "bench_ofi/ofi_provider.h"

#include <fmt/format.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "bench_ofi/ofi_fault.h"
#include "endpoint/fault.h"

namespace plumbline::bench_ofi {
namespace {

constexpr std::uint32_t kApi = FI_VERSION(1, 14);

Info newHints(Reach reach) {
  Info hints(fi_allocinfo());
  hints->caps = FI_MSG | FI_RMA;
  if (reach == Reach::kOtherHosts) hints->caps |= FI_REMOTE_COMM;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  return hints;
}

// fi_freeinfo() frees it.
char* copyOf(const std::string& text) { return strdup(text.c_str()); }

int query(const fi_info& hints, const char* node, Info& found) {
  fi_info* list = nullptr;
  const int code = fi_getinfo(kApi, node, nullptr, node == nullptr ? 0 : FI_SOURCE, &hints, &list);
  found.reset(list);
  return code;
}

bool hasIpAddress(const fi_info& info) {
  return info.addr_format == FI_SOCKADDR || info.addr_format == FI_SOCKADDR_IN ||
         info.addr_format == FI_SOCKADDR_IN6;
}

// Providers without IP addresses take an address for a name that all their endpoints then share.
int queryWithAddress(const fi_info& hints, const std::string& address, Info& found) {
  const int code = query(hints, nullptr, found);
  if (code != 0 || address.empty() || !hasIpAddress(*found)) return code;
  return query(hints, address.c_str(), found);
}

// The first of the list in this domain; some providers ignore the hint.
Info inDomain(Info found, const std::string& domain) {
  const fi_info* info = found.get();
  while (info != nullptr && !domain.empty() && domain != info->domain_attr->name) info = info->next;
  return Info(info == nullptr ? nullptr : fi_dupinfo(info));
}

std::string textOr(const char* text, const char* otherwise) {
  return text == nullptr || *text == '\0' ? otherwise : text;
}

void describeNic(const fid_nic& nic, std::vector<std::pair<std::string, std::string>>& list) {
  if (const fi_device_attr* device = nic.device_attr) {
    list.emplace_back("NIC", textOr(device->name, "unnamed"));
    list.emplace_back("NIC driver", textOr(device->driver, "unknown"));
    list.emplace_back("NIC firmware", textOr(device->firmware, "unknown"));
  }
  if (const fi_link_attr* link = nic.link_attr) {
    list.emplace_back("NIC link", fmt::format("{}, {:.6g} Gb/s, MTU {} B",
                                              textOr(link->network_type, "unknown network"),
                                              static_cast<double>(link->speed) / 1e9, link->mtu));
  }
  if (nic.bus_attr != nullptr && nic.bus_attr->bus_type == FI_BUS_PCI) {
    const fi_pci_attr& pci = nic.bus_attr->attr.pci;
    list.emplace_back("NIC on PCIe", fmt::format("{:04x}:{:02x}:{:02x}.{}", pci.domain_id,
                                                 pci.bus_id, pci.device_id, pci.function_id));
  }
}

}  // namespace

std::vector<std::string> providers(Reach reach) {
  Info all;
  query(*newHints(reach), nullptr, all);
  std::set<std::string> names;
  for (const fi_info* info = all.get(); info != nullptr; info = info->next) {
    names.insert(info->fabric_attr->prov_name);
  }
  return {names.begin(), names.end()};
}

Info findProvider(const bench::EndpointSpec& spec, Reach reach) {
  const Info hints = newHints(reach);
  hints->fabric_attr->prov_name = copyOf(spec.provider);
  if (!spec.device.empty()) hints->domain_attr->name = copyOf(spec.device);
  hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
  Info found;
  int code = queryWithAddress(*hints, spec.address, found);
  if (code == -FI_ENODATA) {
    hints->tx_attr->op_flags = 0;
    code = queryWithAddress(*hints, spec.address, found);
  }
  found = inDomain(std::move(found), spec.device);
  if (!found) {
    std::string where = fmt::format("provider {}", spec.provider);
    if (!spec.device.empty()) where += ", domain " + spec.device;
    const bool away = reach == Reach::kOtherHosts;
    const auto names = providers(reach);
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("libfabric has no such endpoint{}: {}", away ? " that reaches other hosts" : "",
                    fi_strerror(code == 0 ? FI_ENODATA : -code)),
        where,
        fmt::format("providers of this machine{}: {}; `fi_info` lists their domains",
                    away ? " that do" : "", fmt::join(names, ", ")));
  }
  return found;
}

bool deliveryComplete(const fi_info& info) {
  return (info.tx_attr->op_flags & FI_DELIVERY_COMPLETE) != 0;
}

Bytes minMessage(const fi_info& info) {
  const std::string_view name = info.fabric_attr->prov_name;
  const bool empty = name.find("shm") == name.npos && name.find("ofi_rxd") == name.npos;
  return Bytes(empty ? 0 : 1);
}

std::vector<std::pair<std::string, std::string>> describe(const fi_info& info) {
  const std::uint32_t version = info.fabric_attr->prov_version;
  std::vector<std::pair<std::string, std::string>> list{
      {"libfabric provider",
       fmt::format("{} {}.{}", info.fabric_attr->prov_name, FI_MAJOR(version), FI_MINOR(version))},
      {"Protocol", fi_tostr(&info.ep_attr->protocol, FI_TYPE_PROTOCOL)},
      {"Domain", textOr(info.domain_attr->name, "unnamed")},
      {"A completion means", deliveryComplete(info)
                                 ? "the bytes are in the target's memory"
                                 : "the bytes have left this host's memory (the provider does not "
                                   "tell of their arrival)"},
      {"Largest message", info.ep_attr->max_msg_size == SIZE_MAX
                              ? "no limit"
                              : fmt::format("{} B", info.ep_attr->max_msg_size)}};
  if (info.nic != nullptr) describeNic(*info.nic, list);
  return list;
}

}  // namespace plumbline::bench_ofi
