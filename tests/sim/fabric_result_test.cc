// The fabric's part of a result, to JSON and back.
#include "bench/trial/fabric_result.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "base/json.h"

namespace plumbline::bench {
namespace {

stats::Histogram histogram(std::uint64_t value) {
  stats::Histogram histogram;
  histogram.record(value);
  histogram.record(3 * value);
  return histogram;
}

// No two fields are equal, and none has its default.
FabricResult everything() {
  std::uint64_t next = 1'000;
  const auto count = [&next] { return ++next; };
  const auto time = [&count] { return Picoseconds(static_cast<std::int64_t>(count())); };
  FabricResult result;
  result.sim_end = time();
  result.load_end = time();
  result.packet_hops = count();
  fabric::LinkCounters& total = result.total;
  for (std::uint64_t* field :
       {&total.packets, &total.bytes, &total.control, &total.marked, &total.trimmed,
        &total.max_queue_bytes, &total.xoff_received, &total.pauses, &total.xoff_sent,
        &total.watchdog_events, &total.damaged, &total.replayed, &total.retries, &total.inits}) {
    *field = count();
  }
  for (std::uint64_t& drops : total.drops) drops = count();
  for (Picoseconds& paused : total.paused) paused = time();
  total.retry_total = time();
  total.retry_max = time();
  result.frames_inside = count();
  result.link_jfi = 0.875;
  result.link_mmr = 1.5;
  result.fabric_links = count();
  for (const char* name : {"leaf0-spine1", "spine1-leaf0"}) {
    LinkLoad link;
    link.name = name;
    link.rate = BitRate(static_cast<std::int64_t>(count()));
    link.between_switches = true;
    link.packets = count();
    link.bytes = count();
    link.dropped = count();
    link.marked = count();
    link.max_queue_bytes = count();
    link.paused = time();
    link.pauses = count();
    link.pause_frames = count();
    for (Picoseconds& paused : link.paused_by_priority) paused = time();
    link.utilisation = 0.1 + 1.0 / static_cast<double>(count());
    HopRetries& hop = link.retries.emplace();
    hop.bit_error_rate = 1e-6;
    for (std::uint64_t* field : {&hop.damaged, &hop.nacks, &hop.nacks_lost, &hop.retries,
                                 &hop.given_up, &hop.replayed, &hop.replayed_bytes}) {
      *field = count();
    }
    hop.latency = histogram(count());
    hop.timed_latency = histogram(count());
    hop.computed = {time(), time()};
    result.links.push_back(link);
  }
  transport::EndpointStats& ends = result.endpoints;
  for (std::uint64_t* field :
       {&ends.data_sent, &ends.bytes_sent, &ends.retransmitted, &ends.control_sent,
        &ends.data_received, &ends.payload_received, &ends.duplicates, &ends.out_of_order,
        &ends.discarded, &ends.ce_received, &ends.trimmed_received, &ends.cnp_sent,
        &ends.cnp_received, &ends.nack_received, &ends.timeouts, &ends.messages_completed,
        &ends.messages_failed}) {
    *field = count();
  }
  ends.latency = histogram(count());
  result.data_lost = count();
  Samples& samples = result.samples.emplace();
  samples.interval = time();
  const auto id = [&count] { return static_cast<std::uint32_t>(count()); };
  samples.flows.push_back({id(), id(), id()});
  Sample& sample = samples.samples.emplace_back();
  sample.dropped = count();
  sample.marked = count();
  sample.pauses = count();
  sample.paused = time();
  sample.received = {count()};
  sample.recovery = RecoveryCounts{count(), count(), count()};
  samples.spans.push_back({"leaf0-host1", 3, time(), time()});
  samples.span_count = count();
  samples.losses = count();
  samples.first_drop = time();
  samples.last_drop = time();
  result.loss_times = LossTimes{time(), time(), time()};
  result.first_mark = FirstMark{time(), "leaf0-host1", count()};
  result.peak_rate = PeakRate{time(), count()};
  result.credit = CreditUse{count(), count()};
  transport::ConnectionStats& connections = result.connections.emplace();
  for (std::uint64_t* field : {&connections.opened, &connections.established, &connections.failed,
                               &connections.max_open_connections}) {
    *field = count();
  }
  connections.first_opened = time();
  connections.last_established = time();
  connections.setup = histogram(count());
  result.flows.flows = count();
  result.flows.jfi = 0.625;
  result.flows.goodput_min_gbps = 1.25;
  result.flows.goodput_mean_gbps = 2.5;
  result.flows.goodput_max_gbps = 1.0 / 3;
  JobOutcome job;
  job.name = "a \"job\"";
  job.finished = true;
  job.iterations = {time(), time()};
  job.iteration_starts = {time(), time()};
  job.completion = time();
  job.messages_completed = count();
  job.messages_failed = count();
  job.messages_open = count();
  job.bytes_arrived = count();
  job.arrived = PayloadArrived{count(), time()};
  job.bytes_per_rank = count();
  job.message_time = histogram(count());
  job.open_age = histogram(count());
  job.arrival_time = histogram(count());
  job.active = time();
  job.flow_jfi = 0.9375;
  result.jobs.push_back(job);
  result.peak_rss_bytes = count();
  return result;
}

TEST(FabricResult, ComesBackFromItsText) {
  const FabricResult sent = everything();
  const std::string text = sent.toJson();
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const FabricResult back = FabricResult::fromJson(text);
  EXPECT_EQ(back.toJson(), text);

  EXPECT_EQ(back.sim_end, sent.sim_end);
  EXPECT_EQ(back.load_end, sent.load_end);
  EXPECT_EQ(back.packet_hops, sent.packet_hops);
  EXPECT_EQ(back.samples, sent.samples);
  EXPECT_EQ(back.total.drops, sent.total.drops);
  EXPECT_EQ(back.total.paused, sent.total.paused);
  EXPECT_EQ(back.total.retry_max, sent.total.retry_max);
  EXPECT_EQ(back.total.replayed, sent.total.replayed);
  EXPECT_EQ(back.link_mmr, sent.link_mmr);
  ASSERT_EQ(back.links.size(), 2U);
  EXPECT_EQ(back.links[1].name, "spine1-leaf0");
  EXPECT_EQ(back.links[1].rate, sent.links[1].rate);
  EXPECT_EQ(back.links[1].utilisation, sent.links[1].utilisation);
  EXPECT_EQ(back.links[1].pause_frames, sent.links[1].pause_frames);
  ASSERT_TRUE(back.links[1].retries);
  EXPECT_EQ(back.links[1].retries->bit_error_rate, 1e-6);
  EXPECT_EQ(back.links[1].retries->nacks, sent.links[1].retries->nacks);
  EXPECT_EQ(back.links[1].retries->computed.max, sent.links[1].retries->computed.max);
  EXPECT_EQ(back.links[1].retries->latency.maximum(), sent.links[1].retries->latency.maximum());
  EXPECT_EQ(back.endpoints.messages_failed, sent.endpoints.messages_failed);
  EXPECT_EQ(back.endpoints.latency.maximum(), sent.endpoints.latency.maximum());
  ASSERT_TRUE(back.loss_times && back.credit && back.connections);
  EXPECT_EQ(back.loss_times->resent, sent.loss_times->resent);
  EXPECT_EQ(back.credit->arrived, sent.credit->arrived);
  EXPECT_EQ(back.connections->max_open_connections, sent.connections->max_open_connections);
  EXPECT_EQ(back.connections->last_established, sent.connections->last_established);
  EXPECT_EQ(back.connections->setup.maximum(), sent.connections->setup.maximum());
  EXPECT_EQ(back.flows.goodput_max_gbps, sent.flows.goodput_max_gbps);
  ASSERT_TRUE(back.first_mark);
  EXPECT_EQ(back.first_mark->link, "leaf0-host1");
  EXPECT_EQ(back.first_mark->time, sent.first_mark->time);
  ASSERT_TRUE(back.peak_rate);
  EXPECT_EQ(back.peak_rate->interval, sent.peak_rate->interval);
  EXPECT_EQ(back.peak_rate->bytes, sent.peak_rate->bytes);
  ASSERT_EQ(back.jobs.size(), 1U);
  ASSERT_TRUE(back.jobs[0].arrival_time);
  EXPECT_EQ(back.jobs[0].arrival_time->maximum(), sent.jobs[0].arrival_time->maximum());
  EXPECT_EQ(back.jobs[0].name, sent.jobs[0].name);
  ASSERT_TRUE(back.jobs[0].arrived);
  EXPECT_EQ(back.jobs[0].arrived->bytes, sent.jobs[0].arrived->bytes);
  EXPECT_EQ(back.jobs[0].arrived->time, sent.jobs[0].arrived->time);
  EXPECT_EQ(back.jobs[0].iterations, sent.jobs[0].iterations);
  EXPECT_EQ(back.jobs[0].message_time.count(), 2U);
  EXPECT_EQ(back.jobs[0].open_age.maximum(), sent.jobs[0].open_age.maximum());
  EXPECT_EQ(back.peak_rss_bytes, sent.peak_rss_bytes);
}

// Every number of the text above is one of the input, each once: no field is left out, and none is
// written in place of another.
TEST(FabricResult, WritesEveryField) {
  const nlohmann::json json = nlohmann::json::parse(everything().toJson());
  const nlohmann::json fields = json.flatten();
  std::map<std::uint64_t, unsigned> seen;
  for (const auto& [path, value] : fields.items()) {
    if (!value.is_number_integer() || path.find("latency/") != std::string::npos ||
        path.find("setup/") != std::string::npos ||
        path.find("/message_time") != std::string::npos ||
        path.find("/arrival_time") != std::string::npos ||
        path.find("/open_age") != std::string::npos) {
      continue;
    }
    ++seen[value.get<std::uint64_t>()];
  }
  // The format's number, and all counts but those of two utilisations and nine histograms.
  std::uint64_t numbers = 0;
  for (const auto& [value, times] : seen) {
    EXPECT_EQ(times, 1U) << value;
    if (value > 1'000) ++numbers;
  }
  const std::uint64_t counts = json.at("peak_rss_bytes").get<std::uint64_t>() - 1'000;
  EXPECT_EQ(numbers, counts - 2 - 9);
}

// Results from before lost NACKs, replay limits, old frames, INITs, the PAUSE frames of links and
// the ages of open messages were counted can still be read.
TEST(FabricResult, ReadsWhatAnOlderProgramWrote) {
  nlohmann::json json = nlohmann::json::parse(everything().toJson());
  nlohmann::json& drops = json.at("total").at("drops");
  drops.erase(drops.size() - 1);
  drops.erase(drops.size() - 1);
  json.at("total").erase("inits");
  json.erase("load_end_ps");
  json.at("jobs").at(0).erase("open_age");
  for (nlohmann::json& link : json.at("links")) {
    link.at("retries").erase("nacks_lost");
    link.at("retries").erase("timed_latency");
    link.erase("pause_frames");
  }
  const FabricResult sent = everything();
  const FabricResult back = FabricResult::fromJson(json.dump());
  EXPECT_EQ(back.total.drops[7], sent.total.drops[7]);
  EXPECT_EQ(back.total.drops[8], 0U);
  EXPECT_EQ(back.total.drops[9], 0U);
  EXPECT_EQ(back.total.inits, 0U);
  EXPECT_EQ(back.load_end, sent.sim_end);
  // May be longer than any complete one.
  EXPECT_EQ(back.jobs[0].open_age.count(), sent.jobs[0].messages_open);
  EXPECT_GT(back.jobs[0].open_age.minimum(), sent.jobs[0].message_time.maximum());
  EXPECT_EQ(back.links[0].retries->nacks, sent.links[0].retries->nacks);
  EXPECT_EQ(back.links[0].retries->nacks_lost, 0U);
  EXPECT_EQ(back.links[0].retries->timed_latency.count(), 0U);
  EXPECT_EQ(back.links[0].pauses, sent.links[0].pauses);
  EXPECT_FALSE(back.links[0].pause_frames);  // not zero: the link was paused
}

TEST(FabricResult, WithoutFairnessThereIsNone) {
  const FabricResult back = FabricResult::fromJson(FabricResult{}.toJson());
  EXPECT_FALSE(back.link_jfi || back.link_mmr || back.flows.jfi || back.fabric_links);
  EXPECT_FALSE(back.flows.goodput_min_gbps || back.flows.goodput_mean_gbps || back.data_lost);
  EXPECT_TRUE(back.links.empty() && back.jobs.empty());
}

TEST(FabricResult, RefusesWhatItDidNotWrite) {
  const std::string text = everything().toJson();
  for (const std::string& bad :
       {std::string(), std::string("{}"), std::string("[1]"), text.substr(0, text.size() / 2)}) {
    EXPECT_THROW(FabricResult::fromJson(bad), Error) << bad.substr(0, 20);
  }
  const nlohmann::json whole = nlohmann::json::parse(text);
  for (const auto& [key, value] : whole.items()) {
    // Not in results of every bench or trial.
    if (std::set<std::string>{"peak_rss_bytes", "loss_times", "credit", "connections", "data_lost",
                              "link_flow_mmr", "first_mark", "peak_rate", "fabric_links",
                              "load_end_ps", "samples"}
            .contains(key)) {
      continue;
    }
    nlohmann::json less = whole;
    less.erase(key);
    EXPECT_THROW(FabricResult::fromJson(less.dump()), Error) << key;
  }
}

}  // namespace
}  // namespace plumbline::bench
