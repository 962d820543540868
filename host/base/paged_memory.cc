#include "base/paged_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace plumbline {
namespace {

constexpr std::size_t kLineBytes = 64;
constexpr std::align_val_t kAlignment{kLineBytes};
constexpr std::size_t kPageBytes = std::size_t{2} << 20;
// Address space is reserved in pieces of this size; a page takes memory when it is touched.
constexpr std::size_t kRegionBytes = 32 * kPageBytes;
// The first blocks are in normal pages, until they fill a large one.
constexpr std::size_t kOrdinaryBytes = 2 * kPageBytes;
// Before another region is requested from the system, adjacent free blocks are joined if as much
// has been released since the last time: tables that grow by doubling release as much as they take.
constexpr std::size_t kMinJoinedBytes = 4 * kPageBytes;
// Linux's MADV_COLLAPSE, which headers older than 6.1 do not name: makes one large page of many.
constexpr int kCollapse = 25;

// The address sanitizer watches blocks that come from the ordinary heap.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#else
constexpr bool kAddressSanitizer = false;
#endif

// Lengths of blocks: multiples of a cache line up to 16 of them, then eight to each power of two.
struct SizeClass {
  std::size_t index;
  std::size_t bytes;
};
constexpr std::size_t kClasses = 512;

constexpr SizeClass classAt(std::size_t index) {
  if (index < 16) return {index, (index + 1) * kLineBytes};
  const std::size_t shift = index / 8 - 1;
  return {index, ((index % 8 + 9) << shift) * kLineBytes};
}

// The least that holds `bytes`.
constexpr SizeClass classOf(std::size_t bytes) {
  const std::size_t last_line = (bytes - 1) / kLineBytes;
  if (last_line < 16) return classAt(last_line);
  const auto shift = static_cast<std::size_t>(std::bit_width(last_line)) - 4;
  return classAt(8 * shift + (last_line >> shift));
}

// The largest class that fits into `bytes`, a cache line or more.
constexpr SizeClass classWithin(std::size_t bytes) {
  const SizeClass min = classOf(bytes);
  return min.bytes == bytes ? min : classAt(min.index - 1);
}

// Released blocks.
class FreeBlocks {
 public:
  void push(const SizeClass& size, void* block) {
    FreeBlock*& first = first_[size.index];
    first = new (block) FreeBlock{first};
    some_[size.index / 64] |= bitOf(size.index);
  }
  // A block of `size`, the last one released. Otherwise the beginning of the smallest larger one,
  // whose rest is split into smaller blocks: memory released by growing tables serves smaller
  // requests. None if there is none.
  void* take(const SizeClass& size) {
    const std::size_t index = firstFrom(size.index);
    if (index == kClasses) return nullptr;
    FreeBlock*& first = first_[index];
    FreeBlock* const block = std::exchange(first, first->next);
    if (first == nullptr) some_[index / 64] &= ~bitOf(index);
    pushPieces(reinterpret_cast<std::byte*>(block) + size.bytes, classAt(index).bytes - size.bytes);
    return block;
  }
  void clear() { *this = FreeBlocks(); }

  // Joins adjacent blocks into as few as possible.
  void join() {
    std::vector<Piece> pieces = pieceList();
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return std::less<>()(a.begin, b.begin); });
    clear();
    for (std::size_t i = 0; i < pieces.size();) {
      std::byte* const begin = pieces[i].begin;
      std::byte* end = begin;
      for (; i < pieces.size() && pieces[i].begin == end; ++i) end += pieces[i].bytes;
      pushPieces(begin, static_cast<std::size_t>(end - begin));
    }
  }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  struct Piece {
    std::byte* begin;
    std::size_t bytes;
  };

  // Adds `bytes` from `begin` on in as few blocks as possible.
  void pushPieces(std::byte* begin, std::size_t bytes) {
    while (bytes > 0) {
      const SizeClass piece = classWithin(bytes);
      push(piece, begin);
      begin += piece.bytes;
      bytes -= piece.bytes;
    }
  }
  [[nodiscard]] std::vector<Piece> pieceList() const {
    std::vector<Piece> pieces;
    for (std::size_t index = 0; index < kClasses; ++index) {
      for (FreeBlock* block = first_[index]; block != nullptr; block = block->next) {
        pieces.push_back({reinterpret_cast<std::byte*>(block), classAt(index).bytes});
      }
    }
    return pieces;
  }

  static std::uint64_t bitOf(std::size_t index) { return std::uint64_t{1} << (index % 64); }
  // The first class from `index` on with a block, or kClasses.
  [[nodiscard]] std::size_t firstFrom(std::size_t index) const {
    std::uint64_t bits = some_[index / 64] & ~(bitOf(index) - 1);
    for (std::size_t word = index / 64;; bits = some_[word]) {
      if (bits != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (++word == some_.size()) return kClasses;
    }
  }

  std::array<FreeBlock*, kClasses> first_{};
  std::array<std::uint64_t, kClasses / 64> some_{};  // a bit per class that has blocks
};

class PagedMemory {
 public:
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    void* const block =
        kAddressSanitizer ? ::operator new(bytes, kAlignment) : find(classOf(bytes));
    ++use_.blocks;
    return block;
  }

  void release(void* block, std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    if (kAddressSanitizer) {
      ::operator delete(block, kAlignment);
    } else {
      const SizeClass size = classOf(bytes);
      free_.push(size, block);
      released_bytes_ += size.bytes;
    }
    if (--use_.blocks == 0) release();
  }

  PagedUse use() {
    const std::lock_guard lock(mutex_);
    return use_;
  }

  void trim() noexcept {
    const std::lock_guard lock(mutex_);
    if (use_.blocks != 0 || regions_ == nullptr) return;
    munmap(regions_, regions_->bytes);
    forgetRegions();
  }

 private:
  // At the beginning of a region.
  struct Region {
    Region* next;
    std::size_t bytes;
  };

  void* find(const SizeClass& size) {
    if (void* const block = free_.take(size)) return block;
    if (static_cast<std::size_t>(end_ - next_) < size.bytes) {
      if (released_bytes_ >= kMinJoinedBytes) {
        released_bytes_ = 0;
        free_.join();
        if (void* const block = free_.take(size)) return block;
      }
      addRegion(size.bytes);
    }
    std::byte* const block = std::exchange(next_, next_ + size.bytes);
    for (; ordinary_ < ordinary_end_ && ordinary_ + kPageBytes <= next_; ordinary_ += kPageBytes) {
      madvise(ordinary_, kPageBytes, kCollapse);
    }
    return block;
  }

  void addRegion(std::size_t block_bytes) {
    const std::size_t whole = (block_bytes + kLineBytes + kPageBytes - 1) & ~(kPageBytes - 1);
    const std::size_t bytes = std::max(whole, kRegionBytes);
    std::byte* const begin = reserve(bytes);
    cutFrom(begin, bytes);
    madvise(ordinary_end_, static_cast<std::size_t>(begin + bytes - ordinary_end_), MADV_HUGEPAGE);
  }

  // Blocks come from this region from now on.
  void cutFrom(std::byte* begin, std::size_t bytes) {
    ordinary_ = begin;
    ordinary_end_ = regions_ == nullptr ? begin + kOrdinaryBytes : begin;
    regions_ = new (begin) Region{regions_, bytes};
    use_.reserved_bytes += bytes;
    next_ = begin + kLineBytes;
    end_ = begin + bytes;
  }

  // Begins where a page of 2 MiB can.
  static std::byte* reserve(std::size_t bytes) {
    void* const space = mmap(nullptr, bytes + kPageBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) throw std::bad_alloc();
    auto* const first = static_cast<std::byte*>(space);
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(space) & (kPageBytes - 1);
    if (before > 0) munmap(first, before);
    munmap(first + before + bytes, kPageBytes - before);
    return first + before;
  }

  // All blocks are released. The first region is kept, unless it is larger than others; the kernel
  // may take its pages meanwhile.
  void release() noexcept {
    Region* kept = nullptr;
    while (regions_ != nullptr) {
      Region* const region = std::exchange(regions_, regions_->next);
      if (regions_ == nullptr && region->bytes == kRegionBytes) {
        kept = region;
      } else {
        munmap(region, region->bytes);
      }
    }
    free_.clear();
    forgetRegions();
    if (kept == nullptr) return;
    madvise(kept, kRegionBytes, MADV_FREE);
    cutFrom(reinterpret_cast<std::byte*>(kept), kRegionBytes);
  }

  void forgetRegions() noexcept {
    regions_ = nullptr;
    next_ = end_ = ordinary_ = ordinary_end_ = nullptr;
    use_.reserved_bytes = 0;
  }

  std::mutex mutex_;
  FreeBlocks free_;
  std::size_t released_bytes_ = 0;  // that came back since the last join()
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  std::byte* ordinary_ = nullptr;      // the next large page to be made of ordinary ones,
  std::byte* ordinary_end_ = nullptr;  // up to here
  Region* regions_ = nullptr;
  PagedUse use_;
};

// Never destroyed: blocks may be released at the program's end.
PagedMemory& memory() {
  static PagedMemory& memory = *new PagedMemory;
  return memory;
}

}  // namespace

void* allocatePaged(std::size_t bytes) { return memory().take(bytes); }
void freePaged(void* block, std::size_t bytes) noexcept { memory().release(block, bytes); }
PagedUse pagedUse() { return memory().use(); }
void trimPaged() noexcept { memory().trim(); }

}  // namespace plumbline
