#include "transport/uet_spec.h"

#include "spec/check.h"
#include "transport/spec_fields.h"

namespace plumbline::transport {

void validate(const UetSpec& spec) { spec::check(spec, "uet"); }

}  // namespace plumbline::transport
