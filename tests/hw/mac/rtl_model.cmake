# A Verilated block for unit tests. Generated code is compiled without our warnings.
include_guard(GLOBAL)
find_package(verilator REQUIRED HINTS $ENV{VERILATOR_ROOT} /usr/share/verilator)

# plumbline_rtl_model(<target> TOP <module> SOURCES <files> [PREFIX <class>]
#                     [ARGS <verilator arguments>])
# Static library with the class V<module>, or <class>.
function(plumbline_rtl_model target)
  cmake_parse_arguments(arg "" "TOP;PREFIX" "SOURCES;ARGS" ${ARGN})
  if(NOT arg_PREFIX)
    set(arg_PREFIX V${arg_TOP})
  endif()
  add_library(${target} STATIC)
  verilate(${target} TOP_MODULE ${arg_TOP} PREFIX ${arg_PREFIX}
           SOURCES ${PROJECT_SOURCE_DIR}/hw/rtl/lint.vlt ${arg_SOURCES}
           INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/hw/rtl/pkg
           VERILATOR_ARGS --threads 1 -O3 --x-assign fast --x-initial unique --assert ${arg_ARGS}
           OPT_FAST -O2 OPT_SLOW -O0 OPT_GLOBAL -O1)
  get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${target} PROPERTIES
                        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${directories}"
                        CXX_CLANG_TIDY "")
endfunction()
