#include "transport/uet/uet_spec.h"

#include "base/error.h"
#include "spec/check.h"
#include "transport/spec_fields.h"

namespace plumbline::transport {

void validate(const UetSpec& spec) {
  spec::check(spec, "uet");
  if (spec.swift.flow_max_window <= spec.swift.flow_min_window) {
    throw Error(ErrorKind::kUsage, "flow scaling ends where it begins",
                "uet.swift.flow_most_window", "above flow_least_window");
  }
}

}  // namespace plumbline::transport
