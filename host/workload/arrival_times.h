// Transfer times of messages, computed after the trial from the records of both ends of each
// connection: hosts do not share state while the fabric runs.
#pragma once

#include <vector>

#include "stats/histogram.h"
#include "workload/message_task.h"

namespace plumbline::workload {

// Posted to completely received [ps], for all messages between `tasks`, which are those of a job,
// by rank. Messages that have not arrived are left out. On a connection fewer than 64 messages may
// be given up in a row, and at most 64 be in flight: a label has seven bits of the number.
stats::Histogram arrivalTimes(const std::vector<const MessageTask*>& tasks, const Members& members);

}  // namespace plumbline::workload
