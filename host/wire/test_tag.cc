#include "wire/test_tag.h"

namespace plumbline::wire {

void TestTag::encode(FixedSpan<kSize> out) const {
  store16(out.data(), kMagic);
  store16(&out[2], id);
  store64(&out[4], sequence);
  store48(&out[12], departure);
}

std::optional<TestTag> TestTag::decode(FixedView<kSize> in) {
  if (load16(in.data()) != kMagic) return std::nullopt;
  return TestTag{load16(&in[2]), load64(&in[4]), load48(&in[12])};
}

}  // namespace plumbline::wire
