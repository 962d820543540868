#include "bench/json/transport_json.h"

#include "base/json.h"
#include "bench/json/spec_json.h"
#include "transport/spec_fields.h"

namespace plumbline::bench {

nlohmann::json transportToJson(const TransportSpec& transport) {
  auto json = std::visit([](const auto& spec) { return specToJson(spec); }, transport);
  json["kind"] = std::holds_alternative<transport::RoceSpec>(transport) ? "roce" : "uet";
  return json;
}

}  // namespace plumbline::bench
