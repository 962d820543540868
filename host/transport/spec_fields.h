// The declarations of the fields of the endpoints' specifications (spec/field.h).
#pragma once

#include "spec/field.h"
#include "transport/roce/roce_spec.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::spec {

template <>
const Fields& fieldsOf<transport::DcqcnSpec>();
template <>
const Fields& fieldsOf<transport::RoceCmSpec>();
template <>
const Fields& fieldsOf<transport::RoceSpec>();

template <>
const Fields& fieldsOf<transport::UetEntropySpec>();
template <>
const Fields& fieldsOf<transport::NsccSpec>();
template <>
const Fields& fieldsOf<transport::RcccSpec>();
template <>
const Fields& fieldsOf<transport::SwiftSpec>();
template <>
const Fields& fieldsOf<transport::PdcSetupSpec>();
template <>
const Fields& fieldsOf<transport::UetSpec>();

}  // namespace plumbline::spec
