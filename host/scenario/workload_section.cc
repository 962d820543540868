// `workload:`
#include <algorithm>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/whole_number.h"
#include "scenario/field_reader.h"
#include "scenario/sections.h"
#include "scenario/trace_file.h"
#include "workload/moe_check.h"
#include "workload/placement.h"
#include "workload/spec_fields.h"
#include "workload/workload.h"

namespace plumbline::scenario {
namespace {

using workload::CollectiveSpec;
using workload::JobSpec;
using workload::MessageProgram;
using workload::PlacementRule;
using workload::TrainingProgram;

// Words of `kind`. A collective by itself means a training job with only that one.
const spec::Field& collectives() {
  return spec::fieldNamed(spec::fieldsOf<CollectiveSpec>(), "kind");
}
const spec::Field& patterns() {
  return spec::fieldNamed(spec::fieldsOf<MessageProgram>(), "pattern");
}
constexpr const char* kTraining = "training";
constexpr const char* kTrace = "trace";
constexpr const char* kMoe = "moe";

// [a, b]
std::optional<std::pair<workload::Rank, workload::Rank>> readRankPair(const YamlNode& node,
                                                                      Problems& problems) {
  if (node.kind != YamlNode::Kind::kSequence || node.items.size() != 2) {
    problems.add(node, "a pair of ranks is needed here", "[from, to]");
    return std::nullopt;
  }
  const auto from = readValue<std::uint32_t>(node.items[0], problems);
  const auto to = readValue<std::uint32_t>(node.items[1], problems);
  if (!from || !to) return std::nullopt;
  return std::pair(*from, *to);
}

// Reads one job after the other, with the scenario's file and the fabric of the jobs; records the
// files that they name.
class JobReader {
 public:
  JobReader(Scenario& scenario, bool topology_known, Problems& problems)
      : scenario_(scenario),
        files_(scenario.files),
        topology_(scenario.topology),
        topology_known_(topology_known),
        problems_(problems) {}

  void read(SpecReader& map, JobSpec& job) {
    const auto kind = readKind(map);
    job.name = kind.value_or("job");
    job.name += std::to_string(++number_);
    copyTopology(job.placement);
    readFields(map, job);
    refuseTwoPlacements(map);
    if (kind) {
      readProgram(map, *kind, job);
    } else {  // the allowed keys are unknown
      for (const auto& [key, value] : map.node().members) map.optional(key.text);
    }
  }

 private:
  std::optional<std::string> readKind(SpecReader& map) {
    const YamlNode* node = map.required("kind");
    if (node == nullptr) return std::nullopt;
    std::vector<std::string> words;
    for (const spec::Word& word : collectives().words) words.push_back(word.name);
    for (const spec::Word& word : patterns().words) words.push_back(word.name);
    words.emplace_back(kTraining);
    words.emplace_back(kTrace);
    words.emplace_back(kMoe);
    const auto word = readWord(*node, words, problems_);
    return word ? std::optional(words[*word]) : std::nullopt;
  }

  // Default placement of this topology.
  void copyTopology(workload::Placement& placement) const {
    placement.ranks = topology_.hostCount();
    const bool leafy = topology_.kind == fabric::TopologyKind::kClos2 ||
                       topology_.kind == fabric::TopologyKind::kClos3 ||
                       topology_.kind == fabric::TopologyKind::kPools;
    if (leafy) placement.hosts_per_leaf = topology_.hosts_per_leaf;
  }

  void refuseTwoPlacements(SpecReader& map) {
    const YamlNode* hosts = map.optional("hosts");
    if (hosts == nullptr) return;
    if (map.optional("ranks") == nullptr && map.optional("placement") == nullptr) return;
    problems_.add(*hosts, "\"hosts\" already gives the host of every rank",
                  "without \"ranks\" and \"placement\"");
  }

  void readProgram(SpecReader& map, const std::string& kind, JobSpec& job) {
    for (const spec::Word& word : collectives().words) {
      if (kind != word.name) continue;
      auto& training = job.program.emplace<TrainingProgram>();
      readFields(map, spec::fieldsOf<TrainingProgram>(), &training, "collectives");
      CollectiveSpec& collective = training.collectives.emplace_back();
      collectives().set(&collective, spec::Value{word.value});
      collectives().follow(&collective);
      readFields(map, spec::fieldsOf<CollectiveSpec>(), &collective, "kind");
      return;
    }
    for (const spec::Word& word : patterns().words) {
      if (kind != word.name) continue;
      auto& messages = job.program.emplace<MessageProgram>();
      patterns().set(&messages, spec::Value{word.value});
      readMessages(map, messages);
      return;
    }
    if (kind == kTraining) {
      readFields(map, job.program.emplace<TrainingProgram>());
    } else if (kind == kMoe) {
      readMoe(map, job.placement, job.program.emplace<workload::MoeProgram>());
    } else {
      readTrace(map, job.placement, job.program.emplace<workload::TraceProgram>());
    }
  }

  // `matrix`: the file with the selections.
  void readMoe(SpecReader& map, const workload::Placement& placement, workload::MoeProgram& moe) {
    readFields(map, moe);
    const bool wanted = moe.routing == workload::MoeRouting::kMatrix;
    const YamlNode* node = wanted ? map.required("matrix") : map.optional("matrix");
    if (node == nullptr) return;
    if (!wanted) {
      problems_.add(*node, "\"matrix\" needs routing: matrix", "with routing: matrix");
      return;
    }
    const workload::MatrixRules rules{ranksOf(placement), moe.experts, moe.tokens, moe.top_k};
    if (auto held = readMatrixFile(*node, scenario_, rules, moe.matrix, problems_)) {
      files_.push_back(*std::move(held));
    }
  }

  void readMessages(SpecReader& map, MessageProgram& messages) {
    readFields(map, messages);
    refuseEndless(map);
    if (messages.pattern == workload::Pattern::kExplicit) readPairs(map, messages);
    readPace(map, messages);
    if (map.optional("on") != nullptr || map.optional("off") != nullptr) {
      readFields(map, messages.on_off.emplace());
    }
  }

  // The number that means without end, as the default.
  void refuseEndless(SpecReader& map) {
    const YamlNode* node = map.optional("messages");
    const std::uint64_t endless = MessageProgram().messages;
    if (node == nullptr || node->quoted || wholeNumber(node->text).value != endless) return;
    problems_.add(*node, shown(node->text) + " is out of range",
                  "1 to " + std::to_string(endless - 1));
  }

  void readPairs(SpecReader& map, MessageProgram& messages) {
    const YamlNode* node = map.required("pairs");
    if (node == nullptr) return;
    if (node->kind != YamlNode::Kind::kSequence) {
      problems_.add(*node, "\"pairs\" must be a list", "[[from, to], …]");
    } else if (const auto pairs = readList(*node, kMaxPairs, problems_, [&](const YamlNode& item) {
                 return readRankPair(item, problems_);
               })) {
      messages.pairs = *pairs;
    }
  }

  // `outstanding` messages at a time, or one every `interval`, or as many as make `load`.
  void readPace(SpecReader& map, MessageProgram& messages) {
    workload::ClosedLoop loop;
    readFields(map, loop);
    workload::Arrivals arrivals;
    readFields(map, arrivals);
    const YamlNode* load = map.optional("load");
    if (load != nullptr) {
      const std::string range = "more than 0% up to 100% of the link's rate";
      if (const auto share =
              readShare(*load, Fraction::partsPerTrillion(1), Fraction::one(), range, problems_)) {
        arrivals.interval = intervalOf(messages.bytes, *share);
      }
    }
    const YamlNode* interval = map.optional("interval");
    if (load != nullptr && interval != nullptr) {
      problems_.add(*load, "\"load\" and \"interval\" are both here", "one of the two");
    }
    const bool open = load != nullptr || interval != nullptr;
    const YamlNode* outstanding = map.optional("outstanding");
    if (open && outstanding != nullptr) {
      problems_.add(*outstanding, "messages at fixed times are not limited in number",
                    "without \"interval\" and \"load\"");
    }
    const YamlNode* poisson = map.optional("poisson");
    if (!open && poisson != nullptr) {
      problems_.add(*poisson, "only messages at given times can be random",
                    "with \"interval\" or \"load\"");
    }
    if (open) {
      messages.load = arrivals;
    } else {
      messages.load = loop;
    }
  }

  // Interval of messages whose payload makes `share` of a host's link; to the next picosecond.
  [[nodiscard]] Picoseconds intervalOf(std::uint64_t bytes, Fraction share) const {
    const auto bps = static_cast<Int128>(topology_.link_rate.bitsPerSecond());
    if (bps < 1'000'000) return {};  // no link is that slow: reported with the topology
    const Int128 bits = static_cast<Int128>(bytes) * 8 * 1'000'000'000'000;
    const Int128 ps = bits / bps * Fraction::kOne / share.partsPerTrillion();
    constexpr Int128 kMax = std::numeric_limits<std::int64_t>::max();
    return Picoseconds(static_cast<std::int64_t>(std::min(ps, kMax)));
  }

  // The maximum, if the placement could not be read.
  [[nodiscard]] std::uint32_t ranksOf(const workload::Placement& placement) const {
    const bool by_name = placement.rule == PlacementRule::kExplicit;
    const bool known = by_name ? !placement.hosts.empty() : topology_known_;
    if (!known) return std::numeric_limits<std::uint32_t>::max();
    return workload::ranksOf(placement);
  }

  // `entries` here, or in the file that `trace` names.
  void readTrace(SpecReader& map, const workload::Placement& placement,
                 workload::TraceProgram& trace) {
    if (const YamlNode* entries = map.optional("entries");
        entries != nullptr && map.optional("trace") != nullptr) {
      problems_.add(*entries, "\"entries\" and \"trace\" are both here", "one of the two");
    }
    if (auto file = map.block("trace", "trace")) {
      if (auto held = readTraceFile(*file, scenario_, ranksOf(placement), trace, problems_)) {
        files_.push_back(*std::move(held));
      }
    }
    const YamlNode* node = map.optional("trace") != nullptr ? nullptr : map.required("entries");
    if (node == nullptr) return;
    if (node->kind != YamlNode::Kind::kSequence) {
      problems_.add(*node, "\"entries\" must be a list", "[{time, from, to, size}, …]");
      return;
    }
    if (node->items.empty()) problems_.add(*node, "\"entries\" is empty", "a message at least");
    for (const YamlNode& item : node->items) {
      auto fields = readMap(item, "entries", problems_);
      if (!fields) continue;
      SpecReader reader(std::move(*fields), {}, nullptr, problems_);
      workload::TraceEntry& entry = trace.entries.emplace_back();
      readFields(reader, entry);
      reader.finish();
    }
  }

  // Two for each of as many hosts as there may be.
  static constexpr std::size_t kMaxPairs = std::size_t{2} * fabric::kMaxHosts;

  const Scenario& scenario_;
  std::vector<InputFile>& files_;
  const fabric::TopologySpec& topology_;
  bool topology_known_;
  Problems& problems_;
  std::size_t number_ = 0;
};

// Throws the fault of the first job that cannot run, or has no room beside the earlier ones, as a
// fault of "jobs[i]".
void checkJobs(const workload::WorkloadSpec& spec, std::uint32_t hosts) {
  std::vector<JobSpec> placed;
  for (std::size_t i = 0; i < spec.jobs.size(); ++i) {
    placed.push_back(spec.jobs[i]);
    JobSpec alone = spec.jobs[i];
    // Their number affects memory only.
    if (auto* training = std::get_if<TrainingProgram>(&alone.program)) training->iterations = 1;
    try {
      const auto hosts_of_jobs = workload::placeJobs(placed, hosts);
      if (std::holds_alternative<workload::MoeProgram>(alone.program)) {
        // Routing takes time and memory, and cannot fail here.
        const auto ranks = static_cast<std::uint32_t>(hosts_of_jobs.back().size());
        try {
          workload::checkMoeJob(alone, ranks);
        } catch (const Error& error) {
          throw Error(error.kind(), "job '" + alone.name + "': " + faultOf(error), error.where(),
                      error.remedy());
        }
        alone.program = workload::TraceProgram();
      }
      workload::Workload({spec.seed, {alone}}, hosts);
    } catch (const Error& error) {
      std::string where = "jobs[" + std::to_string(i) + "]";
      if (!error.where().empty()) where += "." + error.where();
      throw Error(error.kind(), faultOf(error), where, error.remedy());
    }
  }
}

// Throws the fault of the first job whose messages the transport cannot carry.
void checkVerbs(const workload::WorkloadSpec& spec, const bench::TransportSpec& transport) {
  const auto* roce = std::get_if<transport::RoceSpec>(&transport);
  const auto* uet = std::get_if<transport::UetSpec>(&transport);
  const bool roce_reads = roce != nullptr && roce->service != transport::RoceService::kUc;
  const bool uet_reads = uet != nullptr && (uet->service == transport::UetService::kRod ||
                                            uet->service == transport::UetService::kRud);
  if (roce_reads || uet_reads) return;
  for (std::size_t i = 0; i < spec.jobs.size(); ++i) {
    if (spec.jobs[i].verb != transport::Verb::kRead) continue;
    throw Error(
        ErrorKind::kUsage,
        roce != nullptr ? "unreliable connections have no READ" : "RUDI and UUD cannot carry reads",
        "jobs[" + std::to_string(i) + "].verb",
        roce != nullptr ? "transport.service: rc" : "transport.service: rod or rud");
  }
}

}  // namespace

void readWorkload(const YamlNode& node, bool topology_known, Scenario& scenario,
                  Problems& problems) {
  FieldPlaces places;
  workload::WorkloadSpec& spec = scenario.workload.emplace();
  JobReader jobs(scenario, topology_known, problems);
  readItems("workload", node, "jobs", spec.jobs, places, problems, true,
            [&](SpecReader& map, JobSpec& job) { jobs.read(map, job); });
  if (node.kind == YamlNode::Kind::kSequence && node.items.empty()) {
    problems.add(node, "the workload has no jobs", "one job at least");
    return;
  }
  if (spec.jobs.size() > workload::kMaxJobs) {
    problems.add(node, "the workload has " + std::to_string(spec.jobs.size()) + " jobs",
                 "at most " + std::to_string(workload::kMaxJobs));
    return;
  }
  // The placement of ranks needs the hosts.
  if (!topology_known) return;
  places.judge(
      [&] {
        checkJobs(scenario.workloadSpec(), scenario.topology.hostCount());
        if (scenario.transport) checkVerbs(spec, *scenario.transport);
      },
      node, problems);
}

}  // namespace plumbline::scenario
