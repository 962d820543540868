// The declarations of the fields of serving systems (spec/field.h).
#pragma once

#include "serving/metrics.h"
#include "serving/program.h"
#include "spec/field.h"

namespace plumbline::spec {

template <>
const Fields& fieldsOf<serving::ModelProfile>();
template <>
const Fields& fieldsOf<serving::AcceleratorProfile>();
template <>
const Fields& fieldsOf<serving::Efficiency>();
template <>
const Fields& fieldsOf<serving::PoolShape>();
template <>
const Fields& fieldsOf<serving::MappingSpec>();
template <>
const Fields& fieldsOf<serving::KvMemory>();
template <>
const Fields& fieldsOf<serving::SchedulerSpec>();
template <>
const Fields& fieldsOf<serving::TransferSpec>();
template <>
const Fields& fieldsOf<serving::RouterSpec>();
template <>
const Fields& fieldsOf<serving::WindowSpec>();
template <>
const Fields& fieldsOf<serving::ScalingSpec>();
template <>
const Fields& fieldsOf<serving::ServingSpec>();
template <>
const Fields& fieldsOf<serving::ArrivalSpec>();
template <>
const Fields& fieldsOf<serving::LengthSpec>();
template <>
const Fields& fieldsOf<serving::MooncakeRules>();
template <>
const Fields& fieldsOf<serving::TraceRules>();
template <>
const Fields& fieldsOf<serving::PrefixSpec>();
template <>
const Fields& fieldsOf<serving::WorkloadSpec>();
template <>
const Fields& fieldsOf<serving::ServingProgram>();
template <>
const Fields& fieldsOf<serving::SloSpec>();

}  // namespace plumbline::spec
