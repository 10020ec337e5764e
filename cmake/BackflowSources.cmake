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
  backflow_listed(readers dataset readers.def BF_READER)
  backflow_listed(estimators estimator estimators.def BF_ESTIMATOR)
  backflow_listed(weights estimator weights.def BF_WEIGHTS)
  backflow_listed(envs env envs.def BF_ENV)
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
      src/solver/chain.c
      src/solver/simplex_qp.c
      src/dataset/dataset.c
      src/dataset/write.c
      src/dataset/write_csv.c
      src/dataset/write_npz.c
      ${readers}
      src/policy/mix.c
      src/policy/policy.c
      src/estimator/estimator.c
      src/estimator/cells.c
      src/estimator/cells_qp.c
      ${weights}
      ${estimators}
      src/env/env.c
      src/env/exact.c
      src/env/rollout.c
      src/env/simulate.c
      ${envs}
      src/stats/batch.c
      src/stats/truth.c
      src/report/json.c
      src/report/settings.c
      src/report/text.c
      src/report/value.c)
  set(cli
      src/cli/main.c
      src/cli/args.c
      src/cli/man.c
      ${commands})
  set(${library_out} ${library} PARENT_SCOPE)
  set(${cli_out} ${cli} PARENT_SCOPE)
endfunction()
