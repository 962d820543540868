// `parameters:`
#include "scenario/field_reader.h"
#include "scenario/sections.h"
#include "scenario/spec_fields.h"

namespace plumbline::scenario {
namespace {

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
      // Without a valid link rate the load cannot be checked, and that is reported already.
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

// For the topology's hosts, where it is known.
spec::Fields parameterFields(bool topology_known, const Scenario& scenario) {
  spec::Fields fields = spec::fieldsOf<Parameters>();
  if (!topology_known) return fields;
  const Int128 hosts = scenario.topology.hostCount();
  for (spec::Field& field : fields) {
    if (field.key == "ranks") field.range.max = spec::Value{hosts};
    if (field.key == "incast_ratios") field.range.max = spec::Value{hosts - 1};
  }
  return fields;
}

}  // namespace

void readParameters(const YamlNode& node, bool topology_known, Scenario& scenario,
                    Problems& problems) {
  auto checked = readMap(node, "parameters", problems);
  if (!checked) return;
  SpecReader map(std::move(*checked), {}, nullptr, problems);
  readFields(map, parameterFields(topology_known, scenario), &scenario.parameters);
  if (const YamlNode* value = map.optional("loads")) {
    scenario.parameters.loads = readList(*value, kMaxListed, problems, [&](const YamlNode& item) {
      return readLoad(item, topology_known, scenario, problems);
    });
  }
  map.finish();
}

}  // namespace plumbline::scenario
