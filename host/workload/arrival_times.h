// How long messages took to their receivers, found when the trial is over from what both ends of
// each connection have noted: no host knows of another one's clock while the fabric runs.
#pragma once

#include <vector>

#include "stats/histogram.h"
#include "workload/message_task.h"

namespace plumbline::workload {

// Posted to wholly at the receiver [ps], of all messages between `tasks`, which are those of a job,
// by rank. Messages that have not arrived are left out. Of a connection fewer than 64 messages may
// be given up in a row, and no more than 64 be under way: a label has seven bits of the number.
stats::Histogram arrivalTimes(const std::vector<const MessageTask*>& tasks, const Members& members);

}  // namespace plumbline::workload
