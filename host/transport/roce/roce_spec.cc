#include "transport/roce/roce_spec.h"

#include <string>

#include "base/error.h"
#include "spec/check.h"
#include "transport/spec_fields.h"

namespace plumbline::transport {

namespace {

[[noreturn]] void refuse(const char* what, const char* field, const char* allowed) {
  throw Error(ErrorKind::kUsage, what, field, std::string("allowed: ") + allowed);
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
  spec::check(spec, "roce.dcqcn");
  if (spec.min_alpha > spec.initial_alpha) {
    refuse("the least alpha is above the initial one", "roce.dcqcn.min_alpha",
           "at most initial_alpha");
  }
  if (spec.max_rate != BitRate() && spec.max_rate < spec.min_rate) {
    refuse("the highest rate is below the lowest", "roce.dcqcn.max_rate",
           "min_rate or more, or 0 for line rate");
  }
}

void validate(const RoceCmSpec& spec) { spec::check(spec, "roce.cm"); }

void validate(const RoceSpec& spec) {
  spec::check(spec, "roce");
  if (spec.max_ack_timeout < spec.ack_timeout) {
    refuse("the longest ACK timeout is below the first", "roce.max_ack_timeout",
           "ack_timeout or more");
  }
  if (spec.cm && spec.setup_time != Picoseconds{}) {
    refuse("a QP is set up over the wire and out of band at once", "roce.setup_time",
           "either connections or setup_time");
  }
  if (spec.dcqcn.enabled) validate(spec.dcqcn);
}

}  // namespace plumbline::transport
