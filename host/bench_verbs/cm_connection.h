// Queue pairs connected by the connection manager (librdmacm).
#pragma once

#include <memory>

#include "bench_verbs/verbs_library.h"

namespace plumbline::bench_verbs {

// Both ends at `spec.address`, one connection after the other. Throws verbsFault(), also when the
// connection manager answers with anything but the next step, or not at all.
EndPair connectByManager(const bench::EndpointSpec& spec, const EndSpec& initiator,
                         const EndSpec& target);

// The end that calls the peer's address, and the one that waits for calls at `spec.address`.
std::unique_ptr<OpenEnd> openCaller(const bench::EndpointSpec& spec, const EndSpec& end);
std::unique_ptr<OpenEnd> openListener(const bench::EndpointSpec& spec, const EndSpec& end);

}  // namespace plumbline::bench_verbs
