#include "endpoint/device_configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "bench/sim/nic_figures.h"
#include "endpoint/sys_file.h"

namespace plumbline::endpoint {
namespace {

namespace fs = std::filesystem;

// Directories of a device in /sys.
struct DevicePaths {
  DevicePaths(const std::string& device, const std::string& root)
      : top(root),
        rdma(top / "sys/class/infiniband" / device),
        parent(firstLine(rdma / "parent")),
        hardware(parent ? top / "sys/class/net" / *parent / "device" : rdma / "device") {}

  fs::path top;
  fs::path rdma;
  // A soft-RoCE device names the network interface that it uses; the hardware is that one's.
  std::optional<std::string> parent;
  fs::path hardware;
};

std::string driverText(const DevicePaths& paths) {
  const auto driver = linkName(paths.hardware / "driver");
  if (!paths.parent) return driver ? *driver : unknown("/sys names none");
  return fmt::format("soft-RoCE in the kernel, on {} ({})", *paths.parent,
                     driver.value_or("no hardware"));
}

std::string nodeText(const DevicePaths& paths) {
  const auto node = firstLine(paths.hardware / "numa_node");
  if (!node) return unknown("/sys names none");
  return *node == "-1" ? "none that the firmware names" : *node;
}

std::string pcieText(const DevicePaths& paths) {
  const auto link = [&](const char* which) -> std::optional<std::string> {
    const auto speed = firstLine(paths.hardware / fmt::format("{}_link_speed", which));
    const auto width = firstLine(paths.hardware / fmt::format("{}_link_width", which));
    if (!speed || !width) return std::nullopt;
    return fmt::format("{}, x{}", *speed, *width);
  };
  const auto current = link("current");
  if (!current) return unknown("the hardware below has no PCIe link that /sys shows");
  const auto max = link("max");
  return !max || *max == *current ? *current : fmt::format("{}; the device can {}", *current, *max);
}

// The kind of a group shows whether addresses are translated ("DMA") or not ("identity").
std::string iommuGroupText(const DevicePaths& paths) {
  const auto group = linkName(paths.hardware / "iommu_group");
  if (!group) return "none: its addresses are not translated";
  const fs::path type = paths.top / "sys/kernel/iommu_groups" / *group / "type";
  return fmt::format("{}, {}", *group, lineOrUnknown(type, "/sys does not tell its kind"));
}

std::string portText(const fs::path& port) {
  const auto state = firstLine(port / "state");
  if (!state) return unknown("/sys shows no such port");
  return fmt::format("{}, {}", *state, firstLine(port / "link_layer").value_or("link unknown"));
}

std::string gidText(const fs::path& port, unsigned index) {
  const auto name = std::to_string(index);
  const auto gid = firstLine(port / "gids" / name);
  const auto type = firstLine(port / "gid_attrs/types" / name);
  return fmt::format("index {}: {}", index,
                     gid && type ? fmt::format("{}, {}", *gid, *type)
                                 : unknown("the port has none of this index"));
}

std::string interfaceText(const fs::path& net) {
  const auto mtu = firstLine(net / "mtu");
  const auto speed = firstLine(net / "speed");  // Mb/s; -1 if the driver does not know it
  return fmt::format("{}, MTU {}, {}", net.filename().string(),
                     mtu ? *mtu + " B" : std::string("unknown"),
                     speed && !speed->starts_with('-') ? *speed + " Mb/s" : "speed unknown");
}

// One side's congestion control settings, which only NVIDIA's driver package shows.
std::string ecnText(const fs::path& net, const char* side) {
  const fs::path directory = net / "ecn" / side;
  std::vector<std::string> priorities;
  for (const std::string& priority : numberedIn(directory / "enable", "")) {
    if (firstLine(directory / "enable" / priority) == "1") priorities.push_back(priority);
  }
  std::error_code error;
  if (!fs::exists(directory, error)) {
    return unknown(
        fmt::format("the driver has no /sys/class/net/{}/ecn/{}", net.filename().string(), side));
  }
  std::string text = priorities.empty()
                         ? "off for all priorities"
                         : fmt::format("on for priority {}", fmt::join(priorities, ", "));
  for (const char* name : {"cnp_dscp", "cnp_802p_prio", "min_time_between_cnps"}) {
    if (const auto value = firstLine(directory / name)) {
      text += fmt::format("; {} {}", name, *value);
    }
  }
  return text;
}

// The interface whose address the GID is; nothing if unknown.
std::optional<std::string> interfaceOf(const DevicePaths& paths, const fs::path& port,
                                       unsigned gid_index) {
  const auto named = firstLine(port / "gid_attrs/ndevs" / std::to_string(gid_index));
  return named ? named : paths.parent;
}

}  // namespace

std::string driverOf(const std::string& device, const std::string& root) {
  const DevicePaths paths(device, root);
  return paths.parent ? std::string(bench::kSoftRoce)
                      : linkName(paths.hardware / "driver").value_or("");
}

Configuration deviceConfiguration(const DevicePort& port, const std::string& root) {
  const DevicePaths paths(port.device, root);
  const fs::path directory = paths.rdma / "ports" / std::to_string(port.port);
  Configuration configuration{
      {"RDMA device", port.device},
      {"Driver", driverText(paths)},
      {"Firmware", lineOrUnknown(paths.rdma / "fw_ver", "the driver reports no version")},
      {"Board", lineOrUnknown(paths.rdma / "board_id", "the driver names none")},
      {"NUMA node of the device", nodeText(paths)},
      {"PCIe link", pcieText(paths)},
      {"IOMMU group of the device", iommuGroupText(paths)},
      {fmt::format("Port {}", port.port), portText(directory)},
      {"Port's speed and width", lineOrUnknown(directory / "rate", "/sys shows no such port")},
      {"GID", gidText(directory, port.gid_index)},
  };
  const auto interface = interfaceOf(paths, directory, port.gid_index);
  const std::string no_interface = unknown("no network interface belongs to the GID");
  const auto add = [&](const char* name, auto text) {
    configuration.emplace_back(
        name, interface ? text(paths.top / "sys/class/net" / *interface) : no_interface);
  };
  add("Network interface", interfaceText);
  add("ECN as receiver", [](const fs::path& net) { return ecnText(net, "roce_np"); });
  add("ECN as sender", [](const fs::path& net) { return ecnText(net, "roce_rp"); });
  add("PFC", [](const fs::path& net) {
    return unknown(fmt::format("drivers do not show it under /sys; `dcb pfc show dev {}` does",
                               net.filename().string()));
  });
  return configuration;
}

}  // namespace plumbline::endpoint
