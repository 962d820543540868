// Division of a request's KV cache into messages: units, the time when each is ready, and the cost
// of posting it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "serving/mapping.h"
#include "serving/model_profile.h"

namespace plumbline::serving {

enum class TransferUnit {
  kRequest,  // one message per flow, after prefill
  kLayer,    // one message per flow and layer, during prefill
  kBlock,    // a page with all of its layers is one descriptor; after prefill
  kPage,     // keys and values of a page in one layer are two descriptors (the MLA latent: one);
             // posted layer by layer during prefill
};

enum class TransferVerb {
  kWriteImmediate,  // prefill writes; the last write carries an immediate
  kRead,            // decode reads after prefill, on notification
};

struct TransferSpec {
  TransferUnit unit = TransferUnit::kLayer;
  TransferVerb verb = TransferVerb::kWriteImmediate;
  Picoseconds post = nanoseconds(200);  // per descriptor, one after the other on each flow
  std::uint32_t outstanding = 128;      // in-flight messages per flow
  std::uint32_t messages = 64;          // per flow that the descriptors of kBlock are grouped into
  Picoseconds control = microseconds(50);  // one way of a control message between the workers
  bool missing_only = false;               // do not send pages that decode has in its cache
};

// Throws Error(kUsage): kLayer and kPage cannot be read after prefill, counts are 1 or more.
void check(const TransferSpec& spec);

// Tokens of one request that a step computed from `start` to `end`.
struct PrefillChunk {
  Picoseconds start;
  Picoseconds end;
  std::uint64_t tokens = 0;
};

// One message of a flow.
struct KvMessage {
  Picoseconds ready;  // its content is computed
  std::uint64_t bytes = 0;
  std::uint32_t descriptors = 1;
};

// The messages of `flow` of KV cache computed in `chunk`: those of a layer are ready after its
// share of the step, (l + 1) / layers. With kRequest and kBlock only the `last` chunk has any,
// which then represents all `total` tokens. Bytes are exact: their sum over the chunks is
// flowBytes() of all tokens. `page` in tokens.
std::vector<KvMessage> kvMessages(const TransferSpec& spec, const ModelProfile& model,
                                  const KvFlow& flow, const PrefillChunk& chunk, bool last,
                                  std::uint64_t total, std::uint32_t page);

// The part of a layer-wise transfer that prefill does not hide, without path latency:
//   max(t, L t - (L - 1) T / L)   T of `prefill`, t per layer of `wire`, L `layers`.
Picoseconds layerwiseExposure(Picoseconds prefill, Picoseconds wire, std::uint32_t layers);

}  // namespace plumbline::serving
