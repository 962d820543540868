#include "tests/hw/core/random_program.h"

#include <algorithm>
#include <array>

#include "sim/iss/csr_file.h"

namespace plumbline::hw_test {
namespace {

using rv::Word;

constexpr Word kScratch = 28;
constexpr Word kSecondScratch = 29;
constexpr Word kPointer = 30;
constexpr Word kRounds = 31;

class Writer {
 public:
  Writer(RandomStream& random, const ProgramOptions& options)
      : random_(random), options_(options) {}

  std::vector<Word> write() {
    constant(kPointer, kProgramDataMiddle);
    if (options_.machine) handler();
    for (Word reg = 1; reg < 28; ++reg) constant(reg, operand());
    emit(rv::addi(kRounds, 0, static_cast<std::int32_t>(options_.rounds)));
    const std::size_t body = words_.size();
    while (words_.size() < body + options_.instructions) {
      starts_.push_back(words_.size());
      element();
    }
    resolveBranches();
    emit(rv::addi(kRounds, kRounds, -1));
    emit(rv::beq(kRounds, 0, 8));
    emit(rv::jal(0,
                 (static_cast<std::int32_t>(body) - static_cast<std::int32_t>(words_.size())) * 4));
    return std::move(words_);
  }

 private:
  struct Branch {
    std::size_t place;
    std::size_t element;  // where it goes
    Word word;            // with offset 0
    bool is_jal;
  };

  void emit(Word word) { words_.push_back(word); }
  Word below(Word bound) { return static_cast<Word>(random_.below(bound)); }
  bool oneIn(Word n) { return below(n) == 0; }
  // Any of those that the body works on, or x0.
  Word reg() { return below(28); }
  Word anyWord() { return static_cast<Word>(random_.next()); }

  Word operand() {
    static constexpr std::array<Word, 12> kCorners{0,          1,          2,          31,
                                                   32,         0x7FFFFFFF, 0x80000000, 0x80000001,
                                                   0xFFFFFFFE, 0xFFFFFFFF, 0xFFFF,     0x10000};
    return oneIn(2) ? kCorners[below(kCorners.size())] : anyWord();
  }

  void constant(Word reg, Word value) {
    const Word low = value & 0xFFF;
    emit(rv::lui(reg, (value + 0x800) >> 12));
    emit(rv::addi(reg, reg, static_cast<std::int32_t>(low ^ 0x800) - 0x800));
  }

  // mtvec, and a handler behind a jump: it goes on behind the instruction at fault or, when there
  // is none to go on behind, at the address in x29.
  void handler() {
    const std::size_t jump = words_.size();
    emit(0);
    const Word address = kProgramBase + 4 * static_cast<Word>(words_.size());
    emit(rv::csrrw(kScratch, iss::kMscratch, kScratch));
    emit(rv::csrrs(kScratch, iss::kMcause, 0));
    emit(rv::blt(kScratch, 0, 9 * 4));  // interrupts
    emit(rv::addi(kScratch, kScratch, -1));
    emit(rv::beq(kScratch, 0, 4 * 4));  // fetch faults
    emit(rv::csrrs(kScratch, iss::kMepc, 0));
    emit(rv::addi(kScratch, kScratch, 4));
    emit(rv::jal(0, 2 * 4));
    emit(rv::addi(kScratch, kSecondScratch, 0));
    emit(rv::csrrw(0, iss::kMepc, kScratch));
    emit(rv::csrrw(kScratch, iss::kMscratch, kScratch));  // interrupts land one further
    emit(rv::kMret);
    words_[jump] = rv::jal(0, static_cast<std::int32_t>(words_.size() - jump) * 4);
    constant(kScratch, address);
    emit(rv::csrrw(0, iss::kMtvec, kScratch));
    constant(kScratch, 0x880);
    emit(rv::csrrw(0, iss::kMie, kScratch));
    emit(rv::csr(6, 0, iss::kMstatus, 8));
  }

  void element() {
    if (options_.machine && oneIn(4)) {
      machineElement();
      return;
    }
    const Word kind = below(20);
    if (kind < 5) {
      const Word funct3 = below(8);
      const bool alternative = (funct3 == 0 || funct3 == 5) && oneIn(2);
      emit(rv::op(alternative ? 0x20 : 0, funct3, reg(), reg(), reg()));
    } else if (kind < 8) {
      emit(rv::op(1, oneIn(4) ? 4 + below(4) : below(4), reg(), reg(), reg()));
    } else if (kind < 11) {
      immediate();
    } else if (kind < 12) {
      emit(oneIn(2) ? rv::lui(reg(), below(1 << 20)) : rv::auipc(reg(), below(1 << 20)));
    } else if (kind < 14) {
      static constexpr std::array<Word, 5> kLoads{0, 1, 2, 4, 5};
      const Word funct3 = kLoads[below(5)];
      emit(rv::load(funct3, reg(), kPointer, dataOffset(funct3 & 3)));
    } else if (kind < 16) {
      const Word size = below(3);
      emit(rv::typeS(dataOffset(size), reg(), kPointer, size));
    } else if (kind < 18) {
      static constexpr std::array<Word, 6> kBranches{0, 1, 4, 5, 6, 7};
      branch(rv::typeB(0, reg(), reg(), kBranches[below(6)]), false);
    } else if (kind < 19) {
      branch(rv::jal(reg(), 0), true);
    } else {
      // JALR to behind itself; its target's lowest bit is cleared.
      emit(rv::auipc(kScratch, 0));
      emit(rv::jalr(reg(), kScratch, static_cast<std::int32_t>(8 + below(2))));
    }
  }

  void immediate() {
    const Word funct3 = below(8);
    if (funct3 == 1 || funct3 == 5) {
      emit(rv::typeR(funct3 == 5 && oneIn(2) ? 0x20 : 0, below(32), reg(), funct3, reg(), 0x13));
    } else {
      emit(rv::opImm(funct3, reg(), reg(), static_cast<std::int32_t>(below(4096)) - 2048));
    }
  }

  std::int32_t dataOffset(Word size) {
    return static_cast<std::int32_t>(below(4096) & ~((1u << size) - 1)) - 2048;
  }

  void branch(Word word, bool is_jal) {
    branches_.push_back({words_.size(), starts_.size() + below(4), word, is_jal});
    emit(0);
  }

  void resolveBranches() {
    starts_.push_back(words_.size());
    for (const Branch& b : branches_) {
      const std::size_t target = starts_[std::min(b.element, starts_.size() - 1)];
      const auto offset = static_cast<std::int32_t>(target - b.place) * 4;
      words_[b.place] =
          b.word | (b.is_jal ? rv::jal(0, offset) & ~0x6Fu : rv::typeB(offset, 0, 0, 0) & ~0x63u);
    }
  }

  void machineElement() {
    static constexpr std::array<Word, 18> kCsrs{
        iss::kMstatus,   iss::kMisa,    iss::kMie,    iss::kMscratch, iss::kMepc,
        iss::kMcause,    iss::kMtval,   iss::kMip,    iss::kMinstret, iss::kMcycle,
        iss::kMinstreth, iss::kMcycleh, iss::kMimpid, iss::kMhartid,  iss::kMstatush,
        0xB05,           0x7B2,         iss::kMtvec};
    switch (below(12)) {
      case 0:
      case 1:
      case 2: {
        // mtvec is written only with what it has; any write to mie, mstatus leaves interrupts to
        // chance for a while.
        const Word number = kCsrs[below(kCsrs.size())];
        const Word funct3 = 1 + below(3) + 4 * below(2);
        const bool keeps = number == iss::kMtvec || oneIn(2);
        emit(keeps ? rv::csr(2, reg(), number, 0) : rv::csr(funct3, reg(), number, reg()));
        break;
      }
      case 3:
        emit(rv::csr(6, 0, iss::kMstatus, 8));
        break;
      case 4: {
        static constexpr std::array<Word, 4> kSystem{rv::kEcall, rv::kEbreak, rv::kWfi, rv::kFence};
        const Word which = below(oneIn(4) ? 4 : 2);
        emit(kSystem[which]);
        break;
      }
      case 5:
        emit(anyWord());
        break;
      case 6:
        emit((anyWord() & ~0x7Fu) | 0x13 | (below(32) << 2));
        break;
      case 7:  // misaligned, beside the memory, or luckily in it
        emit(oneIn(2)
                 ? rv::load(below(8), reg(), reg(), static_cast<std::int32_t>(below(16)))
                 : rv::typeS(static_cast<std::int32_t>(below(2048)), reg(), kPointer, below(3)));
        break;
      case 8:
      case 9: {  // devices
        emit(rv::lui(kScratch, 0x80000 + below(4)));
        const Word funct3 = oneIn(2) ? 2 : below(6);
        emit(oneIn(2)
                 ? rv::load(funct3, reg(), kScratch, static_cast<std::int32_t>(4 * below(8)))
                 : rv::typeS(static_cast<std::int32_t>(4 * below(8)), reg(), kScratch, below(3)));
        break;
      }
      case 10:  // a jump that leaves the memory, or goes to half an instruction
        emit(rv::auipc(kSecondScratch, 0));
        emit(rv::addi(kSecondScratch, kSecondScratch, 12));
        emit(rv::jalr(oneIn(2) ? 0 : reg(), oneIn(2) ? 0 : reg(),
                      static_cast<std::int32_t>(below(64))));
        break;
      default:  // writes the instruction behind
        emit(rv::auipc(kScratch, 0));
        constant(kSecondScratch,
                 rv::opImm(0, reg(), reg(), static_cast<std::int32_t>(below(2048))));
        emit(rv::sw(kSecondScratch, kScratch, 16));
        emit(rv::kNop);
        break;
    }
  }

  RandomStream& random_;
  ProgramOptions options_;
  std::vector<Word> words_;
  std::vector<std::size_t> starts_;  // of the body's elements
  std::vector<Branch> branches_;
};

}  // namespace

std::vector<Word> randomProgram(RandomStream& random, const ProgramOptions& options) {
  return Writer(random, options).write();
}

}  // namespace plumbline::hw_test
