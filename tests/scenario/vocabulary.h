// What exists, for the tests of this room: fixed, so that messages can be compared word for word.
#pragma once

#include "scenario/parse.h"

namespace plumbline::scenario {

inline Vocabulary testVocabulary() { return {{"T5.1", "T5.2", "T5.3"}, {"rtl"}, {}, {}}; }

// With simulated hosts and their test.
inline Vocabulary simVocabulary() {
  return {{"T5.1", "T5.2", "T5.3", "free"}, {"rtl", "sim"}, {"free"}, {"free"}};
}

}  // namespace plumbline::scenario
