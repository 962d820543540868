// A serving system whose step times are plain numbers, for tests that compute by hand.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>

#include "serving/serving_model.h"

namespace plumbline::serving {

inline StepTable stepTable(const std::string& lines) {
  std::istringstream text("phase,batch,tokens,context,ms\n" + lines);
  return StepTable::parse(text, "times.csv");
}

// One prefill and one decode worker with a GPU and a NIC each, CFG A (131,072 bytes of KV cache a
// token, 32 layers), plenty of pages. Prefill takes 0.1 ms per token, a decode step 2 ms whatever
// its batch. All else takes no time: no router, control, posting or reaction.
inline ServingSpec plainSpec() {
  ServingSpec spec;
  spec.model = *builtInModel("cfg-a");
  spec.accelerator = *builtInAccelerator("h100");
  spec.times = stepTable(
      "prefill,1,1,0,0.1\nprefill,1,100000,0,10000\nprefill,1,1,100000,0.1\n"
      "prefill,1,100000,100000,10000\n"
      "decode,1,1,0,2\ndecode,1,1,10000000,2\ndecode,100000,100000,0,2\n"
      "decode,100000,100000,10000000,2\n");
  spec.servers.prefill = {1, 1, 1};
  spec.servers.decode = {1, 1, 1};
  spec.servers.gpus = spec.servers.nics = 1;
  spec.scheduler.max_tokens = 1'000'000;
  spec.transfer.unit = TransferUnit::kRequest;
  spec.transfer.post = spec.transfer.control = Picoseconds();
  spec.router.delay = Picoseconds();
  spec.reaction = Picoseconds();
  spec.prefill_pages = spec.decode_pages = 20'000;
  spec.check_every = 20'011;
  return spec;
}

inline WorkloadSpec fixedWorkload(double rate, std::uint32_t prompt, std::uint32_t output,
                                  std::uint64_t requests) {
  WorkloadSpec spec;
  spec.arrivals.rate = rate;
  spec.prompt.low = prompt;
  spec.output.low = output;
  spec.requests = requests;
  return spec;
}

inline ServingResult runServing(const ServingSpec& spec, const WorkloadSpec& workload,
                                TransferNetwork& network) {
  ServingModel model(spec, Workload(workload, spec.seed), network);
  return model.run();
}

inline ServingResult runServing(const ServingSpec& spec, const WorkloadSpec& workload) {
  InfiniteNetwork network;
  return runServing(spec, workload, network);
}

inline Picoseconds stageTime(const RequestRecord& record, Stage stage) {
  return record.first_stages[static_cast<std::size_t>(stage)];
}

}  // namespace plumbline::serving
