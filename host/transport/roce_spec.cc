#include "transport/roce_spec.h"

#include <bit>

#include "base/error.h"
#include "transport/roce_packet.h"

namespace plumbline::transport {

namespace {

constexpr std::uint32_t kMaxWindow = 1U << 22;

void require(bool condition, const char* what, const char* remedy) {
  if (!condition) throw Error(ErrorKind::kUsage, what, {}, remedy);
}

}  // namespace

DcqcnSpec DcqcnSpec::paper() {
  DcqcnSpec spec;
  spec.enabled = true;
  return spec;
}

DcqcnSpec DcqcnSpec::nvidia() {
  DcqcnSpec spec;
  spec.enabled = true;
  spec.cnp_interval = microseconds(4);
  spec.decrease_interval = microseconds(4);
  spec.initial_alpha = 1023.0 / 1024;
  spec.g = 5.0 / 1024;
  spec.alpha_period = microseconds(1);
  spec.increase_period = microseconds(300);
  spec.increase_bytes = std::int64_t{32'767} * 64;
  spec.fast_recovery_steps = 1;
  spec.additive_increase = BitRate(5'000'000);
  spec.hyper_increase = BitRate(50'000'000);
  spec.min_rate = BitRate(1'000'000);
  spec.clamp_target = false;
  return spec;
}

DcqcnSpec DcqcnSpec::hpcc() {
  DcqcnSpec spec;
  spec.enabled = true;
  spec.cnp_interval = microseconds(4);
  spec.decrease_interval = microseconds(4);
  spec.alpha_period = microseconds(1);
  spec.increase_period = microseconds(900);
  spec.increase_bytes = 0;
  spec.fast_recovery_steps = 1;
  spec.additive_increase = BitRate(50'000'000);
  spec.hyper_increase = BitRate(100'000'000);
  spec.min_rate = BitRate(100'000'000);
  spec.clamp_target = false;
  return spec;
}

void validate(const DcqcnSpec& spec) {
  const Picoseconds zero{};
  require(spec.cnp_interval >= zero && spec.decrease_interval >= zero,
          "DCQCN: an interval is negative", "0 or more");
  require(spec.alpha_period > zero && spec.increase_period > zero,
          "DCQCN: alpha and increase period must be above 0", "for example 55 us");
  require(spec.g > 0 && spec.g < 1, "DCQCN: g is out of range", "above 0 and below 1");
  require(spec.min_alpha >= 0 && spec.min_alpha <= spec.initial_alpha && spec.initial_alpha <= 1,
          "DCQCN: alpha is out of range", "0 <= minimum <= initial value <= 1");
  require(spec.cut_weight > 0 && spec.cut_weight <= 1 && spec.min_cut_factor >= 0 &&
              spec.min_cut_factor < 1,
          "DCQCN: a cut is out of range", "weight above 0 and up to 1, factor 0 to below 1");
  require(spec.increase_bytes >= 0, "DCQCN: the byte counter is negative", "0 switches it off");
  const BitRate none{};
  require(spec.min_rate > none && spec.max_rate >= none && spec.first_cnp_rate >= none &&
              spec.additive_increase >= none && spec.hyper_increase >= none,
          "DCQCN: a rate is out of range", "the minimum above 0, the others 0 or more");
  require(spec.max_rate == none || spec.max_rate >= spec.min_rate,
          "DCQCN: the maximum rate is below the minimum", "0 for line rate");
}

void validate(const RoceCmSpec& spec) {
  require(spec.processing >= Picoseconds{}, "RoCE: the processing of a connection is negative",
          "0 or more");
  require(spec.response_timeout > Picoseconds{},
          "RoCE: the response timeout of a connection is out of range", "above 0");
  require(spec.retries <= 15, "RoCE: the retries of a connection are out of range", "0 to 15");
  require(spec.priority <= 7, "RoCE: a priority is out of range", "0 to 7");
  require(spec.max_qps >= 1 && spec.max_qps <= (1U << 24) - 2,
          "RoCE: the number of QPs is out of range", "1 to 2^24 - 2");
}

void validate(const RoceSpec& spec) {
  require(std::has_single_bit(spec.path_mtu) && spec.path_mtu >= 256 && spec.path_mtu <= 4096,
          "RoCE: the path MTU is not one of InfiniBand's", "256, 512, 1024, 2048 or 4096");
  require(spec.data_priority < 8 && spec.ack_priority < 8 && spec.cnp_priority < 8,
          "RoCE: a priority is out of range", "0 to 7");
  require(spec.first_psn <= kPsnMask, "RoCE: the first PSN is out of range", "0 to 2^24 - 1");
  require(spec.window_packets <= kMaxWindow, "RoCE: the window is out of range", "0 to 2^22");
  require(std::has_single_bit(spec.reorder_packets) && spec.reorder_packets >= 64 &&
              spec.reorder_packets <= kMaxWindow,
          "RoCE: the reorder buffer is out of range", "a power of two, 64 to 2^22 packets");
  require(spec.selective_nak_bytes <= 64, "RoCE: the selective NAK is out of range",
          "0 to 64 bytes");
  require(spec.ack_timeout > Picoseconds{} && spec.max_ack_timeout >= spec.ack_timeout,
          "RoCE: the ACK timeout is out of range", "above 0, the maximum not below it");
  require(spec.setup_time >= Picoseconds{}, "RoCE: the set-up time is negative", "0 or more");
  if (spec.cm) {
    validate(*spec.cm);
    require(spec.setup_time == Picoseconds{},
            "RoCE: a QP is set up over the wire and out of band at once",
            "either connections or setup_time");
  }
  if (spec.dcqcn.enabled) validate(spec.dcqcn);
}

}  // namespace plumbline::transport
