# The sources of every module, in the order of the layers. A plug-in is one file and one line in
# its module's .def list; the list is read here too, so that CMake needs no line of its own.

# Names in `file`: the arguments of `macro` at the start of a line, e.g. BF_ESTIMATOR(naive).
function(backflow_listed out module file macro)
  file(STRINGS src/${module}/${file} lines REGEX "^${macro}\\(")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/${module}/${file})
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^${macro}\\(([a-z0-9_]+).*" "src/${module}/\\1.c" source "${line}")
    list(APPEND sources ${source})
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

function(backflow_sources library_out cli_out)
  backflow_listed(kernels kernel kernels.def BF_KERNEL)
  backflow_listed(readers dataset readers.def BF_READER)
  backflow_listed(estimators estimator estimators.def BF_ESTIMATOR)
  backflow_listed(commands cli commands.def BF_COMMAND)
  set(library
      src/core/arena.c
      src/core/blas.c
      src/core/log.c
      src/core/machine.c
      src/core/options.c
      src/core/output.c
      src/core/rng.c
      src/core/status.c
      src/core/text.c
      src/linalg/dense.c
      src/linalg/rpcholesky.c
      src/kernel/kernel.c
      src/kernel/bandwidth.c
      src/kernel/coordinates.c
      ${kernels}
      src/flow/flow.c
      src/flow/plain.c
      src/flow/tile.c
      src/flow/exact.c
      src/flow/lowrank.c
      src/flow/rff.c
      src/flow/plan.c
      src/dataset/dataset.c
      ${readers}
      src/policy/policy.c
      src/estimator/estimator.c
      ${estimators})
  # The hot loops: products and sums may fuse, and comparisons are not kept from being merged.
  set_source_files_properties(${kernels} src/flow/tile.c PROPERTIES COMPILE_OPTIONS
                              "-ffp-contract=fast;-fno-trapping-math")
  set(cli
      src/cli/main.c
      src/cli/args.c
      ${commands})
  set(${library_out} ${library} PARENT_SCOPE)
  set(${cli_out} ${cli} PARENT_SCOPE)
endfunction()
