#include "bench/json/dut_json.h"

#include <string>

#include "base/error.h"
#include "base/json.h"
#include "bench/json/spec_json.h"
#include "fabric/spec/spec_fields.h"

namespace plumbline::bench {

using Json = nlohmann::json;

Json dutToJson(const fabric::FabricSpec& dut) {
  Json json = specToJson(dut);
  if (dut.topology.kind == fabric::TopologyKind::kGraph) {
    Json& topology = json["topology"];
    topology["hosts"] = dut.topology.graph.hosts;
    topology["switches"] = dut.topology.graph.switches;
    Json cables = Json::array();
    for (const auto& cable : dut.topology.graph.cables) cables.push_back(specToJson(cable));
    topology["cables"] = std::move(cables);
  }
  return json;
}

std::string_view loadBalancingName(fabric::LoadBalancingKind kind) {
  const spec::Field& field = spec::fieldNamed(spec::fieldsOf<fabric::LoadBalancingSpec>(), "kind");
  if (const spec::Word* word = spec::wordOf(field, static_cast<int>(kind))) return word->name;
  throw Error(ErrorKind::kTester, "a load balancing has no name");
}

}  // namespace plumbline::bench
