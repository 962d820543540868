// Members of live intervals, for their JSON.
#pragma once

#include "control/json_fields.h"
#include "control/live_interval.h"

namespace plumbline::control {

template <typename Visit, Is<LiveTrial> T>
void fields(const Visit& visit, T& value) {
  visit("test", value.test);
  visit("label", value.label);
  visit("repetition", value.repetition);
  visit("number", value.number);
  visit("expected", value.expected);
  visit("stored", value.stored);
  visit("ended", value.ended);
  visit("time_ps", value.time_ps);
  visit("total_ps", value.total_ps);
  visit("interval_ps", value.interval_ps);
  visit("faults", value.faults);
}
template <typename Visit, Is<LivePriority> T>
void fields(const Visit& visit, T& value) {
  visit("priority", value.priority);
  visit("pauses_received", value.pauses_received);
  visit("paused_ps", value.paused_ps);
}
template <typename Visit, Is<LivePort> T>
void fields(const Visit& visit, T& value) {
  visit("number", value.number);
  visit("name", value.name);
  visit("tx_frames", value.tx_frames);
  visit("tx_bytes", value.tx_bytes);
  visit("rx_frames", value.rx_frames);
  visit("rx_bytes", value.rx_bytes);
  visit("pauses_received", value.pauses_received);
  visit("paused_ps", value.paused_ps);
  visit("priorities", value.priorities);
  visit("tx_bps", value.tx_bps);
  visit("rx_bps", value.rx_bps);
}
template <typename Visit, Is<LiveFlow> T>
void fields(const Visit& visit, T& value) {
  visit("name", value.name);
  visit("from", value.from);
  visit("to", value.to);
  visit("sent_frames", value.sent_frames);
  visit("received_frames", value.received_frames);
  visit("received_bytes", value.received_bytes);
  visit("retransmitted", value.retransmitted);
  visit("lost", value.lost);
  visit("out_of_order", value.out_of_order);
  visit("ce", value.ce);
  visit("rx_bps", value.rx_bps);
}
template <typename Visit, Is<LiveLink> T>
void fields(const Visit& visit, T& value) {
  visit("name", value.name);
  visit("rate_bps", value.rate_bps);
  visit("between_switches", value.between_switches);
  visit("packets", value.packets);
  visit("bytes", value.bytes);
  visit("dropped", value.dropped);
  visit("marked", value.marked);
  visit("queue_bytes", value.queue_bytes);
  visit("queue_max_bytes", value.queue_max_bytes);
  visit("utilisation", value.utilisation);
}
template <typename Visit, Is<LivePause> T>
void fields(const Visit& visit, T& value) {
  visit("link", value.link);
  visit("priority", value.priority);
  visit("from_ps", value.from_ps);
  visit("until_ps", value.until_ps);
  visit("open", value.open);
}
template <typename Visit, Is<LiveLatency> T>
void fields(const Visit& visit, T& value) {
  visit("count", value.count);
  visit("min_ps", value.min_ps);
  visit("max_ps", value.max_ps);
  visit("sum_ps", value.sum_ps);
  visit("delta", value.delta);
}
template <typename Visit, Is<LiveCongestion> T>
void fields(const Visit& visit, T& value) {
  visit("marked", value.marked);
  visit("ce_received", value.ce_received);
  visit("cnp_sent", value.cnp_sent);
  visit("cnp_received", value.cnp_received);
  visit("dropped", value.dropped);
  visit("trimmed", value.trimmed);
  visit("retransmitted", value.retransmitted);
  visit("timeouts", value.timeouts);
}
template <typename Visit, Is<LiveFairness> T>
void fields(const Visit& visit, T& value) {
  visit("flow_jfi", value.flow_jfi);
  visit("link_jfi", value.link_jfi);
  visit("link_mmr", value.link_mmr);
}
template <typename Visit, Is<LiveTtft> T>
void fields(const Visit& visit, T& value) {
  visit("count", value.count);
  visit("mean_s", value.mean_s);
  visit("router_s", value.router_s);
  visit("queue_s", value.queue_s);
  visit("prefill_s", value.prefill_s);
  visit("transfer_s", value.transfer_s);
  visit("decode_init_s", value.decode_init_s);
}
template <typename Visit, Is<LiveServingWorker> T>
void fields(const Visit& visit, T& value) {
  visit("waiting", value.waiting);
  visit("running", value.running);
  visit("pages_used", value.pages_used);
  visit("pages", value.pages);
}
template <typename Visit, Is<LiveServingPool> T>
void fields(const Visit& visit, T& value) {
  visit("worker_count", value.worker_count);
  visit("all", value.all);
  visit("workers", value.workers);
}
template <typename Visit, Is<LiveMeasured> T>
void fields(const Visit& visit, T& value) {
  visit("arrived", value.arrived);
  visit("done", value.done);
  visit("within_limits", value.within_limits);
  visit("ttft", value.ttft);
  visit("ttft_p50_s", value.ttft_p50_s);
  visit("ttft_p95_s", value.ttft_p95_s);
  visit("ttft_p99_s", value.ttft_p99_s);
  visit("itl_p50_s", value.itl_p50_s);
  visit("itl_p95_s", value.itl_p95_s);
  visit("itl_p99_s", value.itl_p99_s);
}
template <typename Visit, Is<LiveServing> T>
void fields(const Visit& visit, T& value) {
  visit("name", value.name);
  visit("arrived", value.arrived);
  visit("done", value.done);
  visit("rejected", value.rejected);
  visit("failed", value.failed);
  visit("tokens", value.tokens);
  visit("within_limits", value.within_limits);
  visit("tokens_within_limits", value.tokens_within_limits);
  visit("routing", value.routing);
  visit("transferring", value.transferring);
  visit("ttft", value.ttft);
  visit("itl_p50_s", value.itl_p50_s);
  visit("itl_p99_s", value.itl_p99_s);
  visit("measured", value.measured);
  visit("prefill", value.prefill);
  visit("decode", value.decode);
}
template <typename Visit, Is<LiveInterval> T>
void fields(const Visit& visit, T& value) {
  visit("sequence", value.sequence);
  visit("time_ms", value.time_ms);
  visit("run", value.run);
  visit("elapsed_s", value.elapsed_s);
  visit("eta_s", value.eta_s);
  visit("kpi", value.kpi);
  visit("bench", value.bench);
  visit("observed", value.observed);
  visit("trial", value.trial);
  visit("ports", value.ports);
  visit("flows", value.flows);
  visit("flow_count", value.flow_count);
  visit("links", value.links);
  visit("link_count", value.link_count);
  visit("pauses", value.pauses);
  visit("pause_count", value.pause_count);
  visit("latency", value.latency);
  visit("congestion", value.congestion);
  visit("fairness", value.fairness);
  visit("serving", value.serving);
}

}  // namespace plumbline::control
