#include "bench_verbs/device_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace plumbline::bench_verbs {

std::string chooseDevice(const VerbsLibrary& library, const std::string& wanted) {
  const std::vector<std::string> devices = library.devices();
  if (devices.empty()) {
    throw Error(ErrorKind::kUnsupported, "this machine has no RDMA device", "verbs bench",
                "a machine with an RDMA NIC and its driver, or soft-RoCE (`rdma link add rxe0 type "
                "rxe netdev eth0`); `ibv_devices` lists what there is. The libfabric bench needs "
                "no such device");
  }
  if (wanted.empty()) return devices.front();
  if (std::find(devices.begin(), devices.end(), wanted) == devices.end()) {
    throw Error(ErrorKind::kUnsupported, fmt::format("there is no RDMA device {}", wanted),
                "endpoint.device", fmt::format("one of {}", fmt::join(devices, ", ")));
  }
  return wanted;
}

}  // namespace plumbline::bench_verbs
