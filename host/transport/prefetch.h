// Fetching the memory of endpoints into the cache before it is needed. All of host/transport
// fetches through these functions and those of fabric/engine/prefetch.h, which says when that pays
// and why they are forced inline.
#pragma once

#include "fabric/engine/prefetch.h"

namespace plumbline::transport {

using fabric::prefetchToRead;
using fabric::prefetchToWrite;

// The first `kLines` cache lines of `object` will be written.
template <int kLines, typename T>
[[gnu::always_inline]] inline void prefetchLinesToWrite(const T& object) {
  fabric::prefetchRangeToWrite(&object, kLines * fabric::kCacheLineBytes);
}

}  // namespace plumbline::transport
