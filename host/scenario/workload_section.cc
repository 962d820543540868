// `workload:`
#include <algorithm>
#include <limits>

#include "base/error.h"
#include "scenario/sections.h"
#include "scenario/spec_reader.h"
#include "scenario/trace_file.h"
#include "workload/placement.h"
#include "workload/workload.h"

namespace plumbline::scenario {
namespace {

using workload::Algorithm;
using workload::CollectiveKind;
using workload::CollectiveSpec;
using workload::FlowUse;
using workload::JobSpec;
using workload::MessageProgram;
using workload::Pattern;
using workload::PlacementRule;
using workload::TrainingProgram;

// What `kind` may be. A collective by itself stands for a training job that runs only that one.
struct CollectiveWord {
  const char* name;
  CollectiveKind kind;
  Algorithm usual;
};
constexpr CollectiveWord kCollectives[] = {
    {"allreduce", CollectiveKind::kAllReduce, Algorithm::kRing},
    {"reduce-scatter", CollectiveKind::kReduceScatter, Algorithm::kRing},
    {"allgather", CollectiveKind::kAllGather, Algorithm::kRing},
    {"alltoall", CollectiveKind::kAllToAll, Algorithm::kLinearShift},
    {"broadcast", CollectiveKind::kBroadcast, Algorithm::kTree},
};
constexpr std::pair<const char*, Pattern> kPatterns[] = {
    {"pairs", Pattern::kPairs},
    {"permutation", Pattern::kShift},
    {"random-permutation", Pattern::kRandomPermutation},
    {"incast", Pattern::kIncast},
    {"messages", Pattern::kExplicit},
};
constexpr const char* kTraining = "training";
constexpr const char* kTrace = "trace";

constexpr std::pair<const char*, Algorithm> kAlgorithms[] = {
    {"ring", Algorithm::kRing},
    {"tree", Algorithm::kTree},
    {"double-tree", Algorithm::kDoubleTree},
    {"halving-doubling", Algorithm::kHalvingDoubling},
    {"hierarchical", Algorithm::kHierarchical},
    {"linear-shift", Algorithm::kLinearShift},
    {"xor", Algorithm::kXor},
};
constexpr std::pair<const char*, PlacementRule> kRules[] = {
    {"contiguous", PlacementRule::kContiguous},
    {"strided", PlacementRule::kStrided},
    {"random", PlacementRule::kRandom},
    {"interleaved", PlacementRule::kInterleaved},
};
constexpr std::pair<const char*, FlowUse> kFlowUses[] = {{"round-robin", FlowUse::kRoundRobin},
                                                         {"split", FlowUse::kSplit}};
constexpr std::pair<const char*, transport::Verb> kVerbs[] = {
    {"write", transport::Verb::kWrite},
    {"write-immediate", transport::Verb::kWriteImmediate},
    {"send", transport::Verb::kSend},
    {"read", transport::Verb::kRead},
};

std::optional<std::uint64_t> readSize(const YamlNode& node, Problems& problems) {
  const auto size = readValue<Bytes>(node, problems);
  return size ? std::optional(static_cast<std::uint64_t>(size->count())) : std::nullopt;
}

std::optional<std::uint32_t> readSmallSize(const YamlNode& node, Problems& problems) {
  constexpr Bytes kMost(std::numeric_limits<std::uint32_t>::max());
  const auto size = readBytes(node, Bytes(0), kMost, "a size below 4GiB", problems);
  return size ? std::optional(static_cast<std::uint32_t>(size->count())) : std::nullopt;
}

std::optional<std::uint32_t> readIterations(const YamlNode& node, Problems& problems) {
  const auto iterations = readInteger(node, 1, 10'000'000, problems);
  return iterations ? std::optional(static_cast<std::uint32_t>(*iterations)) : std::nullopt;
}

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

// Reads one job after the other; knows the scenario's file and the fabric that they run on, and
// notes which files they name.
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
    map.read("name", "name", job.name);
    readPlacement(map, job.placement);
    map.read("start", "start", job.start);
    map.read("flows", "flows", job.flows);
    map.readWordOf<FlowUse>("flow_use", "flow_use", kFlowUses, job.flow_use);
    map.readWordOf<transport::Verb>("verb", "verb", kVerbs, job.verb);
    if (kind) {
      readProgram(map, *kind, job);
    } else {  // which other keys there may be is not known
      for (const auto& [key, value] : map.node().members) map.optional(key.text);
    }
  }

 private:
  std::optional<std::string> readKind(SpecReader& map) {
    const YamlNode* node = map.required("kind");
    if (node == nullptr) return std::nullopt;
    std::vector<std::string> words;
    for (const auto& word : kCollectives) words.emplace_back(word.name);
    for (const auto& [name, pattern] : kPatterns) words.emplace_back(name);
    words.emplace_back(kTraining);
    words.emplace_back(kTrace);
    const auto word = readWord(*node, words, problems_);
    return word ? std::optional(words[*word]) : std::nullopt;
  }

  // `ranks` on the hosts in their order, `hosts` one by one, or `placement` by a rule.
  void readPlacement(SpecReader& map, workload::Placement& placement) {
    placement.ranks = topology_.hostCount();
    const bool leafy = topology_.kind == fabric::TopologyKind::kClos2 ||
                       topology_.kind == fabric::TopologyKind::kClos3 ||
                       topology_.kind == fabric::TopologyKind::kPools;
    if (leafy) placement.hosts_per_leaf = topology_.hosts_per_leaf;
    map.read("ranks", "ranks", placement.ranks);
    if (const YamlNode* node = map.optional("hosts")) {
      if (map.optional("ranks") != nullptr || map.optional("placement") != nullptr) {
        problems_.add(*node, "\"hosts\" says already where every rank sits",
                      "without \"ranks\" and \"placement\"");
      }
      placement.rule = PlacementRule::kExplicit;
      const auto hosts = readList(*node, fabric::kMaxHosts, problems_, [&](const YamlNode& item) {
        return readValue<std::uint32_t>(item, problems_);
      });
      if (hosts) placement.hosts = *hosts;
    }
    auto rule = map.block("placement", "placement");
    if (!rule) return;
    rule->readWordOf<PlacementRule>("rule", "rule", kRules, placement.rule);
    rule->read("first", "first", placement.first);
    rule->read("stride", "stride", placement.stride);
    rule->read("hosts_per_leaf", "hosts_per_leaf", placement.hosts_per_leaf);
    rule->read("seed", "seed", placement.seed);
    rule->finish();
  }

  void readProgram(SpecReader& map, const std::string& kind, JobSpec& job) {
    for (const CollectiveWord& word : kCollectives) {
      if (kind != word.name) continue;
      auto& training = job.program.emplace<TrainingProgram>();
      readTraining(map, training);
      CollectiveSpec& collective = training.collectives.emplace_back();
      collective.kind = word.kind;
      collective.algorithm = word.usual;
      readCollective(map, collective);
      return;
    }
    for (const auto& [name, pattern] : kPatterns) {
      if (kind != name) continue;
      auto& messages = job.program.emplace<MessageProgram>();
      messages.pattern = pattern;
      readMessages(map, messages);
      return;
    }
    if (kind == kTraining) {
      auto& training = job.program.emplace<TrainingProgram>();
      readTraining(map, training);
      readCollectives(map, training.collectives);
    } else {
      readTrace(map, job.placement, job.program.emplace<workload::TraceProgram>());
    }
  }

  static void readTraining(SpecReader& map, TrainingProgram& training) {
    map.read("iterations", "iterations", training.iterations, readIterations);
    map.read("compute", "compute", training.compute);
    map.read("compute_spread", "compute_spread", training.compute_spread);
    map.read("overlap", "overlap", training.overlap);
    map.read("barrier", "barrier", training.barrier);
  }

  static void readCollective(SpecReader& map, CollectiveSpec& collective) {
    map.readWordOf<Algorithm>("algorithm", "algorithm", kAlgorithms, collective.algorithm);
    map.read("size", "bytes", collective.bytes, readSize);
    map.read("element", "element_bytes", collective.element_bytes, readSmallSize);
    map.read("chunk", "chunk_bytes", collective.chunk_bytes, readSize);
    map.read("window", "window", collective.window);
    map.read("ranks_per_server", "ranks_per_server", collective.ranks_per_server);
    map.read("before", "before", collective.before);
    map.read("after", "after", collective.after);
  }

  void readCollectives(SpecReader& map, std::vector<CollectiveSpec>& collectives) {
    const YamlNode* node = map.required("collectives");
    if (node == nullptr) return;
    const auto readItem = [&](const YamlNode& item) {
      auto fields = readMap(item, "collectives", problems_);
      if (!fields) return;
      SpecReader reader(std::move(*fields), {}, nullptr, problems_);
      CollectiveSpec& collective = collectives.emplace_back();
      if (const YamlNode* kind = reader.required("kind")) {
        std::vector<std::string> words;
        for (const auto& word : kCollectives) words.emplace_back(word.name);
        if (const auto word = readWord(*kind, words, problems_)) {
          collective.kind = kCollectives[*word].kind;
          collective.algorithm = kCollectives[*word].usual;
        }
      }
      readCollective(reader, collective);
      reader.finish();
    };
    if (node->kind == YamlNode::Kind::kSequence) {
      for (const YamlNode& item : node->items) readItem(item);
    } else {
      readItem(*node);
    }
  }

  void readMessages(SpecReader& map, MessageProgram& messages) {
    if (messages.pattern == Pattern::kShift) map.read("shift", "shift", messages.shift);
    if (messages.pattern == Pattern::kExplicit) {
      if (const YamlNode* node = map.required("pairs")) {
        if (node->kind != YamlNode::Kind::kSequence) {
          problems_.add(*node, "\"pairs\" must be a list", "[[from, to], …]");
        } else if (const auto pairs = readList(
                       *node, kMaxPairs, problems_,
                       [&](const YamlNode& item) { return readRankPair(item, problems_); })) {
          messages.pairs = *pairs;
        }
      }
    }
    map.read("bidirectional", "bidirectional", messages.bidirectional);
    map.read("size", "bytes", messages.bytes, readSize);
    map.read("messages", "messages", messages.messages);
    readPace(map, messages);
    if (map.optional("on") != nullptr || map.optional("off") != nullptr) {
      workload::OnOff& on_off = messages.on_off.emplace();
      if (map.required("on") != nullptr) map.read("on", "on", on_off.on);
      if (map.required("off") != nullptr) map.read("off", "off", on_off.off);
    }
    map.read("phase", "phase", messages.phase);
    map.read("until", "until", messages.until);
  }

  // `outstanding` messages at a time, or one every `interval`, or as many as make `load`.
  void readPace(SpecReader& map, MessageProgram& messages) {
    workload::ClosedLoop loop;
    map.read("outstanding", "outstanding", loop.outstanding);
    workload::Arrivals arrivals;
    map.read("interval", "interval", arrivals.interval);
    map.read("poisson", "poisson", arrivals.poisson);
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

  // Between messages whose payload alone makes `share` of a host's link; to the next picosecond.
  [[nodiscard]] Picoseconds intervalOf(std::uint64_t bytes, Fraction share) const {
    const auto bps = static_cast<Int128>(topology_.link_rate.bitsPerSecond());
    if (bps < 1'000'000) return {};  // no link is that slow: reported with the topology
    const Int128 bits = static_cast<Int128>(bytes) * 8 * 1'000'000'000'000;
    const Int128 ps = bits / bps * Fraction::kOne / share.partsPerTrillion();
    constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
    return Picoseconds(static_cast<std::int64_t>(std::min(ps, kMost)));
  }

  // As many as there can be, where what they sit on could not be read.
  [[nodiscard]] std::uint32_t ranksOf(const workload::Placement& placement) const {
    const bool by_name = placement.rule == PlacementRule::kExplicit;
    const bool known = by_name ? !placement.hosts.empty() : topology_known_;
    if (!known) return std::numeric_limits<std::uint32_t>::max();
    return by_name ? static_cast<std::uint32_t>(placement.hosts.size()) : placement.ranks;
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
    for (const YamlNode& item : node->items) {
      auto fields = readMap(item, "entries", problems_);
      if (!fields) continue;
      SpecReader reader(std::move(*fields), {}, nullptr, problems_);
      workload::TraceEntry& entry = trace.entries.emplace_back();
      reader.read("time", "time", entry.time);
      if (reader.required("from") != nullptr) reader.read("from", "from", entry.from);
      if (reader.required("to") != nullptr) reader.read("to", "to", entry.to);
      if (reader.required("size") != nullptr) reader.read("size", "bytes", entry.bytes, readSize);
      reader.read("tag", "tag", entry.tag);
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

// Throws what is wrong with the first job that cannot run, or has no room beside those before it,
// as a fault of "jobs[i]".
void checkJobs(const workload::WorkloadSpec& spec, std::uint32_t hosts) {
  std::vector<JobSpec> placed;
  for (std::size_t i = 0; i < spec.jobs.size(); ++i) {
    placed.push_back(spec.jobs[i]);
    JobSpec alone = spec.jobs[i];
    // Nothing but memory depends on their number.
    if (auto* training = std::get_if<TrainingProgram>(&alone.program)) training->iterations = 1;
    try {
      workload::placeJobs(placed, hosts);
      workload::Workload({spec.seed, {alone}}, hosts);
    } catch (const Error& error) {
      throw Error(error.kind(), faultOf(error), "jobs[" + std::to_string(i) + "]", error.remedy());
    }
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
  if (spec.jobs.size() > workload::kMaxJobs) {
    problems.add(node, "the workload has " + std::to_string(spec.jobs.size()) + " jobs",
                 "at most " + std::to_string(workload::kMaxJobs));
    return;
  }
  // Where ranks can sit is known with the hosts.
  if (!topology_known) return;
  places.judge([&] { checkJobs(scenario.workloadSpec(), scenario.topology.hostCount()); }, node,
               problems);
}

}  // namespace plumbline::scenario
