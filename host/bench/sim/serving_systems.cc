#include "bench/sim/serving_systems.h"

#include <fmt/format.h>

#include "base/error.h"
#include "serving/mapping.h"
#include "serving/workload.h"

namespace plumbline::bench {

std::vector<std::string> servingRefusals(const TrialSpec& spec) {
  std::vector<std::string> refusals;
  for (const serving::ServingProgram* program : spec.servingSystems()) {
    try {
      serving::check(*program);
    } catch (const Error& error) {
      refusals.emplace_back(error.what());
    }
    if (program->system.reaction <= Picoseconds()) {
      refusals.emplace_back("a serving system on a fabric needs a reaction time above 0");
    }
  }
  if (spec.fast_forward || spec.early_end) {
    refusals.emplace_back("a serving system is neither fast-forwarded nor ended early");
  }
  return refusals;
}

ServingSystems::ServingSystems(const TrialSpec& spec, ServingNetwork& network, bool watched) {
  std::uint32_t first_nic = 0;
  models_.reserve(spec.servingSystems().size());
  for (const serving::ServingProgram* program : spec.servingSystems()) {
    const serving::ServingSpec& system = program->system;
    models_.push_back(std::make_unique<serving::ServingModel>(
        system, serving::Workload(program->workload, system.seed), network, first_nic));
    if (watched) models_.back()->watch(program->slo);
    first_nic += serving::Mapping(system.servers, system.model).nics();
  }
}

std::vector<serving::ServingResult> ServingSystems::run() {
  std::vector<serving::ServingModel*> all;
  all.reserve(models_.size());
  for (const auto& model : models_) all.push_back(model.get());
  return serving::ServingModel::runTogether(all);
}

void ServingSystems::look(TrialSnapshot& snapshot) const {
  snapshot.serving.reserve(models_.size());
  for (std::size_t i = 0; i < models_.size(); ++i) {
    snapshot.serving.push_back({servingSystemName(i, models_.size()), models_[i]->view()});
  }
}

std::string servingSystemName(std::size_t place, std::size_t systems) {
  return systems == 1 ? std::string() : fmt::format("tenant {}", place + 1);
}

}  // namespace plumbline::bench
