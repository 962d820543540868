// Fixed names for the tests of this library, so that messages can be compared word for word.
#pragma once

#include "kpi/kpi.h"
#include "scenario/parse.h"

namespace plumbline::scenario {

inline Vocabulary testVocabulary() {
  Vocabulary words{{"T5.1", "T5.2", "T5.3"}, {"rtl"}, {}, {}};
  words.kpis = {
      {"throughput_percent", {"T5.1"}}, {"loss_ppm", {"T5.2"}}, {"burst_frames", {"T5.3"}}};
  for (const std::string& latency : kpi::statistics("latency", "ns")) {
    words.kpis.push_back({latency, {"T5.2", "free"}});
  }
  for (const char* nic :
       {"nic_retransmissions", "nic_cnps_sent", "nic_cnps_handled", "nic_out_of_sequence"}) {
    words.kpis.push_back({nic, {"T5.1", "T5.2"}});
  }
  return words;
}

// With simulated hosts and their test.
inline Vocabulary simVocabulary() {
  Vocabulary words = testVocabulary();
  words.tests.emplace_back("free");
  words.benches.emplace_back("sim");
  words.on_hosts = {"free"};
  words.with_workload = {"free"};
  return words;
}

}  // namespace plumbline::scenario
