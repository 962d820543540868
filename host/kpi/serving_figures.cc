#include "kpi/subjects.h"

namespace plumbline::kpi {

// Of the requests to a serving system.
Declarations servingFigures() {
  return {
      less("ttft_mean_ms", kMilliseconds, "Time to first token, mean"),
      less("ttft_p50_ms", kMilliseconds, "Time to first token, median"),
      less("ttft_p95_ms", kMilliseconds, "Time to first token, 95th percentile"),
      less("ttft_p99_ms", kMilliseconds, "Time to first token, 99th percentile"),
      less("ttft_queue_ms", kMilliseconds, "Part of the TTFT: waiting for a prefill worker, mean"),
      less("ttft_prefill_ms", kMilliseconds, "Part of the TTFT: prefill, mean"),
      less("ttft_fabric_ms", kMilliseconds,
           "Part of the TTFT: KV cache transfer that prefill does not hide, mean"),
      less("ttft_decode_init_ms", kMilliseconds,
           "Part of the TTFT: from the KV cache's arrival to the first token, mean"),
      ofTimes(less("ttft_fabric_percent", kShare, "Share of the fabric in the TTFT")),
      less("itl_p50_ms", kMilliseconds, "Time between tokens, median"),
      less("itl_p95_ms", kMilliseconds, "Time between tokens, 95th percentile"),
      less("itl_p99_ms", kMilliseconds, "Time between tokens, 99th percentile"),
      less("tpot_p99_ms", kMilliseconds,
           "Mean time per further token of a request, 99th percentile of the requests"),
      less("e2e_p50_ms", kMilliseconds, "From a request's arrival to its last token, median"),
      less("e2e_p99_ms", kMilliseconds,
           "From a request's arrival to its last token, 99th percentile"),
      less("kv_transfer_p50_ms", kMilliseconds,
           "First post to last arrival of a request's KV cache, median"),
      less("kv_transfer_p95_ms", kMilliseconds,
           "First post to last arrival of a request's KV cache, 95th percentile"),
      less("kv_transfer_p99_ms", kMilliseconds,
           "First post to last arrival of a request's KV cache, 99th percentile"),
      more("output_tokens_per_s", kTokensPerSecond, "Tokens that came in the measuring window"),
      more("input_tokens_per_s", kTokensPerSecond,
           "Prompt tokens of requests that arrived in the window and got a first token"),
      more("goodput_tokens_per_s", kTokensPerSecond, "Tokens of requests that kept their limits"),
      ofTimes(more("goodput_share_percent", kShare,
                   "Tokens of requests that kept their limits, of those of all requests")),
      more("slo_percent", kShare, "Requests that kept their limits, of those that arrived"),
      neither("kv_flows", kCount, "Flows of a request's KV cache"),
      neither("kv_request_bytes", kBytes, "KV cache of a request on the fabric"),
      neither("kv_incast", kCount, "Flows of a request into the busiest receiving NIC"),
      less("requests_not_done", kCount,
           "Measured requests that were refused, failed or unfinished"),
      less("preemptions_per_s", kPerSecond, "Requests that lost their pages"),
      less("evictions_per_s", kPerSecond, "Cached pages given up for others"),
      neither("wasted_kv_gigabytes_per_s", kGigabytesPerSecond, "KV cache that was sent again"),
      less("prefill_stalled_percent", kShare,
           "Time of prefill workers that wait for pages of KV cache that is being sent"),
  };
}

}  // namespace plumbline::kpi
