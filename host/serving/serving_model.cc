#include "serving/serving_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/work.h"
#include "serving/serving_sampler.h"
#include "serving/serving_state.h"

namespace plumbline::serving {
namespace {

#ifdef NDEBUG
constexpr std::uint32_t kCheckEvery = 0;
#else
constexpr std::uint32_t kCheckEvery = 4096;
#endif
// Number of events after which the run checks for cancellation.
constexpr std::uint64_t kEventsOfWork = 1024;
// A client of a closed loop whose request was refused sends the next one after this time.
constexpr Picoseconds kRetry = milliseconds(1);

// Pages of an attention group of `pool`.
std::uint64_t pagesOf(const ServingSpec& spec, const PoolShape& pool,
                      const std::optional<std::uint64_t>& given) {
  if (given) return *given;
  return kvTokens(spec.model, spec.accelerator, pool, spec.memory) / spec.scheduler.page;
}

void checkWindow(const WindowSpec& window) {
  if (window.warmup < Picoseconds() || window.measure <= Picoseconds() ||
      window.drain < Picoseconds() || window.sample < Picoseconds()) {
    throw Error(ErrorKind::kUsage, "a measuring window that is empty or before the run", "window",
                "0 s or more to warm up, more than 0 s to measure");
  }
  const bool ends = window.measure != kNever && window.warmup < kNever - window.measure;
  if (!ends && (window.quiet || window.sample > Picoseconds())) {
    throw Error(ErrorKind::kUsage,
                "a measuring window without end that is sampled or followed by "
                "silence",
                "window", "a window that ends");
  }
}

void checkScaling(const ScalingSpec& scaling, std::uint32_t workers) {
  if (scaling.joining >= workers || scaling.leaving >= workers) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} of {} decode workers join and {} leave", scaling.joining, workers,
                            scaling.leaving),
                "scaling", "at least one that stays");
  }
  if (scaling.join < Picoseconds() || scaling.leave < Picoseconds() ||
      (scaling.joining > 0 && scaling.leaving > 0 && scaling.leave <= scaling.join)) {
    throw Error(ErrorKind::kUsage, "workers that leave before they join", "scaling",
                "leave after join");
  }
}

void checkPages(std::uint64_t pages) {
  if (pages >= 2 && pages <= KvCache::kMaxPages) return;
  throw Error(ErrorKind::kUsage, fmt::format("{} pages of KV cache", pages), "page",
              fmt::format("2 to {} of an attention group", KvCache::kMaxPages));
}

Picoseconds sumOrNever(Picoseconds a, Picoseconds b) { return b >= kNever - a ? kNever : a + b; }

}  // namespace

bool ServingModel::Event::operator>(const Event& o) const {
  if (time != o.time) return time > o.time;
  if (kind != o.kind) return kind > o.kind;
  return sequence > o.sequence;
}

void check(const ServingSpec& spec) {
  check(spec.model);
  check(spec.accelerator);
  check(spec.efficiency);
  check(spec.scheduler);
  check(spec.transfer);
  check(spec.router);
  checkWindow(spec.window);
  if (spec.reaction < Picoseconds()) {
    throw Error(ErrorKind::kUsage, "a negative reaction time", "reaction", "0 s or more");
  }
  checkScaling(spec.scaling, spec.servers.decode.workers);
  const Mapping possible(spec.servers, spec.model);
  checkPages(pagesOf(spec, spec.servers.prefill, spec.prefill_pages));
  checkPages(pagesOf(spec, spec.servers.decode, spec.decode_pages));
}

double cacheBytes(const ServingSpec& spec) {
  const auto pages = [&](const PoolShape& pool, const std::optional<std::uint64_t>& given) {
    return static_cast<double>(pagesOf(spec, pool, given)) * pool.workers * pool.dp_attention;
  };
  return (pages(spec.servers.prefill, spec.prefill_pages) +
          pages(spec.servers.decode, spec.decode_pages)) *
         static_cast<double>(KvCache::kBytesOfPage);
}

ServingModel::ServingModel(const ServingSpec& spec, Workload workload, TransferNetwork& network,
                           std::uint32_t first_nic)
    : spec_((check(spec), spec)),
      workload_(std::move(workload)),
      network_(network),
      first_nic_(first_nic),
      mapping_(spec.servers, spec.model),
      router_(spec.router, spec.servers.prefill.workers, spec.servers.decode.workers, spec.seed),
      kv_per_token_(kvBytesPerToken(spec.model)) {
  window_end_ = sumOrNever(spec.window.warmup, spec.window.measure);
  if (spec_.check_every == 0) spec_.check_every = kCheckEvery;
  const PoolShape& prefill = spec.servers.prefill;
  const PoolShape& decode = spec.servers.decode;
  const std::uint32_t ahead = spec.first_token == FirstToken::kPrefill ? 1 : 0;
  const std::uint64_t prefill_pages = pagesOf(spec, prefill, spec.prefill_pages);
  const std::uint64_t decode_pages = pagesOf(spec, decode, spec.decode_pages);
  prefill_.reserve(prefill.workers);
  for (std::uint32_t i = 0; i < prefill.workers; ++i) {
    prefill_.push_back({PrefillWorker(spec.scheduler, prefill.dp_attention, prefill_pages), {}});
  }
  decode_.reserve(decode.workers);
  for (std::uint32_t i = 0; i < decode.workers; ++i) {
    decode_.push_back({DecodeWorker(spec.scheduler, decode.dp_attention, decode_pages, ahead), {}});
  }
  plantLeaks();
  result_.prefill.resize(prefill.workers);
  for (WorkerUse& use : result_.prefill) use.pages = prefill_pages * prefill.dp_attention;
  result_.decode.resize(decode.workers);
  for (WorkerUse& use : result_.decode) use.pages = decode_pages * decode.dp_attention;
  if (spec.window.sample > Picoseconds()) samples_ = std::make_unique<ServingSampler>();
  prefill_report_.resize(prefill.workers);
  decode_report_.resize(decode.workers);
  result_.closed_loop = workload_.spec().arrivals.kind == ArrivalKind::kClosed;
}

// Implements `memory.leak`. Each cache draws separately.
void ServingModel::plantLeaks() {
  if (spec_.memory.leak <= 0) return;
  const auto plant = [this](std::span<KvCache> caches, const char* pool, std::size_t worker) {
    for (std::size_t group = 0; group < caches.size(); ++group) {
      const std::string name = fmt::format("serving/leak/{}/{}/{}", pool, worker, group);
      caches[group].leak(spec_.memory.leak, RandomStream(spec_.seed, name));
    }
  };
  for (std::size_t i = 0; i < prefill_.size(); ++i)
    plant(prefill_[i].worker.caches(), "prefill", i);
  for (std::size_t i = 0; i < decode_.size(); ++i) plant(decode_[i].worker.caches(), "decode", i);
}

ServingModel::~ServingModel() = default;

void ServingModel::at(Picoseconds time, Kind kind, std::uint64_t what) {
  events_.push({time, kind, sequence_++, what});
}

ServingResult ServingModel::run() {
  ServingModel* const alone = this;
  return std::move(runTogether({&alone, 1}).front());
}

std::vector<ServingResult> ServingModel::runTogether(std::span<ServingModel* const> models) {
  for (ServingModel* model : models) model->begin();
  drive(models);
  Picoseconds end;
  for (const ServingModel* model : models) end = std::max(end, model->now_);
  std::vector<ServingResult> results;
  results.reserve(models.size());
  for (ServingModel* model : models) {
    model->now_ = end;
    model->finishRun();
    results.push_back(std::move(model->result_));
  }
  return results;
}

void ServingModel::begin() {
  const std::uint32_t clients =
      result_.closed_loop ? workload_.spec().arrivals.concurrency : std::uint32_t{1};
  for (std::uint32_t i = 0; i < clients; ++i) scheduleArrival(Picoseconds());
  if (spec_.router.signal_interval > Picoseconds()) at(Picoseconds(), Kind::kReport, 0);
  if (samples_) at(spec_.window.sample, Kind::kSample, 0);
  const ScalingSpec& scaling = spec_.scaling;
  const std::uint32_t all = spec_.servers.decode.workers;
  if (scaling.joining > 0) {
    router_.setDecodeWorkers(all - scaling.joining);
    at(scaling.join, Kind::kScale, all);
  }
  if (scaling.leaving > 0) at(scaling.leave, Kind::kScale, all - scaling.leaving);
}

Picoseconds ServingModel::nextEvent() const {
  return events_.empty() ? kNever : events_.top().time;
}

void ServingModel::drive(std::span<ServingModel* const> models) {
  TransferNetwork& network = models.front()->network_;
  Picoseconds deadline;
  Picoseconds react = kNever;
  for (const ServingModel* model : models) {
    deadline = std::max(deadline, sumOrNever(model->window_end_, model->spec_.window.drain));
    react = std::min(react, std::max(model->spec_.reaction - Picoseconds(1), Picoseconds()));
  }
  const auto isOver = [](const ServingModel* model) { return model->over(); };
  std::vector<Arrival> arrivals;
  while (!std::all_of(models.begin(), models.end(), isOver)) {
    const Picoseconds on_network = network.nextEvent();
    Picoseconds in_models = kNever;
    std::uint64_t in_systems = 0;
    for (const ServingModel* model : models) {
      in_models = std::min(in_models, model->nextEvent());
      in_systems += model->in_system_;
    }
    if (on_network == kNever && in_models == kNever) {
      if (in_systems == 0) return;
      throw Error(ErrorKind::kTester,
                  fmt::format("{} requests are in the system and nothing happens", in_systems),
                  "serving model", "this is a fault of the model or of the network");
    }
    if (network.stuck()) {
      for (ServingModel* model : models) model->result_.stuck = true;
      return;
    }
    const Picoseconds until = std::min(in_models, sumOrNever(on_network, react));
    if (until > deadline) {
      for (ServingModel* model : models) model->now_ = deadline;
      return;
    }
    arrivals.clear();
    network.runUntil(until, arrivals);
    for (const Arrival& arrival : arrivals) {
      const auto after = std::find_if(models.begin(), models.end(), [&](const ServingModel* model) {
        return model->first_nic_ > arrival.nic;
      });
      ServingModel& owner = **std::prev(after);
      owner.at(arrival.time, arrival.lost ? Kind::kLost : Kind::kDelivered, arrival.id);
    }
    for (ServingModel* model : models) model->handleUntil(until, models.size() == 1);
  }
}

void ServingModel::handleUntil(Picoseconds until, bool stop_when_over) {
  while (!events_.empty() && events_.top().time <= until && !(stop_when_over && over())) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.time;
    handle(event);
    ++handled_;
    if (handled_ % kEventsOfWork == 0) checkWork();
    if (spec_.check_every != 0 && handled_ % spec_.check_every == 0) checkInvariants(false);
  }
}

void ServingModel::handle(const Event& event) {
  const auto worker = static_cast<std::uint32_t>(event.what);
  switch (event.kind) {
    case Kind::kSample:
      addSample();
      break;
    case Kind::kScale:
      router_.setDecodeWorkers(static_cast<std::uint32_t>(event.what));
      break;
    case Kind::kReport:
      report();
      break;
    case Kind::kDelivered:
    case Kind::kLost:
      delivered(event.what, event.kind == Kind::kLost);
      break;
    case Kind::kPrefillEnd:
      endPrefill(worker);
      break;
    case Kind::kDecodeEnd:
      endDecode(worker);
      break;
    case Kind::kArrival:
      arrive();
      break;
    case Kind::kRouted:
      routed(*live_[event.what]);
      break;
    case Kind::kPrefillKick:
      formPrefill(worker);
      break;
    case Kind::kDecodeKick:
      formDecode(worker);
      break;
  }
}

// Whether all measured requests are over, and no more can arrive.
bool ServingModel::over() const {
  if (measured_open_ > 0) return false;
  // Of a window that is sampled every sample is taken.
  if (samples_ &&
      result_.samples.size() < static_cast<std::size_t>(window_end_ / spec_.window.sample))
    return false;
  if (exhausted_) {
    return in_system_ == 0 || (spec_.window.measure != kNever && !spec_.window.quiet);
  }
  return window_end_ != kNever && now_ >= window_end_;
}

// Schedules the next request of the workload, not before `earliest`.
void ServingModel::scheduleArrival(Picoseconds earliest) {
  if (result_.closed_loop) {
    at(earliest, Kind::kArrival, 0);
    return;
  }
  next_request_ = workload_.next();
  if (next_request_ && spec_.window.quiet && next_request_->arrival >= window_end_) {
    next_request_.reset();
  }
  if (next_request_) {
    at(next_request_->arrival, Kind::kArrival, 0);
  } else {
    exhausted_ = true;
  }
}

ServingModel::Live& ServingModel::fresh() {
  std::uint32_t slot = 0;
  if (unused_.empty()) {
    slot = static_cast<std::uint32_t>(live_.size());
    live_.push_back(std::make_unique<Live>());
  } else {
    slot = unused_.back();
    unused_.pop_back();
    *live_[slot] = Live();
  }
  live_[slot]->sequence.slot = slot;
  return *live_[slot];
}

ServingModel::Live& ServingModel::liveOf(const Sequence& sequence) { return *live_[sequence.slot]; }

void ServingModel::arrive() {
  if (result_.closed_loop) next_request_ = workload_.next();
  if (!next_request_) {
    exhausted_ = true;
    return;
  }
  const Request request = std::move(*next_request_);
  RequestRecord record;
  record.prompt = request.prompt;
  record.output = request.output;
  record.arrival = now_;
  record.measured = now_ >= spec_.window.warmup && now_ < window_end_;
  const bool fits = prefill_.front().worker.canEverFit(request.prompt) &&
                    decode_.front().worker.canEverFit(request.prompt);
  if (!fits) record.outcome = Outcome::kRejected;
  result_.requests.push_back(record);
  if (fits) {
    Live& live = fresh();
    Sequence& sequence = live.sequence;
    live.record = result_.requests.size() - 1;
    live.output = request.output;
    live.since = now_;
    sequence.arrival = now_;
    sequence.number = live.record;
    sequence.prompt = request.prompt;
    sequence.target = request.prompt;
    if (spec_.scheduler.prefix_cache) sequence.hashes = pageHashes(request, spec_.scheduler.page);
    ++in_system_;
    result_.peak_requests = std::max(result_.peak_requests, in_system_);
    if (record.measured) ++measured_open_;
    route(live);
  } else {
    ++rejected_;
    if (result_.closed_loop) scheduleArrival(now_ + kRetry);
  }
  if (!result_.closed_loop) scheduleArrival(now_);
}

void ServingModel::report() {
  for (std::size_t i = 0; i < prefill_.size(); ++i) {
    prefill_report_[i] = {prefill_[i].outstanding, usedPages(prefill_[i].worker.caches())};
  }
  for (std::size_t i = 0; i < decode_.size(); ++i) {
    decode_report_[i] = {decode_[i].outstanding, usedPages(decode_[i].worker.caches())};
  }
  const Picoseconds interval = spec_.router.signal_interval;
  const bool goes_on = !exhausted_ || in_system_ > 0;
  if (interval > Picoseconds() && goes_on) at(now_ + interval, Kind::kReport, 0);
}

void ServingModel::route(Live& live) {
  enter(live, Stage::kRouter);
  if (spec_.router.signal_interval == Picoseconds()) report();
  const Sequence& sequence = live.sequence;
  const std::uint64_t pages = pagesFor(sequence.target, spec_.scheduler.page);
  live.prefill_worker = router_.prefill(prefill_report_, sequence.hashes, pages, now_);
  live.decode_worker =
      router_.decode(live.prefill_worker, decode_report_, sequence.hashes, pages, now_);
  ++prefill_[live.prefill_worker].outstanding;
  ++decode_[live.decode_worker].outstanding;
  RequestRecord& record = result_.requests[live.record];
  record.prefill_worker = live.prefill_worker;
  record.decode_worker = live.decode_worker;
  at(now_ + spec_.router.delay, Kind::kRouted, sequence.slot);
}

void ServingModel::routed(Live& live) {
  RequestRecord& record = result_.requests[live.record];
  record.routed = std::min(record.routed, now_);
  enter(live, Stage::kPrefillQueue);
  prefill_[live.prefill_worker].worker.add(live.sequence);
  kickPrefill(live.prefill_worker);
}

// Brings the integrals of the stages up to now.
void ServingModel::countTime() {
  const std::int64_t passed = (now_ - stages_since_).count();
  if (passed == 0) return;
  stages_since_ = now_;
  for (std::size_t i = 0; i < kStages; ++i) {
    result_.stage_integral[i] += static_cast<Int128>(in_stage_[i]) * passed;
  }
}

// Brings the integral of a worker's pages up to now, after they have changed.
void ServingModel::countPages(std::span<const KvCache> caches, PageCount& count, WorkerUse& use) {
  use.page_time += static_cast<Int128>(count.used) * (now_ - count.since).count();
  count.since = now_;
  const std::uint64_t before = std::exchange(count.used, usedPages(caches));
  if (samples_ && before != count.used) {
    PoolWatch& pool = count.decode ? samples_->decode() : samples_->prefill();
    pool.changed(before, count.used, now_);
  }
  use.peak_pages = std::max(use.peak_pages, count.used);
}

void ServingModel::enter(Live& live, Stage stage) {
  if (live.open) leave(live);
  countTime();
  live.open = true;
  live.stage = stage;
  live.since = now_;
  ++in_stage_[static_cast<std::size_t>(stage)];
}

void ServingModel::leave(Live& live) {
  countTime();
  const auto stage = static_cast<std::size_t>(live.stage);
  --in_stage_[stage];
  result_.requests[live.record].stages[stage] += now_ - live.since;
  live.since = now_;
  live.open = false;
}

void ServingModel::end(Live& live, Outcome outcome) {
  leave(live);
  RequestRecord& record = result_.requests[live.record];
  record.outcome = outcome;
  record.generated = live.sequence.generated;
  if (outcome == Outcome::kDone) record.done = record.last_token;
  --decode_[live.decode_worker].outstanding;
  --in_system_;
  ++over_;
  if (record.measured) --measured_open_;
  unused_.push_back(live.sequence.slot);
  if (result_.closed_loop) scheduleArrival(now_);
}

// Messages are handed to the network ahead of their posting times: those whose time is after the
// end of the run were never posted.
void ServingModel::removeUnposted(Live& live) {
  RequestRecord& record = result_.requests[live.record];
  for (const FlowState& flow : live.flows) {
    for (std::size_t i = 0; i < flow.next; ++i) {
      const KvMessage& message = flow.messages[i];
      if (message.ready <= now_) continue;
      live.sent_bytes -= message.bytes;
      (live.resend ? record.resent : record.bytes) -= message.bytes;
      result_.bytes -= message.bytes;
      if (live.resend) result_.resent_bytes -= message.bytes;
      --result_.messages;
    }
  }
  if (record.first_post != kNever && record.first_post > now_) record.first_post = kNever;
}

void ServingModel::finishRun() {
  countTime();
  for (const auto& live : live_) {
    if (!live->open) continue;
    removeUnposted(*live);
    RequestRecord& record = result_.requests[live->record];
    record.stages[static_cast<std::size_t>(live->stage)] += now_ - live->since;
    record.generated = live->sequence.generated;
    live->since = now_;
  }
  for (std::size_t i = 0; i < prefill_.size(); ++i) {
    countPages(prefill_[i].worker.caches(), prefill_[i].pages, result_.prefill[i]);
  }
  for (std::size_t i = 0; i < decode_.size(); ++i) {
    countPages(decode_[i].worker.caches(), decode_[i].pages, result_.decode[i]);
  }
  for (PrefillState& state : prefill_) {
    result_.evictions += evictions(state.worker.caches());
    if (state.stalled_since != kNever) result_.prefill_stalled += now_ - state.stalled_since;
  }
  for (const DecodeState& state : decode_) result_.evictions += evictions(state.worker.caches());
  if (samples_ && spec_.window.quiet) addSample();
  result_.end = now_;
  result_.window_start = std::min(spec_.window.warmup, now_);
  result_.window_end = std::min(window_end_, now_);
  checkInvariants(true);
  if (watch_) last_view_ = view();
}

}  // namespace plumbline::serving
