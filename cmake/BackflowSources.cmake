# The sources of every module, in the order of the layers: all .c files of its folder. A plug-in is
# one file and one line in a .def list, which names the file, so CMake needs no line of its own; a
# name in a list without its file is said here and not by the linker.

set(backflow_modules core team linalg kernel solver format dataset policy problem flow estimator neural
    weights finite ratio trajectory model value trust pass choice detail compare env train stats report
    page experiment)

function(backflow_check_lists module)
  file(GLOB lists CONFIGURE_DEPENDS src/${module}/*s.def)
  foreach(list IN LISTS lists)
    file(STRINGS ${list} lines REGEX "^BF_[A-Z]+\\([a-z0-9_]+\\)")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^BF_[A-Z]+\\(([a-z0-9_]+)\\).*" "src/*/\\1.c" source "${line}")
      file(GLOB found ${source})
      if(NOT found)
        message(FATAL_ERROR "${list} names ${line}, but there is no ${source}")
      endif()
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  endforeach()
endfunction()

# The networks of policies/ as C, for those environments that have a policy `trained`: built again
# where a file has changed.
function(backflow_trained out)
  foreach(env IN ITEMS pendulum mountaincar cartpole acrobot)
    set(text ${CMAKE_CURRENT_SOURCE_DIR}/policies/${env}.policy)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/trained_${env}.c)
    set(script ${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedText.cmake)
    add_custom_command(
      OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -D TEXT=${text} -D HEADER=env/trained.h -D NAME=bf__trained_${env}
              -D OUTPUT=${source} -P ${script}
      DEPENDS ${text} ${script}
      VERBATIM)
    list(APPEND sources ${source})
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

function(backflow_sources library_out cli_out)
  foreach(module IN LISTS backflow_modules)
    file(GLOB sources CONFIGURE_DEPENDS src/${module}/*.c)
    list(APPEND library ${sources})
    backflow_check_lists(${module})
  endforeach()
  # The hot loops: products and sums may fuse, and comparisons are not kept from being merged.
  file(GLOB kernels src/kernel/*.c)
  set_source_files_properties(${kernels} src/flow/tile.c PROPERTIES COMPILE_OPTIONS
                              "-ffp-contract=fast;-fno-trapping-math")
  # What tests under sanitizers spend most of their time in is optimised there, too.
  if(BACKFLOW_SANITIZE)
    set_source_files_properties(src/solver/hull.c src/solver/kdtree.c
                                PROPERTIES COMPILE_OPTIONS "-O2")
    set_source_files_properties(src/solver/mlp_dense.c src/solver/mlp_tile.c
                                PROPERTIES COMPILE_OPTIONS "-O3")
  endif()
  file(GLOB cli CONFIGURE_DEPENDS src/cli/*.c)
  backflow_check_lists(cli)
  set(${library_out} ${library} PARENT_SCOPE)
  set(${cli_out} ${cli} PARENT_SCOPE)
endfunction()
