#include "serving/request.h"

#include <algorithm>

#include "base/random.h"

namespace plumbline::serving {

std::vector<std::uint64_t> pageHashes(const Request& request, std::uint32_t page) {
  const std::uint64_t known = request.prefix.size() * std::uint64_t{request.prefix_span};
  const std::uint64_t pages =
      std::min<std::uint64_t>(known, std::uint64_t{request.prompt} - 1) / page;
  std::vector<std::uint64_t> hashes;
  hashes.reserve(pages);
  std::uint64_t chain = mix64(request.prefix_span);
  for (std::uint64_t i = 0; i < pages; ++i) {
    // A page may lie within one id, or reach over several.
    const std::uint64_t first = i * page / request.prefix_span;
    const std::uint64_t last = ((i + 1) * page - 1) / request.prefix_span;
    for (std::uint64_t id = first; id <= last; ++id) chain = mix64(chain ^ request.prefix[id]);
    chain = mix64(chain + i);
    hashes.push_back(chain == 0 ? 1 : chain);  // 0 is no hash (kv_cache.h)
  }
  return hashes;
}

}  // namespace plumbline::serving
