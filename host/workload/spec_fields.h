// The declarations of the fields of workloads (spec/field.h).
#pragma once

#include <string>

#include "spec/field.h"
#include "workload/workload_spec.h"

namespace plumbline::workload {

// The default algorithm of a collective.
Algorithm defaultAlgorithm(CollectiveKind kind);

// The word of scenarios: "expert-choice".
std::string moeRoutingName(MoeRouting routing);

}  // namespace plumbline::workload

namespace plumbline::spec {

template <>
const Fields& fieldsOf<workload::Placement>();
template <>
const Fields& fieldsOf<workload::CollectiveSpec>();
template <>
const Fields& fieldsOf<workload::TrainingProgram>();
template <>
const Fields& fieldsOf<workload::OnOff>();
template <>
const Fields& fieldsOf<workload::ClosedLoop>();
template <>
const Fields& fieldsOf<workload::Arrivals>();
template <>
const Fields& fieldsOf<workload::MessageProgram>();
template <>
const Fields& fieldsOf<workload::TraceEntry>();
template <>
const Fields& fieldsOf<workload::MoeProgram>();
template <>
const Fields& fieldsOf<workload::JobSpec>();

}  // namespace plumbline::spec
