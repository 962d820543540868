#include "tests/transport/uet_allocations.h"

#include <cstdlib>
#include <new>

namespace {

std::uint64_t g_allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++g_allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace plumbline::transport_test {

std::uint64_t allocations() { return g_allocations; }

}  // namespace plumbline::transport_test
