// docs/conformance.md, made from the data.
#pragma once

#include <string>

#include "suite/conformance/conformance.h"

namespace plumbline::suite {

std::string conformancePage(const Conformance& training, const Conformance& inference);

}  // namespace plumbline::suite
