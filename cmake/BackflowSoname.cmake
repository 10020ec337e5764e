# backflow_soname(OUT LIBRARY): the name by which programs load a shared library, as it says itself.
function(backflow_soname out library)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${library} OUTPUT_VARIABLE text RESULT_VARIABLE failed)
  if(failed OR NOT text MATCHES "SONAME +([^ \n]+)")
    message(FATAL_ERROR "${library} does not say its SONAME")
  endif()
  set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()
