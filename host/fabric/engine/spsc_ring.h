// The queue between two nodes of the fabric, which may run on different threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/paged_memory.h"
#include "fabric/engine/prefetch.h"

namespace plumbline::fabric {

// FIFO of small values with one producer and one consumer, growing by doubling. It never shrinks,
// so that a steady state allocates nothing. It allocates nothing before its first item, since a
// large fabric has many unused links. The consumer sees the items that had been pushed at its last
// refresh(). A larger block replaces the old one while the consumer may still read the old one, so
// old blocks live until the next refresh().
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
  // The same in two steps: an item is filled in place, then made visible to the consumer.
  T& slot() {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - known_head_ == capacity()) {
      known_head_ = head_.load(std::memory_order_acquire);
      if (tail - known_head_ == capacity()) grow();
    }
    return write_items_[tail & write_mask_];
  }
  // The item that slot() returned last and that is not visible yet.
  [[nodiscard]] T& opened() {
    return write_items_[tail_.load(std::memory_order_relaxed) & write_mask_];
  }
  void publish() {
    tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  // Producer: items that are filled in one after the other and made visible all at once, so that
  // the members of the ring are read and written once. Nothing else pushes meanwhile. The ring is
  // passed to each call, so that the members of a local batch stay in registers.
  class Batch {
   public:
    explicit Batch(const SpscRing& ring)
        : first_(ring.tail_.load(std::memory_order_relaxed)),
          tail_(first_),
          full_(ring.known_head_ + ring.capacity()),
          mask_(ring.write_mask_),
          items_(ring.write_items_) {}

    // The next item, to be filled in.
    T& append(SpscRing& ring) {
      T& item = slot(ring);
      add();
      return item;
    }
    // The same in two steps: add() makes the item of slot() one of the batch.
    T& slot(SpscRing& ring) {
      if (tail_ == full_) *this = enlarged(ring, first_, tail_);
      return items_[tail_ & mask_];
    }
    // The item that slot() returned last.
    [[nodiscard]] T& opened() { return items_[tail_ & mask_]; }
    void add() { ++tail_; }
    // The number of items since the last publish(), and the first of them.
    [[nodiscard]] std::size_t size() const { return tail_ - first_; }
    [[nodiscard]] const T& first() const { return items_[first_ & mask_]; }
    // Fetches the place `ahead` places behind that of `item`.
    static void prefetch(const T& item, std::size_t ahead) { prefetchItemToWrite(&item, ahead); }
    void publish(SpscRing& ring) {
      ring.tail_.store(tail_, std::memory_order_release);
      first_ = tail_;
    }

   private:
    // The same with room for one more. Items become visible too early here, but the consumer does
    // not look before the end of the window.
    [[gnu::noinline]] static Batch enlarged(SpscRing& ring, std::size_t first, std::size_t tail) {
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
  void prefetchProducer() const { prefetchToWrite(&tail_); }
  void prefetchConsumer() const {
    prefetchToRead(&tail_);  // for refresh()
    prefetchToWrite(&head_);
  }

  // Producer: fetches the place of the next push().
  void prefetchPush() const { prefetchPush(0); }

  // Producer: fetches the place of the push() after `ahead` others.
  void prefetchPush(std::size_t ahead) const {
    const std::size_t place = (tail_.load(std::memory_order_relaxed) + ahead) & write_mask_;
    prefetchItemToWrite(write_items_, place);
  }
  // Consumer: fetches all visible items.
  void prefetchVisible() const {
    const std::size_t head = head_.load(std::memory_order_relaxed) & read_mask_;
    const std::size_t end = head + visible();
    prefetchItems(head, std::min(end, read_mask_ + 1));
    if (end > read_mask_ + 1) prefetchItems(0, end & read_mask_);
  }

  // Number of items, while neither side is at work.
  [[nodiscard]] std::size_t size() const { return tail_.load() - head_.load(); }

  // All items from the front on, while neither side is at work.
  template <typename Visit>
  void forEach(Visit&& visit) const {
    const std::size_t tail = tail_.load();
    for (std::size_t i = head_.load(); i != tail; ++i) visit(write_items_[i & write_mask_]);
  }

  // Consumer. refresh() makes the items visible that were pushed since the last one. References to
  // items are invalid after it.
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
  // Number of visible items.
  [[nodiscard]] std::size_t visible() const {
    return seen_tail_ - head_.load(std::memory_order_relaxed);
  }
  // Calls `look` for them from the front on, as long as it returns true; returns how often it did.
  // An item keeps its address until it is taken out.
  template <typename Look>
  std::size_t visit(Look&& look) const {
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
    if (first < end) prefetchRangeToRead(read_items_ + first, (end - first) * sizeof(T));
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

  // Consumer: reads from `block` from now on. The producer does not use older blocks either.
  [[gnu::noinline]] void moveTo(Block* block) {
    seen_block_ = block;
    read_items_ = block->items.data();
    read_mask_ = block->items.mask();
    block->older.reset();
  }

  // The producer's members come first, then the consumer's: PropagationQueue has each group on a
  // cache line of its own.
  std::atomic<std::size_t> tail_{0};
  T* write_items_ = nullptr;
  std::size_t write_mask_ = ~std::size_t{0};  // capacity() - 1
  std::size_t known_head_ = 0;  // the consumer's line is read only when the ring seems full

  std::atomic<std::size_t> head_{0};
  std::size_t seen_tail_ = 0;
  const Block* seen_block_ = nullptr;
  const T* read_items_ = nullptr;
  std::size_t read_mask_ = 0;
  std::atomic<Block*> block_{nullptr};  // written when the ring grows
};

}  // namespace plumbline::fabric
