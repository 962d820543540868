// KPIs of a result against their declarations.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kpi/kpi.h"
#include "suite/procedure.h"

namespace plumbline::suite {

// Each KPI of `result` is declared, by its test too, and has the declared unit.
inline void expectDeclaredKpis(const Procedure& test, const results::TestResult& result) {
  const std::vector<std::string> declared = test.kpis();
  for (const results::Kpi& one : result.kpis) {
    SCOPED_TRACE(test.id() + " " + one.name);
    EXPECT_THAT(declared, testing::Contains(one.name));
    const kpi::Declaration* figure = kpi::find(one.name);
    ASSERT_NE(figure, nullptr);
    if (!figure->unit.empty()) {
      EXPECT_EQ(one.quantity.unit, figure->unit);
    }
  }
}

}  // namespace plumbline::suite
