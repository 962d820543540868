#include "base/paged_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"

namespace plumbline {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;

// A block with its expected content.
class Marked {
 public:
  Marked(std::size_t bytes, unsigned mark)
      : block_(static_cast<unsigned char*>(allocatePaged(bytes))), bytes_(bytes), mark_(mark) {
    std::memset(block_, static_cast<int>(mark_ & 0xFF), bytes_);
  }
  Marked(Marked&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), bytes_(other.bytes_), mark_(other.mark_) {}
  Marked& operator=(Marked&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(bytes_, other.bytes_);
    std::swap(mark_, other.mark_);
    return *this;
  }
  ~Marked() {
    if (block_ != nullptr) freePaged(block_, bytes_);
  }

  [[nodiscard]] bool intact() const {
    return std::all_of(block_, block_ + bytes_,
                       [&](unsigned char c) { return c == (mark_ & 0xFF); });
  }
  [[nodiscard]] unsigned char* data() const { return block_; }
  [[nodiscard]] std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(block_); }

 private:
  unsigned char* block_;
  std::size_t bytes_;
  unsigned mark_;
};

// Under the address sanitizer blocks come one by one from elsewhere, so that it can watch them.
bool cutsBlocks() {
  const Marked one(64, 0);
  return pagedUse().reserved_bytes > 0;
}

// The kernel's data on the mapping with `address`: the value of `key` in /proc/self/smaps; empty if
// it is missing.
std::string mappingOf(std::uintptr_t address, const std::string& key) {
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream head(line);
    if (head >> std::hex >> begin >> dash >> end && dash == '-') {
      inside = address >= begin && address < end;
    } else if (inside && line.starts_with(key + ":")) {
      return line.substr(key.size() + 1);
    }
  }
  return {};
}

TEST(PagedMemory, BlocksOfAllSizesLieApartOnCacheLinesOfTheirOwn) {
  std::vector<Marked> blocks;
  unsigned mark = 0;
  for (std::size_t power = 64; power <= 4 * kPage; power *= 2) {
    for (const std::size_t bytes : {power - 1, power, power + 1, power + power / 4 + 1}) {
      blocks.emplace_back(bytes, ++mark);
      EXPECT_EQ(blocks.back().address() % 64, 0U) << bytes;
    }
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) EXPECT_TRUE(blocks[i].intact()) << i;
}

TEST(PagedMemory, ABlockLargerThanARegionHasRoom) {
  constexpr std::size_t kBytes = 33 * kPage;
  auto* const block = static_cast<unsigned char*>(allocatePaged(kBytes));
  const Marked behind(64, 7);
  block[0] = 1;
  block[kBytes - 1] = 2;
  EXPECT_TRUE(behind.intact());
  EXPECT_EQ(block[0], 1);
  freePaged(block, kBytes);
}

TEST(PagedMemory, WhatIsGivenBackIsUsedAgainForItsSize) {
  if (!cutsBlocks()) GTEST_SKIP() << "the address sanitizer watches blocks one by one";
  const Marked other(64, 1);
  std::uintptr_t given = 0;
  {
    const Marked block(1'100, 2);
    given = block.address();
  }
  const Marked larger(1'200, 3);
  const Marked same(1'050, 4);
  EXPECT_NE(larger.address(), given);
  EXPECT_EQ(same.address(), given);
}

TEST(PagedMemory, WhatIsLargerIsCutUpBeforeNewMemoryIsUsed) {
  if (!cutsBlocks()) GTEST_SKIP() << "the address sanitizer watches blocks one by one";
  const Marked other(64, 1);
  std::uintptr_t given = 0;
  {
    const Marked block(10'240, 2);
    given = block.address();
  }
  const Marked behind(20'480, 3);
  std::vector<Marked> pieces;
  for (unsigned i = 0; i < 10; ++i) pieces.emplace_back(i % 2 == 0 ? 960 : 1'024, 4 + i);
  for (const Marked& piece : pieces) {
    EXPECT_TRUE(piece.intact());
    EXPECT_GE(piece.address(), given);
    EXPECT_LE(piece.address() + 960, given + 10'240);
  }
  EXPECT_TRUE(behind.intact());
}

// Nearly all of a region, in blocks that are too small for the next request.
TEST(PagedMemory, NeighboursAreJoinedBeforeAnotherRegionIsTaken) {
  if (!cutsBlocks()) GTEST_SKIP() << "the address sanitizer watches blocks one by one";
  trimPaged();
  const Marked first(64, 1);
  const std::size_t region = pagedUse().reserved_bytes;
  std::vector<Marked> small;
  for (unsigned i = 0; i < 7'000; ++i) small.emplace_back(8'192, i);
  EXPECT_EQ(pagedUse().reserved_bytes, region);
  small.erase(small.begin(), small.end() - 1);
  std::vector<Marked> large;
  for (unsigned i = 0; i < 5; ++i) large.emplace_back(5 * kPage, i);
  EXPECT_EQ(pagedUse().reserved_bytes, region);
  for (const Marked& block : large) EXPECT_TRUE(block.intact());
  EXPECT_TRUE(first.intact() && small.back().intact());
}

TEST(PagedMemory, WhenAllIsBackOneRegionIsKeptUntilItIsTrimmed) {
  trimPaged();
  const PagedUse before = pagedUse();
  ASSERT_EQ(before.blocks, 0U) << "blocks of other tests are still in use";
  ASSERT_EQ(before.reserved_bytes, 0U);
  const std::size_t region = cutsBlocks() ? 32 * kPage : 0;
  std::uintptr_t first = 0;
  {
    const Marked small(64, 1);
    first = small.address();
    const Marked filling(30 * kPage, 2);
    const Marked large(3 * kPage, 3);
    EXPECT_EQ(pagedUse().blocks, 3U);
    EXPECT_EQ(pagedUse().reserved_bytes, 2 * region);
    trimPaged();  // of no effect
    EXPECT_TRUE(small.intact() && filling.intact() && large.intact());
  }
  EXPECT_EQ(pagedUse().blocks, 0U);
  EXPECT_EQ(pagedUse().reserved_bytes, region);
  if (region != 0) {
    const Marked again(64, 1);
    EXPECT_EQ(again.address(), first);
  }
  trimPaged();
  EXPECT_EQ(pagedUse().reserved_bytes, 0U);
  const Marked anew(64, 1);
  EXPECT_TRUE(anew.intact());
}

TEST(PagedMemory, ARegionForOneLargeBlockIsNotKept) {
  trimPaged();
  { const Marked large(33 * kPage, 1); }
  EXPECT_EQ(pagedUse().reserved_bytes, 0U);
}

TEST(PagedMemory, WhatIsKeptMayBeUsedAgainAndAgain) {
  for (unsigned round = 0; round < 5; ++round) {
    std::vector<Marked> blocks;
    for (unsigned i = 0; i < 200; ++i) blocks.emplace_back(64 + i * 997, round + i);
    for (const Marked& block : blocks) EXPECT_TRUE(block.intact());
  }
}

TEST(PagedMemory, RandomUseKeepsContents) {
  RandomStream random(1, "paged");
  std::vector<Marked> blocks;
  for (unsigned step = 0; step < 20'000; ++step) {
    if (blocks.size() < 50 || random.below(2) == 0) {
      blocks.emplace_back(1 + random.below(std::size_t{1} << random.below(15)), step);
    } else {
      const std::size_t place = random.below(blocks.size());
      ASSERT_TRUE(blocks[place].intact());
      std::swap(blocks[place], blocks.back());
      blocks.pop_back();
    }
  }
  for (const Marked& block : blocks) EXPECT_TRUE(block.intact());
}

TEST(PagedMemory, ThreadsTakeAndGiveAtTheSameTime) {
  std::array<bool, 4> intact{};
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < intact.size(); ++t) {
      threads.emplace_back([&intact, t] {
        bool good = true;
        std::vector<Marked> blocks;
        for (unsigned step = 0; step < 5'000; ++step) {
          blocks.emplace_back(64 + step % 1'000, t);
          if (blocks.size() < 20) continue;
          for (const Marked& block : blocks) good = good && block.intact();
          blocks.clear();
        }
        intact.at(t) = good;
      });
    }
  }
  for (const bool good : intact) EXPECT_TRUE(good);
  EXPECT_EQ(pagedUse().blocks, 0U);
}

TEST(PagedMemory, LargePagesAreAskedForBehindTheFirstFew) {
  if (!cutsBlocks()) GTEST_SKIP() << "the address sanitizer watches blocks one by one";
  if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0) {
    GTEST_SKIP() << "the kernel has no transparent huge pages";
  }
  trimPaged();
  const Marked first(64, 1);
  const std::uintptr_t begin = first.address() & ~(kPage - 1);
  EXPECT_EQ(mappingOf(begin, "VmFlags").find(" hg"), std::string::npos);
  EXPECT_NE(mappingOf(begin + 2 * kPage, "VmFlags").find(" hg"), std::string::npos);
}

TEST(PagedMemory, FewBlocksTakeFewPages) {
  if (!cutsBlocks()) GTEST_SKIP() << "the address sanitizer watches blocks one by one";
  std::string enabled;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), enabled);
  if (enabled.find("[always]") != std::string::npos) {
    GTEST_SKIP() << "the kernel makes large pages without being asked";
  }
  trimPaged();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const Marked one(3 * page, 1);
  std::vector<unsigned char> resident(2 * kPage / page);
  ASSERT_EQ(mincore(one.data() - one.address() % kPage, 2 * kPage, resident.data()), 0);
  EXPECT_LE(std::count_if(resident.begin(), resident.end(),
                          [](unsigned char bits) { return (bits & 1) != 0; }),
            4);
}

TEST(PagedMemory, ContainersGiveBackWhatTheyGrewBeyond) {
  {
    PagedVector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < 1'000; ++i) numbers.push_back(i);
    EXPECT_EQ(pagedUse().blocks, 1U);
    EXPECT_EQ(numbers[999], 999U);
  }
  EXPECT_EQ(pagedUse().blocks, 0U);
}

struct Base : PagedObject {
  virtual ~Base() = default;
};
struct alignas(64) Derived final : Base {
  std::array<std::uint64_t, 100> words{};
};

TEST(PagedMemory, AnObjectIsGivenBackAtItsFullSize) {
  if (!cutsBlocks()) GTEST_SKIP() << "the address sanitizer watches blocks one by one";
  const Marked other(64, 1);
  std::unique_ptr<Base> object = std::make_unique<Derived>();
  const auto given = reinterpret_cast<std::uintptr_t>(object.get());
  EXPECT_EQ(given % 64, 0U);
  object.reset();
  EXPECT_EQ(pagedUse().blocks, 1U);
  const Marked same(sizeof(Derived), 2);
  EXPECT_EQ(same.address(), given);
}

TEST(PagedArray, HasNoPlacesAtFirst) {
  const PagedArray<int> none;
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.mask(), ~std::size_t{0});
  EXPECT_EQ(none.data(), nullptr);
}

TEST(PagedArray, IsZeroWhereOthersWroteBefore) {
  const Marked other(64, 1);
  { const Marked dirty(8 * sizeof(std::uint64_t), 0xFF); }
  const PagedArray<std::uint64_t> clean(8);
  EXPECT_EQ(clean.mask(), 7U);
  for (std::size_t i = 0; i < clean.size(); ++i) EXPECT_EQ(clean[i], 0U);
}

TEST(PagedArray, DestroysItsItemsOnce) {
  const auto shared = std::make_shared<int>(1);
  {
    PagedArray<std::shared_ptr<int>> items(4);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = shared;
    PagedArray<std::shared_ptr<int>> taken(std::move(items));
    PagedArray<std::shared_ptr<int>> assigned(2);
    assigned = std::move(taken);
    EXPECT_EQ(assigned.size(), 4U);
    EXPECT_EQ(shared.use_count(), 5);
  }
  EXPECT_EQ(shared.use_count(), 1);
  EXPECT_EQ(pagedUse().blocks, 0U);
}

}  // namespace
}  // namespace plumbline
