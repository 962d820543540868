// The state of a request and of the workers while the model runs; for serving_*.cc only.
#pragma once

#include <cstddef>
#include <vector>

#include "serving/serving_model.h"

namespace plumbline::serving {

// One flow of a request's KV cache.
struct ServingModel::FlowState {
  KvFlow flow;
  std::vector<KvMessage> messages;  // in their order; `ready` of messages handed over: when posted
  std::size_t next = 0;             // to be handed to the network
  std::uint32_t in_flight = 0;
  Picoseconds posted;  // when the sender has posted the last one
};

struct ServingModel::Live {
  Sequence sequence;
  std::uint32_t output = 0;  // hidden from the schedulers
  std::size_t record = 0;
  Stage stage = Stage::kRouter;
  Picoseconds since;  // in the stage
  bool open = false;  // in the system
  std::uint32_t prefill_worker = 0;
  std::uint32_t decode_worker = 0;
  bool asked = false;            // requested pages of the decode worker
  bool granted = false;          // has them
  Picoseconds granted_at;        // when the prefill worker is notified
  bool computed = false;         // its last chunk has been formed
  bool prefilled = false;        // prefill is over
  bool resend = false;           // its KV cache was sent before
  std::uint32_t skip = 0;        // tokens from the front that decode has already
  std::uint64_t sending = 0;     // tokens of KV cache in transfer
  std::uint64_t sent_bytes = 0;  // of this transfer
  Picoseconds first_post = kNever;
  Picoseconds last_arrival;
  std::vector<PrefillChunk> chunks;  // computed (or being computed), not yet handed to the flows
  std::vector<FlowState> flows;
  std::uint64_t messages_left = 0;  // waiting or in flight
  bool lost = false;                // one of its messages was given up
};

// The pages in use of a worker since they last changed.
struct PageCount {
  Picoseconds since;
  std::uint64_t used = 0;
  bool decode = false;  // a decode worker's
};

struct ServingModel::PrefillState {
  PrefillWorker worker;
  std::vector<PrefillWorker::Item> step;
  bool busy = false;
  bool kicked = false;
  Picoseconds stalled_since = kNever;
  std::uint64_t outstanding = 0;
  PageCount pages{};
};

struct ServingModel::DecodeState {
  DecodeWorker worker;
  Picoseconds step_start;
  bool busy = false;
  bool kicked = false;
  std::uint64_t outstanding = 0;
  PageCount pages{{}, 0, true};
};

}  // namespace plumbline::serving
