# The sources of every module, in the order of the layers: all .c files of its folder. A plug-in is
# one file and one line in its module's .def list, which names the file, so CMake needs no line of
# its own; a name in a list without its file is said here and not by the linker.

set(backflow_modules core linalg kernel flow solver dataset policy estimator env train stats report
    experiment)

function(backflow_check_lists module)
  file(GLOB lists CONFIGURE_DEPENDS src/${module}/*s.def)
  foreach(list IN LISTS lists)
    file(STRINGS ${list} lines REGEX "^BF_[A-Z]+\\([a-z0-9_]+\\)")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^BF_[A-Z]+\\(([a-z0-9_]+)\\).*" "src/${module}/\\1.c" source "${line}")
      if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
        message(FATAL_ERROR "${list} names ${line}, but there is no ${source}")
      endif()
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  endforeach()
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
  file(GLOB cli CONFIGURE_DEPENDS src/cli/*.c)
  backflow_check_lists(cli)
  set(${library_out} ${library} PARENT_SCOPE)
  set(${cli_out} ${cli} PARENT_SCOPE)
endfunction()
