// The fields of a TopologySpec, and of what goes wrong in a fabric.
// docs/model/topology-and-balancing.md has the shapes.
#include "fabric/spec/spec_checks.h"
#include "fabric/spec/spec_fields.h"
#include "spec/declare.h"

namespace plumbline::spec {
namespace {

using fabric::BitErrorSpec;
using fabric::FabricSpec;
using fabric::FailureSpec;
using fabric::GraphSpec;
using fabric::Impairment;
using fabric::ImpairmentKind;
using fabric::kMaxDelay;
using fabric::kMaxHosts;
using fabric::kMaxSwitchesPerTier;
using fabric::kMaxTime;
using fabric::PauseStormSpec;
using fabric::SwitchSpec;
using fabric::TopologyKind;
using fabric::TopologySpec;

constexpr Picoseconds kShortest{1};
constexpr BitRate kSlowest{1'000'000};
constexpr BitRate kFastest{8'000'000'000'000};
constexpr std::uint32_t kMaxUplinks = 256;
constexpr double kMaxBitErrorRate = 1e-3;

template <TopologyKind... kKinds>
bool isOneOf(const TopologySpec& topology) {
  return ((topology.kind == kKinds) || ...);
}
constexpr auto isSwitch = isOneOf<TopologyKind::kSingleSwitch>;
constexpr auto isClos = isOneOf<TopologyKind::kClos2, TopologyKind::kClos3>;
constexpr auto isClos3 = isOneOf<TopologyKind::kClos3>;
constexpr auto isRail = isOneOf<TopologyKind::kRail>;
constexpr auto isPools = isOneOf<TopologyKind::kPools>;
constexpr auto isGraph = isOneOf<TopologyKind::kGraph>;
constexpr auto isClosOrPools =
    isOneOf<TopologyKind::kClos2, TopologyKind::kClos3, TopologyKind::kPools>;
constexpr auto hasLeaves =
    isOneOf<TopologyKind::kClos2, TopologyKind::kClos3, TopologyKind::kRail, TopologyKind::kPools>;
bool hasFabricLinks(const TopologySpec& topology) {
  return hasLeaves(topology) || isGraph(topology);
}

constexpr const char* kOfLeaves = "kind: clos2, clos3, rail, pools";
constexpr const char* kStringList = R"({"type": "array", "items": {"type": "string"}})";

// Number of switches of a tier, or of pods.
template <auto Member>
auto tier(const char* key, const char* help, const char* kinds, bool (*has)(const TopologySpec&)) {
  return field<Member>(key, help).in(1, kMaxSwitchesPerTier).onlyIf(kinds, has);
}
template <auto Member>
auto hosts(const char* key, const char* help, const char* kinds, bool (*has)(const TopologySpec&)) {
  return field<Member>(key, help).in(1, kMaxHosts).onlyIf(kinds, has);
}

Field ofGraph(Field one) {
  one.applies = [](const void* spec) { return isGraph(*static_cast<const TopologySpec*>(spec)); };
  one.applies_with = "kind: graph";
  return one;
}

// A graph has names where a switch has a number.
Field orNames(Field one) {
  one.special_schema = R"({"anyOf": [{"type": "integer", "minimum": 2, "maximum": 8192},
                          {"type": "array", "items": {"type": "string"}}]})";
  return one;
}

// A scenario has it beside `switch`.
Field balancing() {
  Field one = block<&SwitchSpec::load_balancing>(
      "load_balancing", "How a switch chooses among equally short paths; the kind, or a map");
  one.member = "switches.load_balancing";
  one.stored.clear();
  one.alone = "kind";
  const auto switches = block<&FabricSpec::switches>({}, {});
  one.peek = [of = switches.peek, part = one.peek](const void* spec) { return part(of(spec)); };
  one.open = [of = switches.open, part = one.open](void* spec) { return part(of(spec)); };
  return one;
}

Field cables() {
  Field one = special("cables", "Required of a graph; what is joined to what",
                      "list of `{a, b, rate, delay}`", {});
  one.fields = []() -> const Fields& { return fieldsOf<GraphSpec::Cable>(); };
  one.fresh = []() -> const void* {
    static const GraphSpec::Cable kCable;
    return &kCable;
  };
  one.is_list = true;
  return ofGraph(std::move(one));
}

}  // namespace

template <>
const Fields& fieldsOf<GraphSpec::Cable>() {
  using Cable = GraphSpec::Cable;
  static const Fields kFields{
      field<&Cable::a>("a", "Name of a host or switch").need(),
      field<&Cable::b>("b", "Name of another one").need(),
      field<&Cable::rate>("rate", "Of the cable")
          .in(kSlowest, kFastest)
          .storedAs("bps")
          .otherwise("as `link`"),
      field<&Cable::delay>("delay", "Propagation")
          .in(kShortest, kMaxDelay)
          .otherwise("`host_delay` at a host, else `fabric_delay`"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<TopologySpec>() {
  using T = TopologySpec;
  static const Fields kFields{
      field<&T::kind>(
          "kind",
          "`link`: two hosts on one bare link; `switch`: hosts on one switch; `clos2`: "
          "each leaf joined to each spine; `clos3`: pods, each a `clos2`, superspine *u* "
          "joined to spine *u* mod `spines` of every pod; `rail`: NIC *r* of every server "
          "on a leaf of rail *r*; `pools`: prefill and decode servers on separate leaves; "
          "`graph`: what is listed")
          .word("link", TopologyKind::kLink)
          .word("switch", TopologyKind::kSingleSwitch, "single-switch")
          .word("clos2", TopologyKind::kClos2)
          .word("clos3", TopologyKind::kClos3)
          .word("rail", TopologyKind::kRail)
          .word("pools", TopologyKind::kPools)
          .word("graph", TopologyKind::kGraph)
          .need()
          .selecting(),
      orNames(field<&T::hosts>("hosts", "On the switch; of a graph, the list of their names")
                  .in(2, kMaxHosts)
                  .onlyIf("kind: switch, graph", isSwitch)),
      tier<&T::leaves>("leaves", "Of a clos3: of a pod", "kind: clos2, clos3", isClos),
      tier<&T::spines>("spines", "Of a clos3: of a pod", kOfLeaves, hasLeaves),
      hosts<&T::hosts_per_leaf>("hosts_per_leaf", "On each leaf", "kind: clos2, clos3, pools",
                                isClosOrPools),
      tier<&T::pods>("pods", "Each a clos2", "kind: clos3", isClos3),
      tier<&T::superspines>("superspines", "A multiple of `spines`", "kind: clos3", isClos3),
      hosts<&T::servers>("servers", "Each with a NIC per rail", "kind: rail", isRail),
      hosts<&T::rails>("rails", "NICs of a server", "kind: rail", isRail),
      hosts<&T::servers_per_leaf>("servers_per_leaf", "Servers on a leaf of a rail", "kind: rail",
                                  isRail),
      tier<&T::prefill_leaves>("prefill_leaves", "Leaves of the prefill pool", "kind: pools",
                               isPools),
      tier<&T::decode_leaves>("decode_leaves", "Leaves of the decode pool", "kind: pools", isPools),
      field<&T::uplinks>("uplinks",
                         "Parallel cables between a leaf and a spine, a spine and a superspine")
          .in(1, kMaxUplinks)
          .onlyIf(kOfLeaves, hasLeaves)
          .storedIfChanged(),
      field<&T::link_rate>("link", "Rate of hosts' links")
          .as("link_rate")
          .in(kSlowest, kFastest)
          .storedAs("link_bps"),
      field<&T::fabric_rate>("fabric_link", "Rate of links between switches")
          .as("fabric_rate")
          .in(kSlowest, kFastest)
          .orZero()
          .otherwise("as `link`")
          .onlyIf(kOfLeaves, hasLeaves)
          .storedAs("fabric_bps")
          .storedIf([](const T& one) { return one.fabricRate() != one.link_rate; }),
      field<&T::host_link_delay>("host_delay",
                                 "Propagation between host and switch; of a bare link, its delay")
          .as("host_link_delay")
          .in(kShortest, kMaxDelay)
          .storedIf([](const T& one) { return !isGraph(one); }),
      field<&T::fabric_link_delay>("fabric_delay", "Propagation between switches")
          .as("fabric_link_delay")
          .in(kShortest, kMaxDelay)
          .onlyIf("kind: clos2, clos3, rail, pools, graph", hasFabricLinks)
          .storedIf([](const T& one) { return !isGraph(one); }),
      ofGraph(
          special("switches", "Required of a graph; their names", "list of names", kStringList)),
      cables(),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<Impairment>() {
  static const Fields kFields{
      field<&Impairment::kind>("", "What becomes of the frame")
          .as("kind")
          .word("drop", ImpairmentKind::kDrop)
          .word("duplicate", ImpairmentKind::kDuplicate)
          .word("delay", ImpairmentKind::kDelay),
      field<&Impairment::host>("", "Host that sends it").as("host"),
      field<&Impairment::frame>("", "Number of the frame, from 0").as("frame"),
      // Without meaning for the other kinds, and stored all the same.
      field<&Impairment::delay>("", "How long it is held back").as("delay"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<BitErrorSpec>() {
  static const Fields kFields{
      field<&BitErrorSpec::link>("link",
                                 "`leaf0-spine1` (this direction), `hosts` (from and to hosts), "
                                 "`fabric` (between switches) or `\"*\"`")
          .need(),
      field<&BitErrorSpec::rate>("rate", "Errors per bit, independent of each other")
          .in(0, kMaxBitErrorRate)
          .need(),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<FailureSpec>() {
  static const Fields kFields{
      field<&FailureSpec::element>(
          "element", "A link (`leaf0-spine1`, both directions) or a switch (`spine1`)")
          .need(),
      field<&FailureSpec::down>("down", "When it goes down").in(Picoseconds(0), kMaxTime).need(),
      field<&FailureSpec::up>("up", "When it is there again, later than `down`")
          .in(Picoseconds(1), kMaxTime)
          .otherwise("never"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<PauseStormSpec>() {
  static const Fields kFields{
      field<&PauseStormSpec::host>("host", "Host that sends PAUSE, from 0").need(),
      field<&PauseStormSpec::priorities>("priorities", "Priorities that it pauses").priorities(),
      field<&PauseStormSpec::start>("start", "When it begins").in(Picoseconds(0), kMaxTime),
      field<&PauseStormSpec::duration>("duration", "How long it lasts")
          .in(Picoseconds(1), kMaxTime)
          .need(),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<FabricSpec>() {
  static const Fields kFields{
      block<&FabricSpec::topology>("topology", "Hosts, switches and cables").need(),
      block<&FabricSpec::switches>("switch", "Every switch; not of a bare link")
          .as("switches")
          .storedAs("switch"),
      balancing(),
      items<&FabricSpec::impairments>("", "Scripted misbehaviour")
          .as("impairments")
          .storedIf([](const FabricSpec&) { return true; }),
      items<&FabricSpec::bit_errors>(
          "bit_errors", "Bit errors on links; of entries that name one link, the last one holds"),
      items<&FabricSpec::failures>("failures",
                                   "What is down, and when; any number, also of one element"),
      field<&FabricSpec::convergence>("convergence",
                                      "From a change of a link to when all switches route by it")
          .in(Picoseconds(0), kMaxTime)
          .storedIf([](const FabricSpec& one) { return !one.failures.empty(); }),
      items<&FabricSpec::storms>("pause_storms", "Hosts that send PAUSE").as("storms"),
      field<&FabricSpec::seed>("", "Of everything drawn").as("seed"),
      field<&FabricSpec::draw>("", "Of what is random in time").as("draw").storedIfChanged(),
  };
  return kFields;
}

}  // namespace plumbline::spec
