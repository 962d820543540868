// The queue between two nodes of the fabric, which may run on different threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/paged_memory.h"

namespace plumbline::fabric {

// FIFO of small values with one producer and one consumer, growing by doubling. It stays as large
// as the most it ever held, so that a steady state allocates nothing and touches little memory; it
// takes none before its first item, since a large fabric has many links that nothing crosses. The
// consumer sees what had been pushed at its last refresh(); a larger block replaces the old one
// while the consumer may still read that, so old blocks live until its next refresh().
template <typename T>
class SpscRing {
 public:
  SpscRing() = default;
  SpscRing(const SpscRing&) = delete;
  SpscRing& operator=(const SpscRing&) = delete;
  ~SpscRing() { delete block_.load(std::memory_order_relaxed); }

  // Producer.
  void push(const T& item) {
    slot() = item;
    publish();
  }
  // The same in two steps: an item is filled in where it is, then shown to the consumer.
  T& slot() {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - known_head_ == capacity()) {
      known_head_ = head_.load(std::memory_order_acquire);
      if (tail - known_head_ == capacity()) grow();
    }
    return write_items_[tail & write_mask_];
  }
  // The item that slot() gave last and that is not shown yet.
  [[nodiscard]] T& opened() {
    return write_items_[tail_.load(std::memory_order_relaxed) & write_mask_];
  }
  void publish() {
    tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  // Producer: items that are filled in one after the other and shown all at once, so that what the
  // ring knows of itself is read and written once. Meanwhile nobody else pushes. Inlined, by order:
  // nobody gets the address of what is known here, so that it may stay in registers.
  class Batch {
   public:
    [[gnu::always_inline]] explicit Batch(const SpscRing& ring)
        : first_(ring.tail_.load(std::memory_order_relaxed)),
          tail_(first_),
          full_(ring.known_head_ + ring.capacity()),
          mask_(ring.write_mask_),
          items_(ring.write_items_) {}

    // The next item, to be filled in.
    [[gnu::always_inline]] T& append(SpscRing& ring) {
      T& item = slot(ring);
      add();
      return item;
    }
    // The same in two steps: add() makes what slot() gave one of the batch.
    [[gnu::always_inline]] T& slot(SpscRing& ring) {
      if (tail_ == full_) *this = roomier(ring, first_, tail_);
      return items_[tail_ & mask_];
    }
    // The one that slot() gave last.
    [[nodiscard]] T& opened() { return items_[tail_ & mask_]; }
    void add() { ++tail_; }
    // How many there are since the last publish(), and the first of them.
    [[nodiscard]] std::size_t size() const { return tail_ - first_; }
    [[nodiscard]] const T& first() const { return items_[first_ & mask_]; }
    // Fetches the place `ahead` of the one where `item` is; beyond the last place that is useless,
    // and harmless.
    static void prefetch(const T& item, std::size_t ahead) {
      __builtin_prefetch(reinterpret_cast<const char*>(&item) + ahead * sizeof(T), 1);
    }
    [[gnu::always_inline]] void publish(SpscRing& ring) {
      ring.tail_.store(tail_, std::memory_order_release);
      first_ = tail_;
    }

   private:
    // The same with room for one more. What is shown before its time is not looked at before.
    [[gnu::noinline]] static Batch roomier(SpscRing& ring, std::size_t first, std::size_t tail) {
      ring.tail_.store(tail, std::memory_order_release);
      ring.slot();
      Batch more(ring);
      more.first_ = first;
      return more;
    }

    std::size_t first_;
    std::size_t tail_;
    std::size_t full_;  // the tail that has no room
    std::size_t mask_;
    T* items_;
  };

  // Fetch the members of one end.
  void prefetchProducer() const { __builtin_prefetch(&tail_, 1); }
  void prefetchConsumer() const {
    __builtin_prefetch(&tail_);  // which refresh() reads
    __builtin_prefetch(&head_, 1);
  }

  // Producer: fetches the place of the next push().
  void prefetchPush() const { prefetchPush(0); }

  // Producer: fetches the place of the push() after `ahead` others.
  void prefetchPush(std::size_t ahead) const {
    const std::size_t place = (tail_.load(std::memory_order_relaxed) + ahead) & write_mask_;
    // There may be no items yet, and then no places either.
    const auto begin = reinterpret_cast<std::uintptr_t>(write_items_);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): no arithmetic on a null pointer, and no branch
    __builtin_prefetch(reinterpret_cast<const void*>(begin + place * sizeof(T)), 1);
  }
  // Consumer: fetches all that it sees.
  void prefetchVisible() const {
    const std::size_t head = head_.load(std::memory_order_relaxed) & read_mask_;
    const std::size_t end = head + visible();
    prefetchItems(head, std::min(end, read_mask_ + 1));
    if (end > read_mask_ + 1) prefetchItems(0, end & read_mask_);
  }

  // Items in it, while neither side is at work.
  [[nodiscard]] std::size_t size() const { return tail_.load() - head_.load(); }

  // Consumer. refresh() before the first look at what was pushed since the last one; after it, what
  // was looked at before may be gone.
  void refresh() {
    seen_tail_ = tail_.load(std::memory_order_acquire);
    Block* const block = block_.load(std::memory_order_acquire);
    if (block != seen_block_) moveTo(block);
  }
  [[nodiscard]] bool empty() const { return head_.load(std::memory_order_relaxed) == seen_tail_; }
  [[nodiscard]] const T& front() const {
    return read_items_[head_.load(std::memory_order_relaxed) & read_mask_];
  }
  void pop() { pop(1); }
  // How many items it sees.
  [[nodiscard]] std::size_t visible() const {
    return seen_tail_ - head_.load(std::memory_order_relaxed);
  }
  // Shows them to `look` from the front on, as long as that returns true; returns how often it did.
  // An item stays where it is until it is taken out.
  template <typename Look>
  [[gnu::always_inline]] std::size_t visit(Look&& look) const {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    const std::size_t count = seen_tail_ - head;
    const std::size_t place = head & read_mask_;
    // Up to the end of the block, then from its beginning on.
    const T* item = read_items_ + place;
    const T* stop = item + std::min(count, read_mask_ + 1 - place);
    for (std::size_t before = 0;;) {
      const T* const first = item;
      for (; item != stop; ++item) {
        if (!look(*item)) return before + static_cast<std::size_t>(item - first);
      }
      before += static_cast<std::size_t>(item - first);
      if (before == count) return count;
      item = read_items_;
      stop = item + (count - before);
    }
  }
  // Takes out the first `count` of them.
  void pop(std::size_t count) {
    head_.store(head_.load(std::memory_order_relaxed) + count, std::memory_order_release);
  }

 private:
  static constexpr std::size_t kFirstCapacity = 8;

  struct Block {
    explicit Block(std::size_t capacity, Block* replaced = nullptr)
        : items(capacity), older(replaced) {}

    PagedArray<T> items;
    // The block that this one replaces. Belongs to the consumer once the ring shows this block.
    std::unique_ptr<Block> older;
  };

  // Those at the places from `first` to before `end` of the block.
  void prefetchItems(std::size_t first, std::size_t end) const {
    constexpr std::size_t kLineBytes = 64;
    const char* const bytes = reinterpret_cast<const char*>(read_items_);
    for (std::size_t i = first * sizeof(T); i < end * sizeof(T); i += kLineBytes) {
      __builtin_prefetch(bytes + i);
    }
  }

  // Of the producer's block; 0 if there is none.
  [[nodiscard]] std::size_t capacity() const { return write_mask_ + 1; }

  [[gnu::noinline]] void grow() {
    const T* old = write_items_;
    const std::size_t old_mask = write_mask_;
    // The copy must be complete before the consumer can find the block.
    auto* const block = new Block(capacity() == 0 ? kFirstCapacity : capacity() * 2,
                                  block_.load(std::memory_order_relaxed));
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    for (std::size_t i = known_head_; i != tail; ++i) {
      block->items[i & block->items.mask()] = old[i & old_mask];
    }
    write_items_ = block->items.data();
    write_mask_ = block->items.mask();
    block_.store(block, std::memory_order_release);
  }

  // Consumer: reads from `block` from now on. The producer has no use for older ones either.
  [[gnu::noinline]] void moveTo(Block* block) {
    seen_block_ = block;
    read_items_ = block->items.data();
    read_mask_ = block->items.mask();
    block->older.reset();
  }

  // The producer's members come first, then the consumer's, each of them next to each other: an
  // owner who cares has them on cache lines of their own (class PropagationQueue).
  std::atomic<std::size_t> tail_{0};
  T* write_items_ = nullptr;
  std::size_t write_mask_ = ~std::size_t{0};  // capacity() - 1
  std::size_t known_head_ = 0;  // the consumer's line is looked at only when the ring seems full

  std::atomic<std::size_t> head_{0};
  std::size_t seen_tail_ = 0;
  const Block* seen_block_ = nullptr;
  const T* read_items_ = nullptr;
  std::size_t read_mask_ = 0;
  std::atomic<Block*> block_{nullptr};  // written when the ring grows
};

}  // namespace plumbline::fabric
