#include "session/trial_log.h"

#include "base/json.h"
#include "session/stored_trial_runner.h"

namespace plumbline::session {

TrialLog::TrialLog(const std::string& file) : file_(file) {}

void TrialLog::write(const TrialRecord& record) {
  nlohmann::ordered_json line{{"test", record.test},
                              {"bench", record.result.bench},
                              {"point", record.label},
                              {"repetition", record.repetition},
                              {"stored", record.stored}};
  if (const auto losses = lossesOf(record.result)) {
    line["sent_frames"] = losses->sent;
    line["lost_frames"] = losses->lost;
    line["loss_ppm"] = losses->ppm();
  }
  const stats::Histogram latency = latencyOf(record.result);
  if (latency.count() > 0) {
    line["latency_frames"] = latency.count();  // on which the percentiles rest
    line["latency_min_ps"] = latency.minimum();
    line["latency_p50_ps"] = latency.quantile(0.5);
    line["latency_p99_ps"] = latency.quantile(0.99);
    line["latency_max_ps"] = latency.maximum();
  }
  line["faults"] = record.result.faults;
  file_.write(line.dump() + "\n");
}

}  // namespace plumbline::session
