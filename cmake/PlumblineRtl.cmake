# The card's RTL as C++: what all Verilated code shares, and blocks by themselves for unit tests.
# Generated code is compiled without our warnings.
include_guard(GLOBAL)
find_package(verilator REQUIRED HINTS $ENV{VERILATOR_ROOT} /usr/share/verilator)

# Verilator's own library is the same for every model, so it is compiled once.
add_library(plumbline_verilated STATIC ${VERILATOR_ROOT}/include/verilated.cpp
                                       ${VERILATOR_ROOT}/include/verilated_fst_c.cpp
                                       ${VERILATOR_ROOT}/include/verilated_threads.cpp)
target_include_directories(plumbline_verilated SYSTEM PUBLIC ${VERILATOR_ROOT}/include
                                                             ${VERILATOR_ROOT}/include/vltstd)
find_package(ZLIB REQUIRED)
target_link_libraries(plumbline_verilated PUBLIC ZLIB::ZLIB)

# plumbline_share_verilated(<target>): <target>, which has all of its models, does without a copy.
function(plumbline_share_verilated target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "/include/verilated[^/]*\\.cpp$")
  set_property(TARGET ${target} PROPERTY SOURCES ${sources})
  target_link_libraries(${target} PUBLIC plumbline_verilated)
endfunction()

# plumbline_rtl_model(<target> TOP <module> SOURCES <files> [PREFIX <class>]
#                     [ARGS <verilator arguments>] [LARGE])
# Static library with the class V<module>, or <class>. A block is small: compiled as one source, it
# is there before its headers are read a second time. A LARGE model is compiled as several sources,
# and what runs once per simulation is not optimised.
function(plumbline_rtl_model target)
  cmake_parse_arguments(arg "LARGE" "TOP;PREFIX" "SOURCES;ARGS" ${ARGN})
  if(NOT arg_PREFIX)
    set(arg_PREFIX V${arg_TOP})
  endif()
  set(unity ON)
  if(arg_LARGE)
    set(unity OFF)
    set(optimisation OPT_SLOW -O0)
  endif()
  add_library(${target} STATIC)
  verilate(${target} TOP_MODULE ${arg_TOP} PREFIX ${arg_PREFIX}
           SOURCES ${PROJECT_SOURCE_DIR}/hw/rtl/lint.vlt ${arg_SOURCES}
           INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/hw/rtl/pkg
           VERILATOR_ARGS --threads 1 -O3 --x-assign fast --x-initial unique --assert ${arg_ARGS}
           ${optimisation})
  plumbline_share_verilated(${target})
  target_compile_options(${target} PRIVATE -O1)
  get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${target} PROPERTIES
                        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${directories}"
                        CXX_CLANG_TIDY "" UNITY_BUILD ${unity} UNITY_BUILD_BATCH_SIZE 0)
endfunction()
