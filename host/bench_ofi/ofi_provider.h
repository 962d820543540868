// The libfabric providers of this machine, and their properties.
#pragma once

#include <rdma/fabric.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "bench/trial/endpoint_spec.h"

namespace plumbline::bench_ofi {

struct InfoDeleter {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, InfoDeleter>;

// Closes objects of libfabric: fid_ep, fid_cq and so on.
struct FidDeleter {
  template <typename Object>
  void operator()(Object* object) const {
    fi_close(&object->fid);
  }
};
template <typename Object>
using Fid = std::unique_ptr<Object, FidDeleter>;

// Range of an endpoint's messages. Providers for a single host do not have the latter.
enum class Reach { kThisHost, kOtherHosts };

// Names of the providers with reliable datagram endpoints, sorted, each once.
std::vector<std::string> providers(Reach reach);

// The endpoint that `spec` names: with messages and remote memory access, and completions that mean
// delivery if the provider supports it (deliveryComplete()). Throws Error(kUnsupported) listing the
// available providers if there is none.
Info findProvider(const bench::EndpointSpec& spec, Reach reach);

// Whether a completion means that the bytes are in the target's memory.
bool deliveryComplete(const fi_info& info);

// The shortest message whose completion the provider reports: shm and ofi_rxd do not report some
// empty ones (libfabric 1.17).
Bytes minMessage(const fi_info& info);

// For the report; includes the provider's information on its NIC, if it has one.
std::vector<std::pair<std::string, std::string>> describe(const fi_info& info);

}  // namespace plumbline::bench_ofi
