// What the compiler calls for copies and for memory that is cleared: there is no library. The
// attribute keeps it from making a call of the loop that is the function.
#include <stddef.h>
#include <stdint.h>

extern "C" {

__attribute__((optimize("no-tree-loop-distribute-patterns"))) void* memcpy(void* to,
                                                                           const void* from,
                                                                           size_t bytes) {
  auto* target = static_cast<uint8_t*>(to);
  const auto* source = static_cast<const uint8_t*>(from);
  for (size_t i = 0; i < bytes; ++i) target[i] = source[i];
  return to;
}

__attribute__((optimize("no-tree-loop-distribute-patterns"))) void* memset(void* to, int value,
                                                                           size_t bytes) {
  auto* target = static_cast<uint8_t*>(to);
  for (size_t i = 0; i < bytes; ++i) target[i] = static_cast<uint8_t>(value);
  return to;
}

}  // extern "C"
