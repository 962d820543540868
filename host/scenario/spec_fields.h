// The declarations of the fields of a scenario's own sections (spec/field.h).
#pragma once

#include "scenario/scenario.h"
#include "spec/field.h"

namespace plumbline::spec {

template <>
const Fields& fieldsOf<bench::FrameFormat>();
template <>
const Fields& fieldsOf<scenario::Traffic>();
template <>
const Fields& fieldsOf<scenario::Progress>();
template <>
const Fields& fieldsOf<scenario::Soak>();
template <>
const Fields& fieldsOf<scenario::ExpertParameters>();
template <>
const Fields& fieldsOf<scenario::CardParameters>();
template <>
const Fields& fieldsOf<scenario::Parameters>();
template <>
const Fields& fieldsOf<bench::EndpointSpec>();
template <>
const Fields& fieldsOf<bench::FpgaSpec>();
template <>
const Fields& fieldsOf<bench::FastForwardSpec>();
template <>
const Fields& fieldsOf<scenario::ServingSection>();

}  // namespace plumbline::spec
