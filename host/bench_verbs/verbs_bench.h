// VerbsBench: messages over the queue pairs of an RDMA NIC, through rdma-core.
#pragma once

#include <optional>

#include "endpoint/endpoint_bench.h"

namespace plumbline::bench_verbs {

class VerbsBench final : public endpoint::EndpointBench {
 public:
  // Without `spec` a bench that reports its capabilities and runs nothing. Throws
  // Error(kUnsupported) when this machine does not have the device.
  VerbsBench(const std::optional<bench::EndpointSpec>& spec, BitRate line_rate);
};

}  // namespace plumbline::bench_verbs
