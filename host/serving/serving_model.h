// A disaggregated serving system: a router, prefill workers, KV transfer over a network, decode
// workers. Single-threaded, with its own event queue, deterministic: the same specification, seed
// and network give the same bytes. docs/model/serving.md has the equations and omissions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "base/units.h"
#include "serving/accelerator_profile.h"
#include "serving/decode_worker.h"
#include "serving/kv_transfer.h"
#include "serving/mapping.h"
#include "serving/model_profile.h"
#include "serving/prefill_worker.h"
#include "serving/request_record.h"
#include "serving/router.h"
#include "serving/scheduler_spec.h"
#include "serving/serving_result.h"
#include "serving/serving_view.h"
#include "serving/step_time.h"
#include "serving/transfer_network.h"
#include "serving/workload.h"

namespace plumbline::serving {

// Pool that emits the first token of an answer.
enum class FirstToken {
  kDecode,   // the first decode step: KV transfer is part of the TTFT (the draft)
  kPrefill,  // the end of prefill: KV transfer is part of the first gap (most engines)
};

// Requests that arrive in [warmup, warmup + measure) are measured. The load continues until the
// last of them is done, but not beyond warmup + measure + drain.
struct WindowSpec {
  Picoseconds warmup;
  Picoseconds measure = kNever;  // kNever: until the end of the workload
  Picoseconds drain = kNever;    // kNever: without a limit
  // No request arrives after the window, and the run continues until the system is empty.
  bool quiet = false;
  // The state of the system is sampled at every multiple of this time up to the end of the window;
  // 0: never.
  Picoseconds sample{};
};

// Decode workers that join and leave, the last ones of the pool. Before they join, and after they
// have left, the router gives them no requests; they finish those that they have.
struct ScalingSpec {
  std::uint32_t joining = 0;
  Picoseconds join{};  // time from which the router uses them
  std::uint32_t leaving = 0;
  Picoseconds leave{};
};

struct ServingSpec {
  ModelProfile model;
  AcceleratorProfile accelerator;
  Efficiency efficiency;
  std::optional<StepTable> times;  // instead of the roofline
  MappingSpec servers;
  KvMemory memory;
  SchedulerSpec scheduler;
  TransferSpec transfer;
  RouterSpec router;
  FirstToken first_token = FirstToken::kDecode;
  WindowSpec window;
  ScalingSpec scaling;
  Picoseconds reaction = microseconds(5);  // from a decision of host software to its effect
  std::uint64_t seed = 1;
  // Pages of an attention group, instead of as many as fit into the memory.
  std::optional<std::uint64_t> prefill_pages;
  std::optional<std::uint64_t> decode_pages;
  // Interval of invariant checks in events; 0: only at the end. In debug builds 4096.
  std::uint32_t check_every = 0;
};

// Throws what the model's constructor would throw, without allocating its KV caches: Error(kUsage)
// for an invalid specification.
void check(const ServingSpec& spec);

// Memory of the model's KV caches [bytes]. `spec` has passed check().
double cacheBytes(const ServingSpec& spec);

struct PageCount;
class ServingSampler;

class ServingModel {
 public:
  // Throws Error(kUsage) for an invalid specification. `network` has spec.servers' NICs, from
  // number `first_nic` on, and outlives the model.
  ServingModel(const ServingSpec& spec, Workload workload, TransferNetwork& network,
               std::uint32_t first_nic = 0);
  ~ServingModel();
  ServingModel(const ServingModel&) = delete;
  ServingModel& operator=(const ServingModel&) = delete;

  // Before the run: enables view(). `slo` decides which requests are within limits. Does not affect
  // the run.
  void watch(const SloSpec& slo);
  // State of a watched model's run after the last event that it has handled: KV cache that has
  // arrived since then counts as still in transfer. Called from the network during the run, or
  // after the run.
  [[nodiscard]] ServingView view();

  // Runs the model; call once.
  ServingResult run();
  // Runs systems on one network, once: by ascending `first_nic`. They end together, so that the
  // load of each continues until the last measured request of all is over; the drain is the longest
  // one.
  static std::vector<ServingResult> runTogether(std::span<ServingModel* const> models);

 private:
  struct Live;
  struct FlowState;
  struct PrefillState;
  struct DecodeState;
  // Kinds of events; at equal times the first kind goes first.
  enum class Kind : std::uint8_t {
    kSample,
    kScale,
    kReport,
    kDelivered,
    kLost,
    kPrefillEnd,
    kDecodeEnd,
    kArrival,
    kRouted,
    // After all other events of this time, so that one batch has all of their sequences.
    kPrefillKick,
    kDecodeKick,
  };
  struct Event {
    Picoseconds time;
    Kind kind = Kind::kSample;
    std::uint64_t sequence = 0;
    std::uint64_t what = 0;  // slot, worker or transfer
    bool operator>(const Event& o) const;
  };

  // serving_model.cc: the loop, arrivals, routing.
  void plantLeaks();
  void at(Picoseconds time, Kind kind, std::uint64_t what);
  static void drive(std::span<ServingModel* const> models);
  void begin();
  [[nodiscard]] Picoseconds nextEvent() const;
  void handleUntil(Picoseconds until, bool stop_when_over);
  void handle(const Event& event);
  void scheduleArrival(Picoseconds earliest);
  void arrive();
  void route(Live& live);
  void routed(Live& live);
  Live& fresh();
  [[nodiscard]] Live& liveOf(const Sequence& sequence);
  void report();
  void countTime();
  void countPages(std::span<const KvCache> caches, PageCount& count, WorkerUse& use);
  void addSample();
  [[nodiscard]] std::vector<WorkerView> workersOf(bool decode) const;
  void removeUnposted(Live& live);
  void finishRun();
  void enter(Live& live, Stage stage);
  void leave(Live& live);
  void end(Live& live, Outcome outcome);
  [[nodiscard]] bool over() const;

  // serving_prefill.cc
  void kickPrefill(std::uint32_t worker);
  void formPrefill(std::uint32_t worker);
  void endPrefill(std::uint32_t worker);
  void requestPages(Live& live);
  void granted(Live& live);
  void grant(std::uint32_t worker);
  void postReady(Live& live);
  void postFlow(Live& live, std::uint32_t flow);
  void delivered(std::uint64_t id, bool lost);
  void transferred(Live& live);

  // serving_decode.cc
  void kickDecode(std::uint32_t worker);
  void formDecode(std::uint32_t worker);
  void endDecode(std::uint32_t worker);
  void preempted(const DecodeWorker::Preempted& sequences);
  void again(Live& live);
  void token(Live& live, Picoseconds step_start);
  [[nodiscard]] std::uint32_t limitOf(const Live& live) const;
  [[nodiscard]] Picoseconds prefillTime(const StepLoad& load);
  [[nodiscard]] Picoseconds decodeTime(const DecodeWorker::Step& step);

  // serving_invariants.cc
  void checkInvariants(bool at_end) const;

  ServingSpec spec_;
  Workload workload_;
  TransferNetwork& network_;
  std::uint32_t first_nic_;
  Mapping mapping_;
  Router router_;
  std::uint64_t kv_per_token_;
  Picoseconds window_end_;

  std::vector<PrefillState> prefill_;
  std::vector<DecodeState> decode_;
  std::vector<std::unique_ptr<Live>> live_;  // by slot
  std::vector<std::uint32_t> unused_;
  std::optional<Request> next_request_;
  std::vector<WorkerLoad> prefill_report_;
  std::vector<WorkerLoad> decode_report_;

  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t sequence_ = 0;
  std::uint64_t handled_ = 0;
  Picoseconds now_;
  bool exhausted_ = false;           // no more requests
  std::uint64_t measured_open_ = 0;  // measured requests that are not over
  std::uint64_t in_system_ = 0;
  std::uint64_t rejected_ = 0;
  std::uint64_t over_ = 0;           // requests done or failed
  std::uint64_t bytes_arrived_ = 0;  // of transfers that are complete
  std::uint64_t bytes_lost_ = 0;     // of transfers that failed
  std::array<std::uint64_t, kStages> in_stage_{};
  Picoseconds stages_since_;
  std::unique_ptr<ServingSampler> samples_;  // where samples are taken
  std::optional<ServingWatch> watch_;
  std::optional<ServingView> last_view_;  // of a run that is over
  ServingResult result_;
};

}  // namespace plumbline::serving
