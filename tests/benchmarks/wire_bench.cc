// links: plumbline_wire plumbline_stats
// Cost of the host's work per byte, per frame and per latency sample.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "stats/histogram.h"
#include "wire/addresses.h"
#include "wire/crc.h"
#include "wire/frame.h"
#include "wire/template.h"

namespace plumbline {
namespace {

void crcThroughput(benchmark::State& state) {
  const wire::Buffer bytes(static_cast<std::size_t>(state.range(0)), 0x5A);
  while (state.KeepRunning()) benchmark::DoNotOptimize(wire::crc32(bytes));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(crcThroughput)->Arg(64)->Arg(1518)->Arg(9216);

// A RoCE WRITE Only frame of `length` bytes with the FCS (its payload is a multiple of four).
wire::FrameSpec writeFrame(const wire::Buffer& payload) {
  wire::RoceLayer layer;
  layer.bth.opcode = wire::roce_opcode::kRcWriteOnly;
  layer.reth = wire::Reth{0x1000, 1, static_cast<std::uint32_t>(payload.size())};
  wire::FrameSpec spec;
  spec.destination = wire::hostMac(1);
  spec.source = wire::hostMac(0);
  spec.network = wire::Ipv4Header{.source = wire::hostIpv4(0), .destination = wire::hostIpv4(1)};
  spec.udp = wire::UdpHeader{.source_port = 0xC000, .destination_port = wire::udp_port::kRoce};
  spec.transport = layer;
  spec.payload = payload;
  return spec;
}

void encodeRoceFrame(benchmark::State& state) {
  const wire::Buffer payload(static_cast<std::size_t>(state.range(0)));
  const wire::FrameSpec spec = writeFrame(payload);
  while (state.KeepRunning()) benchmark::DoNotOptimize(wire::encodeFrame(spec));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(encodeRoceFrame)->Arg(20)->Arg(1024)->Arg(4096);

void decodeRoceFrame(benchmark::State& state) {
  const wire::Buffer payload(static_cast<std::size_t>(state.range(0)));
  const wire::Buffer bytes = wire::encodeFrame(writeFrame(payload));
  while (state.KeepRunning()) benchmark::DoNotOptimize(wire::decodeFrame(bytes));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(decodeRoceFrame)->Arg(20)->Arg(1024)->Arg(4096);

void recordLatency(benchmark::State& state) {
  RandomStream random(1, "latency");
  std::vector<std::uint64_t> values(4096);
  for (auto& value : values) value = 500'000 + random.below(2'000'000);
  stats::Histogram histogram;
  std::size_t i = 0;
  while (state.KeepRunning()) histogram.record(values[i++ % values.size()]);
  benchmark::DoNotOptimize(histogram.count());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(recordLatency);

void readQuantile(benchmark::State& state) {
  RandomStream random(2, "latency");
  stats::Histogram histogram;
  for (int i = 0; i < 100'000; ++i) histogram.record(500'000 + random.below(2'000'000));
  while (state.KeepRunning()) benchmark::DoNotOptimize(histogram.quantile(0.999));
}
BENCHMARK(readQuantile);

}  // namespace
}  // namespace plumbline
