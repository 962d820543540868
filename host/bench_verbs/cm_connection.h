// Queue pairs connected by the connection manager (librdmacm), both ends in this program.
#pragma once

#include "bench_verbs/verbs_library.h"

namespace plumbline::bench_verbs {

// Both ends at `spec.address`, one connection after the other. Throws verbsFault(), also when the
// connection manager answers with anything but the next step.
EndPair connectByManager(const bench::EndpointSpec& spec, const EndSpec& initiator,
                         const EndSpec& target);

}  // namespace plumbline::bench_verbs
