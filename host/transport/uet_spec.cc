#include "transport/uet_spec.h"

#include <bit>
#include <string>

#include "base/error.h"

namespace plumbline::transport {
namespace {

void requireField(bool holds, const char* field, const char* allowed) {
  if (holds) return;
  throw Error(ErrorKind::kUsage, "a UET parameter is out of its range", std::string("uet.") + field,
              allowed);
}

bool positive(const std::optional<Picoseconds>& time) { return !time || *time > Picoseconds(0); }

void validateNscc(const NsccSpec& nscc) {
  requireField(nscc.reference_bdp > Bytes(0), "nscc.reference_bdp", "above 0");
  requireField(nscc.reference_rtt > Picoseconds(0), "nscc.reference_rtt", "above 0");
  requireField(positive(nscc.target_qdelay), "nscc.target_qdelay", "above 0");
  requireField(positive(nscc.adjust_period), "nscc.adjust_period", "above 0");
  requireField(nscc.alpha >= 0, "nscc.alpha", "0 or more");
  requireField(nscc.fair_increase >= 0, "nscc.fair_increase", "0 or more");
  requireField(nscc.eta >= 0, "nscc.eta", "0 or more");
  requireField(nscc.fast_increase >= 0, "nscc.fast_increase", "0 or more");
  requireField(nscc.gamma >= 0, "nscc.gamma", "0 or more");
  requireField(nscc.max_md_jump > 0 && nscc.max_md_jump <= 1, "nscc.max_md_jump",
               "above 0, at most 1");
  requireField(nscc.delay_gain > 0 && nscc.delay_gain <= 1, "nscc.delay_gain",
               "above 0, at most 1");
  requireField(nscc.qa_gate <= 16, "nscc.qa_gate", "0 to 16");
  requireField(nscc.qa_threshold > 0, "nscc.qa_threshold", "above 0");
  requireField(nscc.adjust_bytes > 0, "nscc.adjust_bytes", "above 0");
  requireField(nscc.max_window > 0, "nscc.max_window", "above 0");
}

void validateEntropy(const UetEntropySpec& entropy) {
  requireField(std::has_single_bit(entropy.set_size), "entropy.set_size",
               "a power of two to 32768");
  requireField(entropy.reps_buffer >= 1 && entropy.reps_buffer <= 64, "entropy.reps_buffer",
               "1 to 64");
  requireField(entropy.bitmap_max_penalty >= 1, "entropy.bitmap_max_penalty", "1 or more");
}

}  // namespace

void validate(const UetSpec& spec) {
  requireField(spec.mtu_payload >= 256 && spec.mtu_payload <= 8192, "mtu_payload", "256 to 8192");
  requireField(spec.data_priority < 8, "data_priority", "0 to 7");
  requireField(spec.control_priority < 8, "control_priority", "0 to 7");
  // The SYN's psn_offset has 12 bits; packets of the first window must fit into it.
  requireField(spec.mp_range >= 1 && spec.mp_range <= 4096, "mp_range", "1 to 4096");
  if (spec.pdc_setup) {
    requireField(spec.pdc_setup->context_time >= Picoseconds(0), "pdc_setup.context_time",
                 "0 or more");
    requireField(spec.pdc_setup->max_pending >= 1 && spec.pdc_setup->max_pending <= 65535,
                 "pdc_setup.max_pending", "1 to 65535");
  }
  requireField(spec.max_pdcs >= 1 && spec.max_pdcs <= 65535, "max_pdcs", "1 to 65535");
  requireField(spec.close_after > Picoseconds(0), "close_after", "above 0");
  requireField(spec.linger >= Picoseconds(0), "linger", "0 or more");
  requireField(spec.target_expiry > Picoseconds(0), "target_expiry", "above 0");
  requireField(spec.no_pdc_retry > Picoseconds(0), "no_pdc_retry", "above 0");
  requireField(spec.ack_trigger_bytes >= 1, "ack_trigger_bytes", "1 or more");
  requireField(spec.ack_delay >= Picoseconds(0), "ack_delay", "0 or more");
  requireField(spec.receiver_penalty <= 127, "receiver_penalty", "0 to 127");
  requireField(spec.rto > Picoseconds(0) && spec.rto <= seconds(8), "rto", "above 0, at most 8 s");
  requireField(spec.max_rto_retries <= 15, "max_rto_retries", "0 to 15");
  requireField(spec.base_rtt > Picoseconds(0), "base_rtt", "above 0");
  requireField(spec.fixed_window > 0, "fixed_window", "above 0");
  requireField(spec.rccc.grant >= Bytes(256) && spec.rccc.grant.count() % 256 == 0, "rccc.grant",
               "a multiple of 256, above 0");
  requireField(spec.rccc.pace > Fraction() && spec.rccc.pace <= Fraction::one(), "rccc.pace",
               "above 0, at most 1");
  requireField(spec.rccc.max_window > 0, "rccc.max_window", "above 0");
  validateNscc(spec.nscc);
  validateEntropy(spec.entropy);
}

}  // namespace plumbline::transport
