#include "bench/trial/trial_beginning.h"

namespace plumbline::bench {
namespace {

thread_local unsigned t_beginnings = 0;

}  // namespace

TrialBeginning::TrialBeginning() { ++t_beginnings; }
TrialBeginning::~TrialBeginning() { --t_beginnings; }
bool TrialBeginning::lasts() { return t_beginnings > 0; }

}  // namespace plumbline::bench
