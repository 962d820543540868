// `transport:`
#include <algorithm>
#include <limits>

#include "base/error.h"
#include "bench/base_rtt.h"
#include "fabric/packet.h"
#include "scenario/sections.h"
#include "scenario/spec_reader.h"

namespace plumbline::scenario {
namespace {

using transport::DcqcnSpec;
using transport::RoceRecovery;
using transport::RoceService;
using transport::RoceSpec;
using transport::UetCongestionControl;
using transport::UetEntropyPolicy;
using transport::UetService;
using transport::UetSpec;

constexpr std::pair<const char*, bool> kIpVersions[] = {{"4", false}, {"6", true}};

constexpr std::pair<const char*, RoceService> kRoceServices[] = {{"rc", RoceService::kRc},
                                                                 {"uc", RoceService::kUc}};
constexpr std::pair<const char*, RoceRecovery> kRecoveries[] = {
    {"go-back-n", RoceRecovery::kGoBackN}, {"selective-repeat", RoceRecovery::kSelectiveRepeat}};

struct DcqcnPreset {
  const char* name;
  DcqcnSpec (*make)();
};
constexpr DcqcnPreset kDcqcnPresets[] = {
    {"paper", DcqcnSpec::paper}, {"nvidia", DcqcnSpec::nvidia}, {"hpcc", DcqcnSpec::hpcc}};

constexpr std::pair<const char*, UetService> kUetServices[] = {{"rod", UetService::kRod},
                                                               {"rud", UetService::kRud},
                                                               {"rudi", UetService::kRudi},
                                                               {"uud", UetService::kUud}};
constexpr std::pair<const char*, UetCongestionControl> kCongestionControls[] = {
    {"none", UetCongestionControl::kNone},
    {"nscc", UetCongestionControl::kNscc},
    {"rccc", UetCongestionControl::kRccc},
    {"both", UetCongestionControl::kNsccRccc}};
constexpr std::pair<const char*, UetEntropyPolicy> kEntropyPolicies[] = {
    {"constant", UetEntropyPolicy::kConstant}, {"oblivious", UetEntropyPolicy::kOblivious},
    {"random", UetEntropyPolicy::kRandom},     {"round-robin", UetEntropyPolicy::kRoundRobin},
    {"bitmap", UetEntropyPolicy::kBitmap},     {"reps", UetEntropyPolicy::kReps}};

// A size into a field that is a plain number of bytes.
template <typename T>
std::optional<T> readByteCount(const YamlNode& node, Problems& problems) {
  const Bytes most(std::numeric_limits<T>::max());
  const auto size = readBytes(node, Bytes(0), most,
                              "a size up to " + std::to_string(most.count()) + "B", problems);
  return size ? std::optional(static_cast<T>(size->count())) : std::nullopt;
}

std::optional<std::int64_t> readLargeByteCount(const YamlNode& node, Problems& problems) {
  const auto size = readValue<Bytes>(node, problems);
  return size ? std::optional(size->count()) : std::nullopt;
}

std::optional<DcqcnSpec> readPreset(const YamlNode& node, Problems& problems) {
  std::vector<std::string> names;
  for (const DcqcnPreset& preset : kDcqcnPresets) names.emplace_back(preset.name);
  const auto word = readWord(node, names, problems);
  return word ? std::optional(kDcqcnPresets[*word].make()) : std::nullopt;
}

void readDcqcnFields(SpecReader& map, DcqcnSpec& dcqcn) {
  map.read("cnp_interval", "cnp_interval", dcqcn.cnp_interval);
  map.read("decrease_interval", "decrease_interval", dcqcn.decrease_interval);
  map.read("initial_alpha", "initial_alpha", dcqcn.initial_alpha, readAnyDecimal);
  map.read("g", "g", dcqcn.g, readAnyDecimal);
  map.read("min_alpha", "min_alpha", dcqcn.min_alpha, readAnyDecimal);
  map.read("cut_weight", "cut_weight", dcqcn.cut_weight, readAnyDecimal);
  map.read("min_cut_factor", "min_cut_factor", dcqcn.min_cut_factor, readAnyDecimal);
  map.read("alpha_period", "alpha_period", dcqcn.alpha_period);
  map.read("increase_period", "increase_period", dcqcn.increase_period);
  map.read("increase_bytes", "increase_bytes", dcqcn.increase_bytes, readLargeByteCount);
  map.read("fast_recovery_steps", "fast_recovery_steps", dcqcn.fast_recovery_steps);
  map.read("additive_increase", "additive_increase", dcqcn.additive_increase);
  map.read("hyper_increase", "hyper_increase", dcqcn.hyper_increase);
  map.read("scaled_hyper_increase", "scaled_hyper_increase", dcqcn.scaled_hyper_increase);
  map.read("min_rate", "min_rate", dcqcn.min_rate);
  map.read("max_rate", "max_rate", dcqcn.max_rate);
  map.read("first_cnp_rate", "first_cnp_rate", dcqcn.first_cnp_rate);
  map.read("clamp_target", "clamp_target", dcqcn.clamp_target);
  map.read("clamp_target_after_timer", "clamp_target_after_timer", dcqcn.clamp_target_after_timer);
}

// `dcqcn:` the name of a preset, or a map that begins with one and changes it.
void readDcqcn(SpecReader& map, RoceSpec& roce, Problems& problems) {
  const YamlNode* node = map.optional("dcqcn");
  if (node == nullptr) return;
  roce.dcqcn = DcqcnSpec::paper();
  if (node->kind == YamlNode::Kind::kScalar) {
    if (const auto preset = readPreset(*node, problems)) roce.dcqcn = *preset;
    return;
  }
  auto dcqcn = map.block("dcqcn", "dcqcn");
  if (!dcqcn) return;
  if (const YamlNode* preset = dcqcn->optional("preset")) {
    if (const auto spec = readPreset(*preset, problems)) roce.dcqcn = *spec;
  }
  readDcqcnFields(*dcqcn, roce.dcqcn);
  dcqcn->finish();
}

// `connections:` a map, which may be empty.
void readConnectionManagement(SpecReader& map, RoceSpec& roce) {
  auto block = map.block("connections", "cm");
  if (!block) return;
  transport::RoceCmSpec& cm = roce.cm.emplace();
  block->read("processing", "processing", cm.processing);
  block->read("response_timeout", "response_timeout", cm.response_timeout);
  block->read("retries", "retries", cm.retries);
  block->read("priority", "priority", cm.priority);
  block->read("max_qps", "max_qps", cm.max_qps);
  block->finish();
}

void readRoce(SpecReader& map, RoceSpec& roce, Problems& problems) {
  map.readWordOf<RoceService>("service", "service", kRoceServices, roce.service);
  map.readWordOf<RoceRecovery>("recovery", "recovery", kRecoveries, roce.recovery);
  map.read("mtu", "path_mtu", roce.path_mtu, readByteCount<std::uint32_t>);
  map.read("vlan", "vlan", roce.vlan);
  map.readWordOf<bool>("ip", "ipv6", kIpVersions, roce.ipv6);
  map.read("ect", "ect", roce.ect);
  map.read("data_priority", "data_priority", roce.data_priority);
  map.read("ack_priority", "ack_priority", roce.ack_priority);
  map.read("cnp_priority", "cnp_priority", roce.cnp_priority);
  map.read("spray", "spray", roce.spray);
  map.read("shared_source_port", "shared_source_port", roce.shared_source_port);
  map.read("first_psn", "first_psn", roce.first_psn);
  map.read("ack_every", "ack_every", roce.ack_every);
  map.read("window", "window_packets", roce.window_packets);
  map.read("selective_nak", "selective_nak_bytes", roce.selective_nak_bytes,
           readByteCount<std::uint32_t>);
  map.read("reorder_packets", "reorder_packets", roce.reorder_packets);
  map.read("reorder_tolerance", "reorder_tolerance", roce.reorder_tolerance);
  map.read("ack_timeout", "ack_timeout", roce.ack_timeout);
  // The limit never undercuts a long timeout that the file asks for.
  roce.max_ack_timeout = std::max(roce.max_ack_timeout, roce.ack_timeout);
  map.read("exponential_backoff", "exponential_backoff", roce.exponential_backoff);
  map.read("max_ack_timeout", "max_ack_timeout", roce.max_ack_timeout);
  map.read("retries", "retry_count", roce.retry_count);
  map.read("setup_time", "setup_time", roce.setup_time);
  readConnectionManagement(map, roce);
  readDcqcn(map, roce, problems);
  map.finish();
}

void readNscc(SpecReader& map, transport::NsccSpec& nscc) {
  map.read("reference_bdp", "reference_bdp", nscc.reference_bdp);
  map.read("reference_rtt", "reference_rtt", nscc.reference_rtt);
  map.read("target_qdelay", "target_qdelay", nscc.target_qdelay);
  map.read("alpha", "alpha", nscc.alpha, readAnyDecimal);
  map.read("fair_increase", "fair_increase", nscc.fair_increase, readAnyDecimal);
  map.read("eta", "eta", nscc.eta, readAnyDecimal);
  map.read("fast_increase", "fast_increase", nscc.fast_increase, readAnyDecimal);
  map.read("gamma", "gamma", nscc.gamma, readAnyDecimal);
  map.read("max_md_jump", "max_md_jump", nscc.max_md_jump, readAnyDecimal);
  map.read("delay_gain", "delay_gain", nscc.delay_gain, readAnyDecimal);
  map.read("qa_gate", "qa_gate", nscc.qa_gate);
  map.read("qa_threshold", "qa_threshold", nscc.qa_threshold, readAnyDecimal);
  map.read("adjust_bytes", "adjust_bytes", nscc.adjust_bytes, readAnyDecimal);
  map.read("adjust_period", "adjust_period", nscc.adjust_period);
  map.read("zero_qdelay", "zero_qdelay", nscc.zero_qdelay);
  map.read("max_window", "max_window", nscc.max_window, readAnyDecimal);
  map.finish();
}

void readRccc(SpecReader& map, transport::RcccSpec& rccc) {
  map.read("grant", "grant", rccc.grant);
  map.read("pace", "pace", rccc.pace);
  map.read("max_window", "max_window", rccc.max_window, readAnyDecimal);
  map.finish();
}

// `entropy:` the name of a policy, or a map with it and its parameters.
void readEntropy(SpecReader& map, transport::UetEntropySpec& entropy) {
  const YamlNode* node = map.optional("entropy");
  if (node == nullptr) return;
  if (node->kind == YamlNode::Kind::kScalar) {
    map.readWordOf<UetEntropyPolicy>("entropy", "entropy.policy", kEntropyPolicies, entropy.policy);
    return;
  }
  auto block = map.block("entropy", "entropy");
  if (!block) return;
  block->readWordOf<UetEntropyPolicy>("policy", "policy", kEntropyPolicies, entropy.policy);
  block->read("set_size", "set_size", entropy.set_size);
  block->read("reps_buffer", "reps_buffer", entropy.reps_buffer);
  block->read("reps_explore", "reps_explore", entropy.reps_explore);
  block->read("reps_freezing", "reps_freezing", entropy.reps_freezing);
  block->read("bitmap_ecn_penalty", "bitmap_ecn_penalty", entropy.bitmap_ecn_penalty);
  block->read("bitmap_nack_penalty", "bitmap_nack_penalty", entropy.bitmap_nack_penalty);
  block->read("bitmap_max_penalty", "bitmap_max_penalty", entropy.bitmap_max_penalty);
  block->finish();
}

std::optional<Picoseconds> readTimeOrNever(const YamlNode& node, Problems& problems) {
  if (node.kind == YamlNode::Kind::kScalar && node.text == "never") return fabric::kNever;
  return readValue<Picoseconds>(node, problems);
}

void readUet(SpecReader& map, UetSpec& uet) {
  map.readWordOf<UetService>("service", "service", kUetServices, uet.service);
  map.read("mtu", "mtu_payload", uet.mtu_payload, readByteCount<std::uint16_t>);
  map.read("crc", "crc", uet.crc);
  map.readWordOf<bool>("ip", "ipv6", kIpVersions, uet.ipv6);
  map.read("data_priority", "data_priority", uet.data_priority);
  map.read("control_priority", "control_priority", uet.control_priority);
  map.read("ect", "ecn", uet.ecn);
  map.read("trimming", "trimming", uet.trimming);
  map.read("start_psn", "start_psn", uet.start_psn);
  map.read("mp_range", "mp_range", uet.mp_range);
  map.read("max_pdcs", "max_pdcs", uet.max_pdcs);
  if (auto block = map.block("pdc_setup", "pdc_setup")) {
    transport::PdcSetupSpec& setup = uet.pdc_setup.emplace();
    block->read("context_time", "context_time", setup.context_time);
    block->read("max_pending", "max_pending", setup.max_pending);
    block->finish();
  }
  map.read("close_after", "close_after", uet.close_after, readTimeOrNever);
  map.read("linger", "linger", uet.linger);
  map.read("target_expiry", "target_expiry", uet.target_expiry);
  map.read("no_pdc_retry", "no_pdc_retry", uet.no_pdc_retry);
  map.read("ack_trigger", "ack_trigger_bytes", uet.ack_trigger_bytes, readByteCount<std::uint32_t>);
  map.read("ack_min_add", "ack_min_add_bytes", uet.ack_min_add_bytes, readByteCount<std::uint32_t>);
  map.read("ack_delay", "ack_delay", uet.ack_delay);
  map.read("ack_on_ecn", "ack_on_ecn", uet.ack_on_ecn);
  map.read("ack_per_packet", "ack_per_packet", uet.ack_per_packet);
  map.read("receiver_penalty", "receiver_penalty", uet.receiver_penalty);
  map.read("rto", "rto", uet.rto);
  map.read("max_rto_retries", "max_rto_retries", uet.max_rto_retries);
  map.read("max_nack_retries", "max_nack_retries", uet.max_nack_retries);
  map.read("loss_gap", "loss_gap", uet.loss_gap);
  map.readWordOf<UetCongestionControl>("cc", "congestion_control", kCongestionControls,
                                       uet.congestion_control);
  map.read("base_rtt", "base_rtt", uet.base_rtt);
  map.read("fixed_window", "fixed_window", uet.fixed_window, readAnyDecimal);
  if (auto nscc = map.block("nscc", "nscc")) readNscc(*nscc, uet.nscc);
  if (auto rccc = map.block("rccc", "rccc")) readRccc(*rccc, uet.rccc);
  readEntropy(map, uet.entropy);
  map.finish();
}

}  // namespace

void readTransport(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto map = readMap(node, "transport", problems);
  if (!map) return;
  const YamlNode* kind_node = map->required("kind");
  if (kind_node == nullptr) return;
  const std::vector<std::string> kinds{"roce", "uet"};
  const auto kind = readWord(*kind_node, kinds, problems);
  if (!kind) return;
  FieldPlaces places;
  SpecReader reader(std::move(*map), kinds[*kind], &places, problems);
  bench::TransportSpec& spec = scenario.transport.emplace();
  if (*kind == 0) {
    readRoce(reader, spec.emplace<RoceSpec>(), problems);
  } else {
    readUet(reader, spec.emplace<UetSpec>());
  }
  places.judge([&] { std::visit([](const auto& one) { transport::validate(one); }, spec); }, node,
               problems);
}

void deriveBaseRtt(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto* uet = scenario.transport ? std::get_if<UetSpec>(&*scenario.transport) : nullptr;
  const auto isBaseRtt = [](const YamlMember& member) { return member.key.text == "base_rtt"; };
  if (uet == nullptr || std::any_of(node.members.begin(), node.members.end(), isBaseRtt)) return;
  try {
    uet->base_rtt = bench::idleRoundTrip(scenario.fabricSpec(), scenario.workload, *uet);
  } catch (const Error& error) {
    problems.add(node, faultOf(error), "give \"base_rtt\"");
  }
}

}  // namespace plumbline::scenario
