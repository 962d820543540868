// DCQCN's reaction point as a direct transcription of the equations: every expiry of a timer is an
// event that is executed at its time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "transport/roce/roce_spec.h"

namespace plumbline::transport_test {

class DcqcnReference {
 public:
  DcqcnReference(const transport::DcqcnSpec& spec, double line) : spec(spec) {
    top = spec.max_rate.bitsPerSecond() == 0
              ? line
              : std::min(line, static_cast<double>(spec.max_rate.bitsPerSecond()));
    rc = rt = top;
    bottom = static_cast<double>(spec.min_rate.bitsPerSecond());
    alpha = spec.initial_alpha;
  }

  // Times in ps, ascending over all calls.
  void cnp(std::int64_t now) {
    runUntil(now);
    if (!active) {
      active = true;
      if (spec.first_cnp_rate.bitsPerSecond() > 0) {
        rc = std::clamp(static_cast<double>(spec.first_cnp_rate.bitsPerSecond()), bottom, top);
        reset(now);
        return;
      }
    } else if (now < cut_time + spec.decrease_interval.count()) {
      return;
    }
    bool follow = spec.clamp_target;
    if (i_b != 0) follow = true;
    if (i_t != 0 && spec.clamp_target_after_timer) follow = true;
    if (follow) rt = rc;
    double lower = rc - rc * alpha * spec.cut_weight;
    if (lower < rc * spec.min_cut_factor) lower = rc * spec.min_cut_factor;
    rc = lower < bottom ? bottom : lower;
    alpha = alpha + spec.g * (1.0 - alpha);
    reset(now);
  }

  void sent(std::int64_t bytes, std::int64_t now) {
    runUntil(now);
    if (!active || spec.increase_bytes == 0) return;
    counter += bytes;
    while (counter >= spec.increase_bytes) {
      counter -= spec.increase_bytes;
      i_b += 1;
      raise();
    }
  }

  void runUntil(std::int64_t now) {
    if (!active) return;
    while (std::min(alpha_timer, increase_timer) <= now) {
      if (alpha_timer <= increase_timer) {
        alpha = alpha - spec.g * alpha;
        if (alpha < spec.min_alpha) alpha = spec.min_alpha;
        alpha_timer += spec.alpha_period.count();
      } else {
        i_t += 1;
        raise();
        increase_timer += spec.increase_period.count();
      }
    }
  }

  [[nodiscard]] std::int64_t gap(std::int64_t wire_bytes) const {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(wire_bytes) * 8.0 * 1e12 / rc));
  }

  transport::DcqcnSpec spec;
  bool active = false;
  double rc = 0;
  double rt = 0;
  double alpha = 0;
  double top = 0;
  double bottom = 0;
  std::int64_t alpha_timer = 0;
  std::int64_t increase_timer = 0;
  std::int64_t cut_time = 0;
  std::int64_t counter = 0;
  long i_b = 0;
  long i_t = 0;

 private:
  void reset(std::int64_t now) {
    counter = 0;
    i_b = i_t = 0;
    cut_time = now;
    alpha_timer = now + spec.alpha_period.count();
    increase_timer = now + spec.increase_period.count();
  }

  void raise() {
    const long f = spec.fast_recovery_steps;
    const bool both = spec.increase_bytes == 0 ? i_t > f : (i_t > f && i_b > f);
    const long k = (spec.increase_bytes == 0 ? i_t : std::min(i_t, i_b)) - f;
    if (both) {
      rt += static_cast<double>(spec.hyper_increase.bitsPerSecond()) *
            (spec.scaled_hyper_increase ? static_cast<double>(k) : 1.0);
    } else if (i_t >= f || i_b >= f) {
      rt += static_cast<double>(spec.additive_increase.bitsPerSecond());
    }
    if (rt > top) rt = top;
    rc = std::clamp(0.5 * (rt + rc), bottom, top);
  }
};

}  // namespace plumbline::transport_test
