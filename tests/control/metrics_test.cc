// /metrics against hand-made intervals, and against the live intervals of runs; the dashboard
// against /metrics.
#include "control/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <thread>

#include "base/json.h"
#include "control/live_metrics.h"
#include "stats/histogram.h"
#include "tests/control/exposition.h"
#include "tests/control/parts.h"
#include "tests/paths/paths.h"

namespace plumbline::control {
namespace {

using nlohmann::json;
using testing::IsEmpty;

// Half way through the first trial of a test on the card.
LiveInterval half() {
  LiveInterval live;
  live.run = 7;
  live.bench = "rtl";
  live.observed = "tester";
  live.elapsed_s = 4.5;
  live.trial.test = "T5.2";
  live.trial.number = 1;
  live.trial.expected = 6;
  live.trial.time_ps = 25'000'000;
  live.trial.total_ps = 100'000'000;
  live.trial.interval_ps = 25'000'000;
  LivePort port;
  port.name = "host0";
  port.tx_frames = 10;
  port.tx_bytes = 1'000;
  port.rx_frames = 4;
  port.rx_bytes = 400;
  port.tx_bps = 8e9;
  port.rx_bps = 16e9;
  port.pauses_received = 2;
  port.paused_ps = 3'000'000;
  port.priorities = {{3, 2, 3'000'000}};
  live.ports = {port};
  LiveLink link;
  link.name = "host0-switch0";
  link.bytes = 1'000;
  link.packets = 10;
  link.dropped = 1;
  link.marked = 2;
  link.queue_bytes = 300;
  link.queue_max_bytes = 500;
  link.utilisation = 0.5;
  live.links = {link};
  live.link_count = 1;
  live.congestion.marked = 2;
  live.latency = LiveLatency{2, 100, 200, 300, {{100, 1}, {200, 1}}};
  return live;
}

// The same trial at its end.
LiveInterval whole() {
  LiveInterval live = half();
  live.trial.ended = true;
  live.trial.time_ps = live.trial.total_ps = 100'000'000;
  live.trial.interval_ps = 75'000'000;
  live.ports[0].tx_bytes = 5'000;
  live.ports[0].priorities = {{0, 1, 1'000'000}, {3, 5, 4'000'000}};
  live.links[0].queue_max_bytes = 400;
  live.links[0].queue_bytes = 0;
  live.congestion.marked = 7;
  live.congestion.ce_received = 7;
  LiveFlow flow;
  flow.name = "a";
  flow.lost = 9;
  live.flows = {flow};
  live.flow_count = 1;
  live.latency = LiveLatency{3, 100, 200, 450, {{150, 1}}};
  return live;
}

Exposition shown(Metrics& metrics) {
  const Exposition all = readExposition(metrics.text({}));
  EXPECT_THAT(all.faults, IsEmpty());
  return all;
}

const std::string kPort = R"({bench="rtl",observed="tester",port="host0"})";
const std::string kLink = R"({bench="rtl",link="host0-switch0"})";

TEST(LiveMetrics, ARunningTrialIsShownAsItStands) {
  Metrics metrics;
  EXPECT_EQ(shown(metrics).count("plumbline_trial_number"), 0u);
  metrics.liveListener().onInterval(half());
  const Exposition all = shown(metrics);
  EXPECT_EQ(all["plumbline_port_transmit_bytes_total" + kPort], 1'000);
  EXPECT_EQ(all["plumbline_port_receive_frames_total" + kPort], 4);
  EXPECT_EQ(all["plumbline_port_transmit_bytes_per_second" + kPort], 1e9);
  EXPECT_EQ(all["plumbline_port_receive_bytes_per_second" + kPort], 2e9);
  EXPECT_EQ(all["plumbline_link_queue_bytes" + kLink], 300);
  EXPECT_EQ(all["plumbline_link_queue_max_bytes" + kLink], 500);
  EXPECT_EQ(all["plumbline_link_dropped_frames_total" + kLink], 1);
  const std::string run = R"({run="7",test="T5.2"})";
  EXPECT_EQ(all["plumbline_trial_number" + run], 1);
  EXPECT_EQ(all["plumbline_trials_expected" + run], 6);
  EXPECT_DOUBLE_EQ(all["plumbline_trial_progress_ratio" + run], 0.25);
  EXPECT_DOUBLE_EQ(all["plumbline_trial_elapsed_seconds" + run], 25e-6);
  EXPECT_EQ(all["plumbline_test_elapsed_seconds" + run], 4.5);
  // Of two frames, the smaller one is the median.
  EXPECT_DOUBLE_EQ(
      all[R"(plumbline_latency_seconds{bench="rtl",observed="tester",quantile="0.5"})"], 100e-12);
  EXPECT_EQ(all[R"(plumbline_latency_seconds_count{bench="rtl",observed="tester"})"], 2);
  EXPECT_DOUBLE_EQ(all[R"(plumbline_latency_seconds_sum{bench="rtl",observed="tester"})"], 300e-12);
  // Unknown values are absent: the remaining time, loss before the end, marks that arrived.
  for (const char* absent :
       {"plumbline_test_remaining_seconds", "plumbline_lost_frames_total",
        "plumbline_ecn_ce_received_frames_total", "plumbline_timeouts_total"}) {
    EXPECT_EQ(all.count(absent), 0u) << absent;
    EXPECT_FALSE(all.families.contains(absent)) << absent;
  }
}

// A trial of two tenants; the second one knows nothing of its workers.
LiveInterval servingTrial(std::uint64_t arrived, std::uint64_t done) {
  LiveInterval live;
  live.run = 7;
  live.bench = "sim";
  live.observed = "modelled";
  live.trial.number = 1;
  LiveServing first;
  first.name = "chat";
  first.arrived = arrived;
  first.done = done;
  first.tokens = 10 * done;
  first.transferring = 3;
  first.prefill.all = {2, 4, 30, 100};
  first.decode.all = {0, 8, 60, 200};
  first.measured.ttft_p99_s = 0.25;
  LiveServing second;
  second.name = "batch";
  second.arrived = 2 * arrived;
  live.serving = {first, second};
  return live;
}

TEST(LiveMetrics, ServingSystemsAreCountedAndShownByName) {
  Metrics metrics;
  LiveListener& live = metrics.liveListener();
  live.onInterval(servingTrial(10, 4));
  live.onInterval(servingTrial(25, 20));
  LiveInterval next = servingTrial(5, 5);
  next.trial.number = 2;
  live.onInterval(next);
  const Exposition all = shown(metrics);
  const std::string chat = R"({bench="sim",system="chat"})";
  // Totals of the first trial at its last interval, and those of the second one.
  EXPECT_EQ(all["plumbline_serving_requests_arrived_total" + chat], 25 + 5);
  EXPECT_EQ(all["plumbline_serving_requests_done_total" + chat], 20 + 5);
  EXPECT_EQ(all["plumbline_serving_tokens_total" + chat], 250);
  EXPECT_EQ(all[R"(plumbline_serving_requests_arrived_total{bench="sim",system="batch"})"],
            50 + 10);
  const std::string run = R"({bench="sim",system="chat",run="7")";
  EXPECT_EQ(all["plumbline_serving_requests_transferring" + run + "}"], 3);
  EXPECT_EQ(all["plumbline_serving_requests_waiting" + run + R"(,pool="prefill"})"], 2);
  EXPECT_EQ(all["plumbline_serving_requests_running" + run + R"(,pool="decode"})"], 8);
  EXPECT_EQ(all["plumbline_serving_kv_pages_used" + run + R"(,pool="decode"})"], 60);
  EXPECT_EQ(all["plumbline_serving_ttft_seconds" + run + R"(,quantile="0.99"})"], 0.25);
  EXPECT_EQ(all.count("plumbline_serving_itl_seconds"), 0u);
  EXPECT_EQ(all.count(R"(plumbline_serving_requests_waiting{bench="sim",system="batch",run="7",)"
                      R"(pool="prefill"})"),
            0u);
  RunState ended;
  ended.id = 7;
  live.onRun(ended);
  const Exposition after = shown(metrics);
  EXPECT_EQ(after.count("plumbline_serving_requests_waiting"), 0u);
  EXPECT_EQ(after["plumbline_serving_requests_done_total" + chat], 25);
}

TEST(LiveMetrics, CountersAddUpOverTrialsAndGaugesEndWithTheRun) {
  Metrics metrics;
  LiveListener& live = metrics.liveListener();
  live.onInterval(half());
  live.onInterval(whole());
  LiveInterval second = whole();
  second.trial.number = 2;
  second.trial.faults = {"late start"};
  live.onInterval(second);  // a trial too short for intervals of its own
  LiveInterval stored = whole();
  stored.trial.number = 3;
  stored.trial.stored = true;
  live.onInterval(stored);  // not measured now
  Exposition all = shown(metrics);
  EXPECT_EQ(all["plumbline_port_transmit_bytes_total" + kPort], 10'000);
  EXPECT_EQ(all[R"(plumbline_transmit_bytes_total{bench="rtl",observed="tester"})"], 10'000);
  const auto priority = [](const char* number) {
    return R"({bench="rtl",observed="tester",port="host0",priority=")" + std::string(number) +
           R"("})";
  };
  EXPECT_EQ(all["plumbline_port_pauses_total" + priority("3")], 10);
  EXPECT_DOUBLE_EQ(all["plumbline_port_paused_seconds_total" + priority("3")], 8e-6);
  EXPECT_DOUBLE_EQ(all["plumbline_port_paused_seconds_total" + priority("0")], 2e-6);
  EXPECT_FALSE(all.has("plumbline_port_pauses_total" + priority("1")));
  // All ports together were watched for every priority.
  EXPECT_EQ(all[R"(plumbline_pauses_total{bench="rtl",observed="tester",priority="1"})"], 0);
  EXPECT_EQ(all[R"(plumbline_lost_frames_total{bench="rtl",observed="tester"})"], 18);
  EXPECT_EQ(all[R"(plumbline_dut_ecn_marked_frames_total{bench="rtl"})"], 14);
  EXPECT_EQ(all[R"(plumbline_ecn_ce_received_frames_total{bench="rtl"})"], 14);
  EXPECT_EQ(all[R"(plumbline_trials_total{bench="rtl",valid="true"})"], 1);
  EXPECT_EQ(all[R"(plumbline_trials_total{bench="rtl",valid="false"})"], 1);
  EXPECT_DOUBLE_EQ(all[R"(plumbline_trial_seconds_total{bench="rtl"})"], 200e-6);
  EXPECT_EQ(all.count("plumbline_trial_number"), 1u);

  RunState ended;
  ended.id = 7;
  live.onRun(ended);
  all = shown(metrics);
  EXPECT_EQ(all.count("plumbline_trial_number"), 0u);
  EXPECT_EQ(all.count("plumbline_port_transmit_bytes_per_second"), 0u);
  EXPECT_EQ(all.count("plumbline_link_queue_bytes"), 0u);
  EXPECT_EQ(all["plumbline_port_transmit_bytes_total" + kPort], 10'000);
}

TEST(LiveMetrics, TheDeepestQueueAndTheQuantilesAreOfTheWholeTrial) {
  Metrics metrics;
  metrics.liveListener().onInterval(half());
  metrics.liveListener().onInterval(whole());
  const Exposition all = shown(metrics);
  EXPECT_EQ(all["plumbline_link_queue_max_bytes" + kLink], 500);
  EXPECT_DOUBLE_EQ(
      all[R"(plumbline_latency_seconds{bench="rtl",observed="tester",quantile="0.5"})"], 150e-12);
  EXPECT_DOUBLE_EQ(
      all[R"(plumbline_latency_seconds{bench="rtl",observed="tester",quantile="0.999"})"], 200e-12);
  EXPECT_EQ(all[R"(plumbline_latency_seconds_count{bench="rtl",observed="tester"})"], 3);
}

TEST(LiveMetrics, ManyPortsHaveTotalsAndTheTopOnes) {
  const auto withPorts = [](std::uint32_t ports) {
    LiveInterval live = whole();
    live.latency.reset();
    live.ports.clear();
    for (std::uint32_t i = 0; i < ports; ++i) {
      LivePort& port = live.ports.emplace_back();
      port.name = "host" + std::to_string(i);
      port.tx_bytes = i + 1;
    }
    live.links.clear();
    for (std::uint32_t i = 0; i < ports; ++i) {
      LiveLink& link = live.links.emplace_back();
      link.name = "host" + std::to_string(i) + "-leaf0";
      link.queue_max_bytes = ports - i;
    }
    return live;
  };
  Metrics few;
  few.liveListener().onInterval(withPorts(256));
  EXPECT_EQ(shown(few).count("plumbline_port_transmit_bytes_total"), 256u);
  EXPECT_EQ(shown(few).count("plumbline_link_queue_max_bytes"), 256u);
  Metrics many;
  many.liveListener().onInterval(withPorts(257));
  const Exposition all = shown(many);
  EXPECT_EQ(all.count("plumbline_port_transmit_bytes_total"), 16u);
  EXPECT_TRUE(all.has(
      R"(plumbline_port_transmit_bytes_total{bench="rtl",observed="tester",port="host256"})"));
  EXPECT_EQ(all.count("plumbline_link_queue_max_bytes"), 16u);
  EXPECT_TRUE(all.has(R"(plumbline_link_queue_max_bytes{bench="rtl",link="host0-leaf0"})"));
  EXPECT_EQ(all[R"(plumbline_transmit_bytes_total{bench="rtl",observed="tester"})"], 257 * 258 / 2);
}

// Runs on a server without sockets. A run is held before each trial, so that the server can be
// queried while the run is surely active.
class MetricsOfRuns : public testing::Test {
 protected:
  json ask(const std::string& method, const std::string& target, const std::string& body = {}) {
    ApiRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.host = "localhost:8470";
    if (method == "POST") request.content_type = "application/json";
    const ApiAnswer answer = parts_.api.handle(request);
    EXPECT_LT(answer.status, 300) << answer.body;
    return target == "/metrics" ? json(answer.body) : json::parse(answer.body);
  }
  Exposition metrics() {
    Exposition all = readExposition(ask("GET", "/metrics").get<std::string>());
    EXPECT_THAT(all.faults, IsEmpty());
    for (const auto& [name, family] : all.families) seen_.insert(name);
    return all;
  }
  json until(std::int64_t run, const std::function<bool(const json&)>& condition) {
    for (;;) {
      json state = ask("GET", "/api/v1/runs/" + std::to_string(run));
      if (condition(state)) return state;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  // Runs the scenario, reading the metrics between trials. Returns the intervals of ended trials.
  std::vector<LiveInterval> run(std::int64_t id, const std::string& scenario) {
    const auto subscriber = parts_.live.subscribe(0, [] {});
    ask("POST", "/api/v1/runs",
        json{{"scenario", {{"scenario", scenario}, {"bench", "sim"}}}, {"start", {{"hold_s", 600}}}}
            .dump());
    for (std::uint64_t trial = 1;; ++trial) {
      const json state = until(id, [&](const json& now) {
        return !now.at("active").get<bool>() ||
               (!now.at("waiting").is_null() && now.at("waiting").at("trial") >= trial);
      });
      if (!state.at("active").get<bool>()) {
        EXPECT_EQ(state.at("status"), "done");
        break;
      }
      trial = state.at("waiting").at("trial");  // one that is stored already does not wait
      if (trial > 1) metrics();
      const std::int64_t at =
          ask("GET", "/api/v1/clock").at("answered_ns").get<std::int64_t>() + 50'000'000;
      ask("POST", "/api/v1/runs/" + std::to_string(id) + "/start",
          json{{"trial", trial}, {"at_ns", at}}.dump());
    }
    std::vector<LiveInterval> ended;
    while (const auto text = subscriber->take()) {
      const auto message = parseMessage(*text);
      if (!message || !std::holds_alternative<LiveInterval>(*message)) continue;
      const LiveInterval& live = std::get<LiveInterval>(*message);
      if (live.run == id && live.trial.ended) ended.push_back(live);
    }
    return ended;
  }

  ServerParts parts_;
  std::set<std::string> seen_;  // families, over all looks
};

// Four hosts into one, with ECN and pauses, messages over RoCEv2.
constexpr const char* kIncast = R"(plumbline: 1
name: incast
test: free
dut:
  topology: {kind: switch, hosts: 5, link: 100G}
  switch:
    shared_buffer: {total: 16MB}
    ecn: {priorities: 3, kmin: 20KB, kmax: 80KB, pmax: 100%}
    pfc: {priorities: 3, xoff: 30KB, headroom: 160KB}
transport: {kind: roce, mtu: 4KiB, dcqcn: hpcc}
workload: {kind: incast, ranks: 5, size: 1MiB, messages: 1}
parameters: {repetitions: 3}
)";

constexpr const char* kStreams = R"(plumbline: 1
name: streams
test: T5.2
profile: quick
dut:
  topology: {kind: switch, hosts: 2, link: 100G}
traffic: {message_sizes: [1KiB], pairs: [[0, 1]]}
parameters: {loads: [50%], repetitions: 2, duration: 200us}
)";

// A prefill and a decode worker of one NIC each.
constexpr const char* kServing = R"(plumbline: 1
name: serving
test: I6.1
profile: quick
dut:
  topology: {kind: pools, prefill_leaves: 1, decode_leaves: 1, hosts_per_leaf: 1, spines: 1, link: 400G}
  switch:
    shared_buffer: {total: 64MB}
    pfc: {priorities: 3, xoff: 250KB, headroom: 300KB}
serving:
  model: cfg-a
  accelerator: h100
  servers: {gpus: 1, nics: 1, prefill: {workers: 1, tp: 1}, decode: {workers: 1, tp: 1}}
parameters: {repetitions: 2, prompts: [128]}
)";

TEST_F(MetricsOfRuns, AddUpToTheLiveIntervals) {
  const std::vector<LiveInterval> trials = run(1, kIncast);
  ASSERT_EQ(trials.size(), 3u);
  const Exposition all = metrics();
  double tx = 0;
  double rx = 0;
  double pauses = 0;
  double paused = 0;
  double marked = 0;
  double ce = 0;
  double of_host1 = 0;
  for (const LiveInterval& live : trials) {
    for (const LivePort& port : live.ports) {
      tx += static_cast<double>(port.tx_bytes);
      rx += static_cast<double>(port.rx_frames);
      pauses += static_cast<double>(port.pauses_received);
      paused += static_cast<double>(port.paused_ps) / 1e12;
      if (port.name == "host1") of_host1 += static_cast<double>(port.tx_frames);
    }
    marked += static_cast<double>(live.congestion.marked.value());
    ce += static_cast<double>(live.congestion.ce_received.value());
  }
  EXPECT_GT(pauses, 0);
  EXPECT_GT(ce, 0);
  EXPECT_EQ(all.sum("plumbline_port_transmit_bytes_total"), tx);
  EXPECT_EQ(all.sum("plumbline_transmit_bytes_total"), tx);
  EXPECT_EQ(all.sum("plumbline_port_receive_frames_total"), rx);
  EXPECT_EQ(all.sum("plumbline_port_pauses_total"), pauses);
  EXPECT_NEAR(all.sum("plumbline_port_paused_seconds_total"), paused, 1e-12);
  EXPECT_NEAR(all.sum("plumbline_paused_seconds_total"), paused, 1e-12);
  EXPECT_EQ(all.sum("plumbline_dut_ecn_marked_frames_total"), marked);
  EXPECT_EQ(all.sum("plumbline_ecn_ce_received_frames_total"), ce);
  EXPECT_EQ(
      all[R"(plumbline_port_transmit_frames_total{bench="sim",observed="modelled",port="host1"})"],
      of_host1);
  EXPECT_EQ(all[R"(plumbline_latency_seconds_count{bench="sim",observed="modelled"})"],
            static_cast<double>(trials.back().latency->count));
  EXPECT_EQ(all.count("plumbline_lost_frames_total"), 0u);  // messages have no such count
}

// Every metric of a query of the dashboard is one that a server has.
TEST_F(MetricsOfRuns, TheDashboardAsksForWhatThereIs) {
  run(1, kIncast);
  run(2, kStreams);
  run(3, kServing);
  metrics();
  std::ifstream file(checkoutPath("docs/grafana/plumbline.json"));
  const json dashboard = json::parse(file);
  static const std::regex kName("plumbline_[a-z_]+");
  std::size_t queries = 0;
  for (const json& panel : dashboard.at("panels")) {
    for (const json& target : panel.at("targets")) {
      const std::string query = target.at("expr");
      ++queries;
      std::size_t names = 0;
      for (std::sregex_iterator name(query.begin(), query.end(), kName), end; name != end; ++name) {
        ++names;
        EXPECT_TRUE(seen_.contains(name->str())) << panel.at("title") << ": " << name->str();
      }
      EXPECT_GT(names, 0u) << query;
    }
  }
  EXPECT_GE(queries, 20u);
  // The table of docs/control.md has all that was seen, and no others.
  std::ifstream docs(checkoutPath("docs/control.md"));
  const std::string text{std::istreambuf_iterator<char>(docs), {}};
  for (const std::string& name : seen_) {
    EXPECT_NE(text.find("`" + name), std::string::npos) << name << " is not in docs/control.md";
  }
}

}  // namespace
}  // namespace plumbline::control
