// I5.4 Multi-tier storage transfer (inference draft, section 5.4).
//
// Tiers: memory of a GPU to that of another one, to host memory of the other server, back from
// there, and to an NVMe SSD of the own server. There are no accelerators, hosts' memories or SSDs
// here: the fabric leg is measured on simulated NICs, all other legs are modelled from their rates
// (tiers.h), and every table labels which is which. Swept: tier × message size. Measured, of the
// fabric leg: messages of one chunk one after the other, several in flight (rate), and one at a
// time (times). Computed: throughput of the slowest leg; a message of n chunks takes the first
// chunk's time through all legs and the slowest leg for each of the n - 1 others; ratio to GPU to
// GPU.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "suite/framework/fabric_metrics.h"
#include "suite/inference/inference.h"
#include "suite/inference/tiers.h"
#include "suite/inference/transfers.h"

namespace plumbline::suite {
namespace {

constexpr Bytes kChunk{256 * kKibibyte};
constexpr std::uint64_t kProbeMessages = 100;  // one at a time
// The job of the throughput begins when the other one has ended.
constexpr std::size_t kSingleJob = 0;

struct Tier {
  const char* name;
  bool fabric = false;  // the way leads through the fabric
  double before = 0;    // modelled leg before it, or alone [GB/s]
  double after = 0;     // modelled leg behind it [GB/s]
  const char* legs;
};
constexpr std::array<Tier, 4> kTiers{{
    {"GPU to GPU", true, kPcieGigabytes, kPcieGigabytes, "PCIe, fabric, PCIe"},
    {"GPU to host memory", true, kPcieGigabytes, kPcieGigabytes, "PCIe, fabric, PCIe"},
    {"host memory to GPU", true, kPcieGigabytes, kPcieGigabytes, "PCIe, fabric, PCIe"},
    {"GPU to NVMe", false, kPcieGigabytes, kNvmeWriteGigabytes, "PCIe, NVMe"},
}};

struct TierCell {
  const Tier* tier = nullptr;
  Bytes message;

  [[nodiscard]] double chunks() const {
    return std::max(static_cast<double>(message.count()) / static_cast<double>(kChunk.count()),
                    1.0);
  }
  [[nodiscard]] Bytes chunk() const { return std::min(message, kChunk); }
  // With a fabric leg of `fabric_us` for a chunk.
  [[nodiscard]] std::vector<TierStage> stages(double fabric_us) const {
    std::vector<TierStage> stages{{"before", chunkMicroseconds(chunk(), tier->before)}};
    if (tier->fabric) stages.push_back({"fabric", fabric_us});
    stages.push_back({"after", chunkMicroseconds(chunk(), tier->after)});
    return stages;
  }
};

class TierProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I5.4"; }
  [[nodiscard]] std::string title() const override { return "Multi-tier storage transfer"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"kv_gigabytes_per_s",   "kv_transfer_p50_us",   "kv_transfer_p99_us",
            "tier_gigabytes_per_s", "tier_transfer_p50_us", "tier_transfer_p99_us",
            "tier_vs_gpu_percent"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 5.4"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<TierCell> cellsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<TierCell> TierProcedure::cellsOf(const TestConfig& config, Numbers& numbers) {
  const std::vector<Bytes> draft{Bytes(kMebibyte), Bytes(16 * kMebibyte), Bytes(256 * kMebibyte)};
  const auto sizes =
      numbers.sweep<Bytes>("Message sizes", draft, draft, config.scenario.parameters.sizes);
  std::vector<TierCell> cells;
  for (const Tier& tier : kTiers) {
    for (const Bytes size : sizes) cells.push_back({&tier, size});
  }
  return cells;
}

Design TierProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Tier", ""}, {"Message", ""}};
  labelDut(DutLabel::kPath, design.numbers);
  if (auto why = unacknowledgedRefusal(config)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  const std::vector<TierCell> cells = cellsOf(config, design.numbers);
  design.numbers.configure("Chunk", valueText(kChunk));
  design.numbers.configure(
      "Modelled legs",
      fmt::format("PCIe {} GB/s, NVMe {} GB/s written; without latency of their own",
                  kPcieGigabytes, kNvmeWriteGigabytes));
  design.numbers.deviation(
      "only the fabric leg is measured; the legs to and from memory and the SSD are modelled from "
      "their rates");
  design.repetitions = design.numbers.repetitions(20, 3);
  const std::uint32_t last = config.scenario.topology.hostCount() - 1;
  const BitRate line = config.scenario.topology.link_rate;
  for (const TierCell& cell : cells) {
    bench::TrialSpec spec = emptyTrial(config);
    spec.transport = transportOr(config, transport::RoceSpec{});
    workload::JobSpec single = transferJob("one at a time", {{0, last}}, cell.chunk());
    programOf(single).messages = kProbeMessages;
    workload::JobSpec stream = transferJob("one after the other", {{0, last}}, cell.chunk());
    stream.start =
        (wireTimeOf(cell.chunk(), line) + microseconds(50)) * std::int64_t{kProbeMessages};
    programOf(stream).load = workload::ClosedLoop{32};
    programOf(stream).messages = 256;
    spec.workload->jobs = {std::move(single), std::move(stream)};
    design.add({cell.tier->name, valueText(cell.message)}, std::move(spec),
               messageHops(config, cell.chunk(), kProbeMessages + 256));
  }
  return design;
}

// Of chunks one after the other [GB/s].
double fabricGigabytes(const bench::TrialResult& trial) {
  const bench::JobOutcome& job = trial.fabric->jobs.back();
  if (!job.finished || job.completion <= Picoseconds(0)) return kNotMeasured;
  return static_cast<double>(job.bytes_arrived) / job.completion.toSeconds() / 1e9;
}

void TierProcedure::report(const TestConfig& config, const Design& design,
                           const std::vector<Measured>& measured, ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<TierCell> cells = cellsOf(config, unused);
  // Time of a chunk on the fabric when others follow it.
  const auto slot = [&](std::size_t i, const bench::TrialResult& trial) {
    return chunkMicroseconds(cells[i].chunk(), fabricGigabytes(trial));
  };
  const auto throughput = [&, slot](std::size_t i, const bench::TrialResult& trial) {
    return pipelineGigabytes(cells[i].stages(slot(i, trial)), cells[i].chunk());
  };
  // The first chunk takes its whole time on the fabric, the others a slot.
  const auto time = [&, slot](double q) {
    return [&, slot, q](std::size_t i, const bench::TrialResult& trial) -> std::optional<Reading> {
      const double behind =
          pipelineMicroseconds(cells[i].stages(slot(i, trial)), cells[i].chunks());
      if (!cells[i].tier->fabric) return behind;
      const stats::Histogram& times = arrivalTimes(trial, kSingleJob);
      if (times.count() == 0) return std::nullopt;
      Reading reading = quantileMicroseconds(times, q);
      reading.value += behind - slot(i, trial);
      return reading;
    };
  };
  const auto fabric_only = [&](auto of) {
    return [&, of](std::size_t i, const bench::TrialResult& trial) -> std::optional<Reading> {
      if (!cells[i].tier->fabric) return std::nullopt;
      return of(trial);
    };
  };
  Figure leg_rate{.column = "Fabric leg",
                  .unit = "GB/s",
                  .kpi = "kv_gigabytes_per_s",
                  .of = fabric_only([](const bench::TrialResult& trial) {
                    return Reading(fabricGigabytes(trial));
                  }),
                  .absent = "not on the way"};
  leg_rate.primary = true;
  const auto leg_time = [&](const char* column, const char* kpi, double q) {
    return Figure{.column = column,
                  .unit = "us",
                  .kpi = kpi,
                  .of = fabric_only([q](const bench::TrialResult& trial) {
                    return quantileMicroseconds(arrivalTimes(trial, kSingleJob), q);
                  }),
                  .absent = "not on the way"};
  };
  addTable(design, measured,
           {leg_rate, leg_time("Fabric leg P50", "kv_transfer_p50_us", 0.5),
            leg_time("Fabric leg P99", "kv_transfer_p99_us", 0.99)},
           {"fabric_leg",
            "The fabric leg, measured",
            fmt::format("Chunks of {} from NIC to NIC. Throughput: chunks sent back to back. Time: "
                        "one chunk at a time, from its post to its last byte at the receiver.",
                        valueText(kChunk)),
            {},
            {}},
           builder);
  const Figure tier_rate{
      .column = "Throughput",
      .unit = "GB/s",
      .kpi = "tier_gigabytes_per_s",
      .of = [throughput](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        return throughput(i, trial);
      }};
  const Figure ratio{.column = "Of GPU to GPU",
                     .unit = "%",
                     .kpi = "tier_vs_gpu_percent",
                     .of =
                         [&, throughput](std::size_t i, const bench::TrialResult& trial) {
                           TierCell gpu = cells[i];
                           gpu.tier = &kTiers.front();
                           const double whole =
                               pipelineGigabytes(gpu.stages(slot(i, trial)), gpu.chunk());
                           return 100 * throughput(i, trial) / whole;
                         },
                     .baseline = [&](std::size_t i) { return cells[i].tier == &kTiers.front(); }};
  addTable(
      design, measured,
      {tier_rate,
       {.column = "P50", .unit = "us", .kpi = "tier_transfer_p50_us", .of = time(0.5)},
       {.column = "P99", .unit = "us", .kpi = "tier_transfer_p99_us", .of = time(0.99)},
       ratio},
      {"tiers",
       "Tiers, modelled but for the fabric",
       fmt::format(
           "Legs of {}, {} and {}: {}; of {}: {}. Throughput is that of the slowest leg. A message "
           "goes in chunks, which follow each other from leg to leg. The fabric leg is that of "
           "the table above; the others are modelled: PCIe {} GB/s, NVMe {} GB/s.",
           kTiers[0].name, kTiers[1].name, kTiers[2].name, kTiers[0].legs, kTiers[3].name,
           kTiers[3].legs, kPcieGigabytes, kNvmeWriteGigabytes),
       {},
       {}},
      builder);
  results::Chart chart;
  chart.id = "tiers_vs_size";
  chart.title = "Time of a transfer over message size, modelled but for the fabric";
  chart.x_label = "Message [B]";
  chart.y_label = "P50 [us]";
  chart.log_x = true;
  chart.log_y = true;
  addChart(design, measured, {.column = "P50", .unit = "us", .kpi = "", .of = time(0.5)},
           {[&](std::size_t i) { return static_cast<double>(cells[i].message.count()); },
            [&](std::size_t i) { return std::string(cells[i].tier->name); }},
           std::move(chart), builder);
  if (measured.empty()) {
    builder.result().summary = "No point gave a valid result.";
    return;
  }
  const results::Quantity first = *meanOf(design, measured.front(), tier_rate);
  builder.primary("throughput, " + measured.front().point.label, first);
  builder.result().summary = fmt::format("{}: {}, modelled but for the fabric.",
                                         measured.front().point.label, builder.text(first));
}

}  // namespace

const Procedure& tierProcedure() {
  static const TierProcedure test;
  return test;
}

}  // namespace plumbline::suite
