// `serving:`
#include "base/error.h"
#include "scenario/field_reader.h"
#include "scenario/key_places.h"
#include "scenario/sections.h"
#include "scenario/serving_files.h"
#include "scenario/spec_fields.h"
#include "serving/spec_fields.h"
#include "spec/declare.h"

namespace plumbline::scenario {

ServingSection::ServingSection() {
  program.system.model = *serving::builtInModel("cfg-b");
  program.system.accelerator = *serving::builtInAccelerator("h100");
}

namespace {

// Reports a name that is neither built in nor has figures of its own.
void reportUnknown(const YamlNode& section, const char* key, const std::string& name,
                   const std::vector<std::string>& built_in, Problems& problems) {
  for (const YamlMember& member : section.members) {
    if (member.key.text != key) continue;
    problems.add(member.value, "there is no built-in " + std::string(key) + " " + shown(name),
                 "one of " + joined(built_in) + "; or a map of \"name\" and all of its figures");
  }
}

void checkNames(const YamlNode& section, const serving::ServingSpec& system, Problems& problems) {
  // A user-defined name needs all figures; a name alone was meant to be a built-in one.
  if (system.model.layers == 0 && !serving::builtInModel(system.model.name)) {
    reportUnknown(section, "model", system.model.name, serving::builtInModels(), problems);
  }
  if (system.accelerator.memory <= 0 && !serving::builtInAccelerator(system.accelerator.name)) {
    reportUnknown(section, "accelerator", system.accelerator.name, serving::builtInAccelerators(),
                  problems);
  }
  const serving::Efficiency& efficiency = system.efficiency;
  const bool whole = efficiency.flops > 0 && efficiency.memory > 0 && efficiency.link > 0;
  if (!whole && !serving::builtInEfficiency(efficiency.name)) {
    reportUnknown(section, "efficiency", efficiency.name, serving::builtInEfficiencies(), problems);
  }
}

}  // namespace

void readServing(const YamlNode& node, bool topology_known, Scenario& scenario,
                 Problems& problems) {
  auto map = readMap(node, "serving", problems);
  if (!map) return;
  const std::size_t before = problems.count();
  FieldPlaces places;
  SpecReader reader(std::move(*map), {}, &places, problems);
  ServingSection& section = scenario.serving.emplace();
  readFields(reader, section);
  if (section.workload) {
    const KeyPlaces keys(node);
    section.left_out = {!keys.has("workload.arrivals"), !keys.has("workload.prompt"),
                        !keys.has("workload.output")};
  }
  readServingFiles(reader, section, scenario, problems);
  reader.finish();
  checkNames(node, section.program.system, problems);
  if (problems.count() != before) return;
  serving::ServingProgram& program = section.program;
  program.system.seed = scenario.seed;
  if (section.workload) program.workload = *section.workload;
  places.judge([&] { serving::check(program); }, node, problems);
  if (!topology_known || problems.count() != before) return;
  const std::uint32_t nics = serving::Mapping(program.system.servers, program.system.model).nics();
  const std::uint32_t hosts = scenario.topology.hostCount();
  if (program.hosts.empty() && nics > hosts) {
    problems.add(node,
                 "the servers have " + std::to_string(nics) + " NICs, and the topology " +
                     std::to_string(hosts) + " hosts",
                 "a host for every NIC");
  }
  for (const std::uint32_t host : program.hosts) {
    if (host < hosts) continue;
    problems.add(node, "there is no host " + std::to_string(host),
                 "0 to " + std::to_string(hosts - 1));
  }
}

}  // namespace plumbline::scenario

namespace plumbline::spec {

template <>
const Fields& fieldsOf<scenario::ServingSection>() {
  using S = scenario::ServingSection;
  static const Fields kFields{
      inlined<&S::program>(),
      block<&S::workload>("workload", "Requests").otherwise("the test's"),
      block<&S::slo>("slo", "What a request must keep to count as goodput; no verdict"),
      field<&S::warmup>("warmup", "Before the measuring window")
          .in(Picoseconds(0), seconds(3'600))
          .otherwise("the profile's"),
      field<&S::drain>("drain", "Longest wait for the last measured request")
          .in(Picoseconds(0), seconds(3'600))
          .otherwise("the profile's"),
  };
  return kFields;
}

}  // namespace plumbline::spec
