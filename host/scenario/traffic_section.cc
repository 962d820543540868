#include "scenario/sections.h"

namespace plumbline::scenario {
namespace {

using bench::Transport;

constexpr std::size_t kMaxPairs = fabric::kMaxHosts;  // host pairs of a list
// The payload of one packet carries the test tag and fits the largest RoCE path MTU. RoCE payloads
// are multiples of 4 or padded; a padded message would not be the one that was asked for.
constexpr Bytes kMinMessage{20};
constexpr Bytes kMaxMessage{4096};
// Endpoints cut messages into packets by themselves; nothing of the tester's is in them.
constexpr Bytes kMinEndpointMessage{4};
constexpr Bytes kMaxEndpointMessage{std::int64_t{8} << 30};
constexpr Bytes kMaxBuffer{std::int64_t{16} << 30};

// One of two hosts in a [from, to] list.
std::optional<std::uint32_t> readHost(const YamlNode& node, bool topology_known,
                                      const Scenario& scenario, Problems& problems) {
  const std::uint32_t hosts = topology_known ? scenario.topology.hostCount() : fabric::kMaxHosts;
  const auto host = readInteger(node, 0, hosts - 1, problems);
  return host ? std::optional(static_cast<std::uint32_t>(*host)) : std::nullopt;
}

std::optional<HostPair> readPair(const YamlNode& node, bool topology_known,
                                 const Scenario& scenario, Problems& problems) {
  if (node.kind != YamlNode::Kind::kSequence || node.items.size() != 2) {
    problems.add(node, "a pair of hosts is needed here", "[from, to]");
    return std::nullopt;
  }
  const auto from = readHost(node.items[0], topology_known, scenario, problems);
  const auto to = readHost(node.items[1], topology_known, scenario, problems);
  if (!from || !to) return std::nullopt;
  if (*from == *to) {
    problems.add(node, "a host cannot send to itself", "two different hosts");
    return std::nullopt;
  }
  return HostPair{*from, *to};
}

void readPairs(const YamlNode& node, bool topology_known, Scenario& scenario, Problems& problems) {
  if (node.kind == YamlNode::Kind::kScalar && node.text == "all") return;
  if (node.kind != YamlNode::Kind::kSequence) {
    problems.add(node, "\"pairs\" is neither \"all\" nor a list", "all, or [[from, to], …]");
    return;
  }
  scenario.traffic.pairs = readList(node, kMaxPairs, problems, [&](const YamlNode& item) {
    return readPair(item, topology_known, scenario, problems);
  });
}

void readFormat(MapReader& map, bench::FrameFormat& format, Problems& problems) {
  if (const YamlNode* value = map.optional("transport")) {
    const std::vector<std::string> words{"udp",     "rocev2-send", "rocev2-write", "uet-rud",
                                         "uet-rod", "uet-rudi",    "uet-uud"};
    constexpr Transport kValues[] = {
        Transport::kUdp,    Transport::kRoceSend, Transport::kRoceWrite, Transport::kUetRud,
        Transport::kUetRod, Transport::kUetRudi,  Transport::kUetUud};
    if (const auto word = readWord(*value, words, problems)) format.transport = kValues[*word];
  }
  if (const YamlNode* value = map.optional("ip")) {
    const std::vector<std::string> words{"4", "6"};
    if (const auto word = readWord(*value, words, problems)) format.ipv6 = *word == 1;
  }
  if (const YamlNode* value = map.optional("vlan")) {
    if (const auto id = readInteger(*value, 1, 4094, problems)) {
      format.vlan_id = static_cast<std::uint16_t>(*id);
    }
  }
  if (const YamlNode* value = map.optional("priority")) {
    if (const auto priority = readInteger(*value, 0, 7, problems)) {
      format.priority = static_cast<std::uint8_t>(*priority);
    }
  }
  if (const YamlNode* value = map.optional("dscp")) {
    if (const auto dscp = readInteger(*value, 0, 63, problems)) {
      format.dscp = static_cast<std::uint8_t>(*dscp);
    }
  }
}

void readSizes(MapReader& map, bool endpoint, Traffic& traffic, Problems& problems) {
  if (const YamlNode* value = map.optional("frame_sizes")) {
    traffic.frame_sizes = readList(*value, kMaxListed, problems, [&](const YamlNode& item) {
      return readBytes(item, Bytes(64), Bytes(9216), "64B to 9216B, with FCS", problems);
    });
  }
  const YamlNode* messages = map.optional("message_sizes");
  if (messages == nullptr) return;
  if (!isRoce(traffic.format.transport)) {
    problems.add(*messages,
                 traffic.format.transport == Transport::kUdp
                     ? "plain UDP frames carry no RDMA messages"
                     : "sizes of UET frames are those of the frame",
                 "frame_sizes, or a rocev2 transport");
    return;
  }
  traffic.message_sizes =
      readList(*messages, kMaxListed, problems, [&](const YamlNode& item) -> std::optional<Bytes> {
        const std::string range =
            endpoint ? "4B to 8GiB, a multiple of 4" : "20B to 4096B, a multiple of 4";
        const auto size = readBytes(item, endpoint ? kMinEndpointMessage : kMinMessage,
                                    endpoint ? kMaxEndpointMessage : kMaxMessage, range, problems);
        if (size && size->count() % 4 != 0) {
          problems.add(item, std::to_string(size->count()) + " bytes would need padding", range);
          return std::nullopt;
        }
        return size;
      });
}

std::optional<std::uint32_t> readCount(const YamlNode& node, std::uint32_t min, std::uint32_t max,
                                       Problems& problems) {
  const auto count = readInteger(node, min, max, problems);
  return count ? std::optional(static_cast<std::uint32_t>(*count)) : std::nullopt;
}

// "50%" of the line, or a rate such as "25G" that is an exact share of the link's.
std::optional<Fraction> readLoad(const YamlNode& node, bool topology_known,
                                 const Scenario& scenario, Problems& problems) {
  const std::string range = "more than 0% up to 100% of the link's rate, or a rate such as 25G";
  std::optional<Fraction> load;
  std::string error = "a single value is needed here";
  if (node.kind == YamlNode::Kind::kScalar) {
    const auto share = parseShare(node.text);
    const auto rate = parseBitRate(node.text);
    load = share.value;
    error = "\"" + node.text + "\" is neither a share nor a rate";
    if (!load && rate.value) {
      // Without a right link rate there is nothing to compare with, and that is reported already.
      if (!topology_known) return std::nullopt;
      const auto link = static_cast<Int128>(scenario.topology.link_rate.bitsPerSecond());
      const auto scaled = static_cast<Int128>(rate.value->bitsPerSecond()) * Fraction::kOne;
      if (scaled / link <= Fraction::kOne && scaled % link == 0) {
        load = Fraction::partsPerTrillion(static_cast<std::int64_t>(scaled / link));
      } else {
        error = "\"" + node.text + "\" is not an exact share of the link's rate";
      }
    }
    if (load && (load->partsPerTrillion() <= 0 || *load > Fraction::one())) {
      error = "\"" + node.text + "\" is out of range";
      load.reset();
    }
  }
  if (!load) problems.add(node, error, range);
  return load;
}

std::optional<Fraction> readResolution(const YamlNode& node, Problems& problems) {
  const std::string range = "0.0001% to 50%";
  const auto share = node.kind == YamlNode::Kind::kScalar
                         ? parseShare(node.text)
                         : Parsed<Fraction>{{}, "a single value is needed here"};
  if (!share.value) {
    problems.add(node, share.error, range);
  } else if (share.value->partsPerTrillion() < 1'000'000 || *share.value > Fraction::percent(50)) {
    problems.add(node, "\"" + node.text + "\" is out of range", range);
  } else {
    return share.value;
  }
  return std::nullopt;
}

void readProgress(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto map = readMap(node, "progress", problems);
  if (!map) return;
  Progress progress;
  if (const YamlNode* value = map->required("per_iteration")) {
    if (const auto count = readInteger(*value, 1, std::uint64_t{1} << 40, problems)) {
      progress.per_iteration = *count;
    }
  }
  if (const YamlNode* value = map->required("unit")) {
    if (const auto unit = readText(*value, 20, problems)) progress.unit = *unit;
  }
  map->finish();
  scenario.parameters.progress = std::move(progress);
}

void readSoak(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto map = readMap(node, "soak", problems);
  if (!map) return;
  Soak& soak = scenario.parameters.soak;
  if (const YamlNode* value = map->optional("duration")) {
    soak.duration =
        readDuration(*value, seconds(1), seconds(2'592'000), "1s to 2592000s", problems);
  }
  if (const YamlNode* value = map->optional("interval")) {
    soak.interval = readDuration(*value, seconds(1), seconds(86'400), "1s to 86400s", problems);
  }
  map->finish();
}

// Keys of the tests on simulated hosts.
void readHostParameters(MapReader& map, bool topology_known, Scenario& scenario,
                        Problems& problems) {
  Parameters& parameters = scenario.parameters;
  if (const YamlNode* value = map.optional("sizes")) {
    parameters.sizes = readList(*value, kMaxListed, problems, [&](const YamlNode& item) {
      return readBytes(item, Bytes(1), kMaxBuffer, "1B to 16GiB", problems);
    });
  }
  if (const YamlNode* value = map.optional("ranks")) {
    const std::uint32_t hosts = topology_known ? scenario.topology.hostCount() : fabric::kMaxHosts;
    parameters.ranks = readList(*value, kMaxListed, problems, [&](const YamlNode& item) {
      return readCount(item, 2, hosts, problems);
    });
  }
  if (const YamlNode* value = map.optional("flows")) {
    parameters.flows = readList(*value, kMaxListed, problems, [&](const YamlNode& item) {
      return readCount(item, 1, 256, problems);
    });
  }
  if (const YamlNode* value = map.optional("balancing")) {
    const std::vector<std::string> words(kBalancingWords.begin(), kBalancingWords.end());
    parameters.balancing = readList(*value, words.size(), problems,
                                    [&](const YamlNode& item) -> std::optional<std::string> {
                                      const auto word = readWord(item, words, problems);
                                      return word ? std::optional(words[*word]) : std::nullopt;
                                    });
  }
  if (const YamlNode* value = map.optional("compute")) {
    parameters.compute = readList(*value, kMaxListed, problems, [&](const YamlNode& item) {
      return readDuration(item, Picoseconds(0), seconds(3'600), "0s to 3600s", problems);
    });
  }
  if (const YamlNode* value = map.optional("progress")) readProgress(*value, scenario, problems);
  if (const YamlNode* value = map.optional("iterations")) {
    parameters.iterations = readCount(*value, 1, 10'000'000, problems);
  }
  if (const YamlNode* value = map.optional("soak")) readSoak(*value, scenario, problems);
}

}  // namespace

void readTraffic(const YamlNode& node, bool topology_known, Scenario& scenario,
                 Problems& problems) {
  auto map = readMap(node, "traffic", problems);
  if (!map) return;
  Traffic& traffic = scenario.traffic;
  readFormat(*map, traffic.format, problems);
  readSizes(*map, isEndpointBench(scenario.bench), traffic, problems);
  if (const YamlNode* value = map->optional("qps")) {
    traffic.qps = readList(*value, kMaxListed, problems, [&](const YamlNode& item) {
      return readCount(item, 1, 4096, problems);
    });
    if (traffic.qps && traffic.format.transport == Transport::kUdp) {
      problems.add(*value, "plain UDP frames have no queue pairs", "a rocev2 transport");
    }
    if (traffic.qps && (traffic.format.transport == Transport::kUetRudi ||
                        traffic.format.transport == Transport::kUetUud)) {
      problems.add(*value, "RUDI and UUD have no packet delivery contexts", "uet-rud or uet-rod");
    }
  }
  if (const YamlNode* value = map->optional("direction")) {
    const std::vector<std::string> words{"uni", "bi"};
    traffic.directions = readList(
        *value, words.size(), problems, [&](const YamlNode& item) -> std::optional<Direction> {
          const auto word = readWord(item, words, problems);
          if (!word) return std::nullopt;
          return *word == 0 ? Direction::kUnidirectional : Direction::kBidirectional;
        });
  }
  if (const YamlNode* value = map->optional("pairs")) {
    readPairs(*value, topology_known, scenario, problems);
  }
  map->finish();
}

void readParameters(const YamlNode& node, bool topology_known, Scenario& scenario,
                    Problems& problems) {
  auto map = readMap(node, "parameters", problems);
  if (!map) return;
  Parameters& parameters = scenario.parameters;
  if (const YamlNode* value = map->optional("repetitions")) {
    parameters.repetitions = readCount(*value, 1, 10'000, problems);
  }
  if (const YamlNode* value = map->optional("duration")) {
    parameters.duration =
        readDuration(*value, microseconds(1), seconds(86'400), "1us to 86400s", problems);
  }
  if (const YamlNode* value = map->optional("drain")) {
    parameters.drain = readDuration(*value, Picoseconds(0), seconds(10), "0s to 10s", problems);
  }
  if (const YamlNode* value = map->optional("resolution")) {
    parameters.resolution = readResolution(*value, problems);
  }
  if (const YamlNode* value = map->optional("loads")) {
    parameters.loads = readList(*value, kMaxListed, problems, [&](const YamlNode& item) {
      return readLoad(item, topology_known, scenario, problems);
    });
  }
  if (const YamlNode* value = map->optional("incast_ratios")) {
    const std::uint32_t hosts = topology_known ? scenario.topology.hostCount() : fabric::kMaxHosts;
    parameters.incast_ratios = readList(*value, kMaxListed, problems, [&](const YamlNode& item) {
      return readCount(item, 1, hosts - 1, problems);
    });
  }
  if (const YamlNode* value = map->optional("max_burst")) {
    parameters.max_burst = readCount(*value, 1, 1U << 24U, problems);
  }
  readHostParameters(*map, topology_known, scenario, problems);
  readCardParameters(*map, scenario, problems);
  map->finish();
}

}  // namespace plumbline::scenario
