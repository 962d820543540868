// Memory of simulations, in large pages where the machine has them.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace plumbline {

// The state of a simulation of many hosts is accessed all over in every window, and has more 4 KiB
// pages than the TLB has entries: the misses cost a share of the time, most of all on a virtual
// machine. So blocks are cut consecutively from memory for which the kernel is asked to use 2 MiB
// pages (Linux: MADV_HUGEPAGE). That is a hint: without such pages, normal ones are used. The first
// few MiB are in normal pages until they fill large ones (Linux 6.1: MADV_COLLAPSE), so that small
// simulations do not grow.
//
// A released block is reused for one of about its size, or split for smaller ones before new memory
// is used. When all are released, the memory returns to the system, except for up to 64 MiB: the
// next simulation, which usually follows, would have to wait until the kernel has cleared them
// again. The kernel may take them when it needs memory (Linux: MADV_FREE); until then they count as
// the process's. Use this only for objects that end with their simulation: a block that is kept
// longer keeps all memory that was allocated meanwhile. Any thread may allocate and release.

// A block for `bytes` > 0, on a cache line of its own. Throws std::bad_alloc.
[[nodiscard]] void* allocatePaged(std::size_t bytes);
// Releases a block that allocatePaged(bytes) has allocated.
void freePaged(void* block, std::size_t bytes) noexcept;

// Blocks that allocatePaged() has allocated and that are not released.
struct PagedUse {
  std::size_t blocks = 0;
  std::size_t reserved_bytes = 0;  // of address space, in use or not
};
[[nodiscard]] PagedUse pagedUse();
// Returns the memory kept for the next simulation to the system, if no simulation is running.
void trimPaged() noexcept;

// For containers of the standard library.
template <typename T>
struct PagedAllocator {
  using value_type = T;

  PagedAllocator() = default;
  template <typename U>
  PagedAllocator(const PagedAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T* allocate(std::size_t count) {
    static_assert(alignof(T) <= 64);
    return static_cast<T*>(allocatePaged(count * sizeof(T)));
  }
  void deallocate(T* items, std::size_t count) noexcept { freePaged(items, count * sizeof(T)); }
  bool operator==(const PagedAllocator& /*other*/) const { return true; }
};

template <typename T>
using PagedVector = std::vector<T, PagedAllocator<T>>;

// Base of classes whose objects are allocated there by `new`.
struct PagedObject {
  static void* operator new(std::size_t bytes) { return allocatePaged(bytes); }
  static void operator delete(void* object, std::size_t bytes) noexcept {
    freePaged(object, bytes);
  }
};

// An array whose length is a power of two, or zero.
template <typename T>
class PagedArray {
 public:
  PagedArray() = default;
  // `size` items, all zero or as initialised by their constructor.
  explicit PagedArray(std::size_t size) : mask_(size - 1) {
    PagedAllocator<T> allocator;
    items_ = allocator.allocate(size);
    std::uninitialized_value_construct_n(items_, size);
  }
  PagedArray(PagedArray&& other) noexcept
      : items_(std::exchange(other.items_, nullptr)), mask_(std::exchange(other.mask_, kNone)) {}
  PagedArray& operator=(PagedArray&& other) noexcept {
    std::swap(items_, other.items_);
    std::swap(mask_, other.mask_);
    return *this;
  }
  ~PagedArray() {
    if (items_ == nullptr) return;
    std::destroy_n(items_, size());
    PagedAllocator<T>().deallocate(items_, size());
  }

  [[nodiscard]] std::size_t size() const { return mask_ + 1; }
  // size() - 1: the mask that maps a number to an index, all bits for an empty array.
  [[nodiscard]] std::size_t mask() const { return mask_; }
  [[nodiscard]] T* data() { return items_; }
  [[nodiscard]] const T* data() const { return items_; }
  [[nodiscard]] T& operator[](std::size_t place) { return items_[place]; }
  [[nodiscard]] const T& operator[](std::size_t place) const { return items_[place]; }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  T* items_ = nullptr;
  std::size_t mask_ = kNone;
};

}  // namespace plumbline
