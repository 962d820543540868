// Memory of simulations, in large pages where the machine has them.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace plumbline {

// What a simulation of many hosts keeps is touched all over in every window, and lies in more pages
// of 4 KiB than a processor remembers the places of: looking them up costs a share of the time,
// most of all on a virtual machine. So blocks are cut, one behind the other, out of memory for
// which the kernel is asked for pages of 2 MiB (Linux: MADV_HUGEPAGE). That is a hint: where there
// are none, pages are as everywhere else. The first few MiB lie in ordinary pages until they fill
// large ones (Linux 6.1: MADV_COLLAPSE), lest what is small gets larger.
//
// A block given back is used again for one of about its size, or cut up for smaller ones before
// memory is used that never was. When all are back, the memory goes back to the system, but for up
// to 64 MiB: the next simulation, of which there mostly is one, would have to wait until the kernel
// has cleared them anew. The kernel may take them as soon as it needs memory (Linux: MADV_FREE);
// until then they count as the process's. So this is for what ends with its simulation: whoever
// keeps a block longer keeps all that was taken meanwhile. Any thread may take and give.

// A block for `bytes` > 0, on a cache line of its own. Throws std::bad_alloc.
[[nodiscard]] void* takePaged(std::size_t bytes);
// Gives back a block that takePaged(bytes) has made.
void givePaged(void* block, std::size_t bytes) noexcept;

// What takePaged() has made and nobody has given back yet.
struct PagedUse {
  std::size_t blocks = 0;
  std::size_t reserved_bytes = 0;  // of address space, in use or not
};
[[nodiscard]] PagedUse pagedUse();
// Gives back to the system what is kept for the next simulation, if none is going on.
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
    return static_cast<T*>(takePaged(count * sizeof(T)));
  }
  void deallocate(T* items, std::size_t count) noexcept { givePaged(items, count * sizeof(T)); }
  bool operator==(const PagedAllocator& /*other*/) const { return true; }
};

template <typename T>
using PagedVector = std::vector<T, PagedAllocator<T>>;

// Base of classes whose objects, made by `new`, lie there.
struct PagedObject {
  static void* operator new(std::size_t bytes) { return takePaged(bytes); }
  static void operator delete(void* object, std::size_t bytes) noexcept {
    givePaged(object, bytes);
  }
};

// An array whose length is a power of two, or none at all.
template <typename T>
class PagedArray {
 public:
  PagedArray() = default;
  // `size` items, all zero or as their constructor leaves them.
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
  // size() - 1: what turns a number into a place, all bits if there are no places.
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
