// State of the packets that the sending half of a PDC has in flight.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/paged_memory.h"
#include "base/units.h"
#include "transport/prefetch.h"

namespace plumbline::transport {

// PSNs first() to end() - 1: from the first that is not acknowledged to the last that was ever
// sent. A record per PSN has the time and order of its last transmission; its status is in bits, 64
// PSNs to a word (word w: PSNs 64w to 64w + 63), so that an acknowledgement of many packets costs
// little more than that of one. Grows when needed; the records' memory is released when there are
// none.
class TxWindow {
 public:
  struct Record {
    Picoseconds sent;
    std::uint32_t order = 0;  // of the PDC's transmissions
    std::uint16_t entropy = 0;
    std::uint8_t nacks = 0;
  };

  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }

  // Drops everything; the next packet is `first`.
  void restart(std::uint64_t first) {
    first_ = end_ = first;
    enterFirstWord();
  }
  // No packet is in flight: releases the records' memory until the next push(), unless it is for at
  // most `kept` records. Returns how many there was room for.
  std::size_t rest(std::size_t kept) {
    const std::size_t room = records_.size();
    if (room > kept) records_ = {};
    return room;
  }
  // The PSN end() is sent for the first time. If there is no memory, `room` records (a power of
  // two) are allocated.
  void push(Picoseconds sent, std::uint32_t order, std::uint16_t entropy, std::size_t room) {
    if (end_ - first_ == records_.size()) grow(room);
    if ((end_ & 63) == 0) words_[(end_ >> 6) & words_.mask()] = Word{};
    Record& record = records_[end_++ & records_.mask()];
    record.sent = sent;
    record.order = order;
    record.entropy = entropy;
    record.nacks = 0;
  }
  // Prefetches the memory of `psn`, in the window or the next one.
  void prefetch(std::uint64_t psn) const {
    if (records_.size() != 0) prefetchToWrite(&records_[psn & records_.mask()]);
    prefetchToWrite(words_.data() + ((psn >> 6) & words_.mask()));
  }
  // Drops the packets below `psn`, which are all acknowledged.
  void popTo(std::uint64_t psn) { first_ = psn; }

  // Of a PSN in the window.
  [[nodiscard]] Record& operator[](std::uint64_t psn) { return records_[psn & records_.mask()]; }
  [[nodiscard]] const Record& operator[](std::uint64_t psn) const {
    return records_[psn & records_.mask()];
  }
  [[nodiscard]] bool acknowledged(std::uint64_t psn) const { return bit(word(psn).acked, psn); }
  [[nodiscard]] bool lost(std::uint64_t psn) const { return bit(word(psn).lost, psn); }
  [[nodiscard]] bool resent(std::uint64_t psn) const { return bit(word(psn).resent, psn); }
  // Neither acknowledged nor known to be lost.
  [[nodiscard]] bool inFlight(std::uint64_t psn) const {
    return !bit(word(psn).acked | word(psn).lost, psn);
  }
  void markLost(std::uint64_t psn) { word(psn).lost |= maskOf(psn); }
  void markResent(std::uint64_t psn) {
    word(psn).lost &= ~maskOf(psn);
    word(psn).resent |= maskOf(psn);
  }

  // Those of the packets `bits` of word `index` that are in the window and not acknowledged. Any
  // index and any bits are allowed.
  [[nodiscard]] std::uint64_t pending(std::uint64_t index, std::uint64_t bits) const {
    const std::uint64_t last = end_ >> 6;
    if (index < first_ >> 6 || index > last) return 0;
    if (index == last) bits &= maskOf(end_) - 1;
    return bits & ~words_[index & words_.mask()].acked;
  }
  // Those of `bits`, which are pending, that are lost or were sent more than once.
  [[nodiscard]] std::uint64_t special(std::uint64_t index, std::uint64_t bits) const {
    const Word& word = words_[index & words_.mask()];
    return bits & (word.lost | word.resent);
  }
  // `bits` of word `index`, which are pending, are acknowledged.
  void acknowledge(std::uint64_t index, std::uint64_t bits) {
    Word& word = words_[index & words_.mask()];
    word.acked |= bits;
    word.lost &= ~bits;
  }
  // The first PSN that is not acknowledged, or end().
  [[nodiscard]] std::uint64_t firstPending() const {
    std::uint64_t psn = first_;
    while (psn < end_) {
      psn += static_cast<unsigned>(std::countr_one(word(psn).acked >> (psn & 63)));
      if ((psn & 63) != 0 || !acknowledged(psn)) break;
    }
    return std::min(psn, end_);
  }

 private:
  // Bits below first() are set in `acked`; those from end() on are clear in all three.
  struct Word {
    std::uint64_t acked = 0;
    std::uint64_t lost = 0;
    std::uint64_t resent = 0;
  };
  static constexpr std::size_t kFirstWords = 2;  // the window may begin and end within a word

  static std::uint64_t maskOf(std::uint64_t psn) { return std::uint64_t{1} << (psn & 63); }
  static bool bit(std::uint64_t bits, std::uint64_t psn) { return (bits >> (psn & 63) & 1) != 0; }
  [[nodiscard]] Word& word(std::uint64_t psn) { return words_[(psn >> 6) & words_.mask()]; }
  [[nodiscard]] const Word& word(std::uint64_t psn) const {
    return words_[(psn >> 6) & words_.mask()];
  }
  void enterFirstWord() { word(first_) = {maskOf(first_) - 1, 0, 0}; }

  void grow(std::size_t room) {
    PagedArray<Record> larger(records_.size() == 0 ? room : records_.size() * 2);
    PagedArray<Word> larger_words(std::max(larger.size() / 32, kFirstWords));
    for (std::uint64_t psn = first_; psn != end_; ++psn) {
      larger[psn & larger.mask()] = (*this)[psn];
      larger_words[(psn >> 6) & larger_words.mask()] = word(psn);
    }
    records_ = std::move(larger);
    words_ = std::move(larger_words);
    if (first_ == end_) enterFirstWord();
  }

  PagedArray<Record> records_;
  PagedArray<Word> words_{kFirstWords};
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace plumbline::transport
