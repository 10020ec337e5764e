# What is installed, and how other builds find it:
#
#   CMake       find_package(backflow)                     backflow::backflow, the shared library
#               find_package(backflow COMPONENTS static)   backflow::static as well
#   pkg-config  backflow
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/backflow)

# The manual page is printed by the tool, from the tables it goes by.
add_custom_command(
  OUTPUT backflow.1
  COMMAND backflow_tool --man > backflow.1.part
  COMMAND ${CMAKE_COMMAND} -E rename backflow.1.part backflow.1
  DEPENDS backflow_tool
  VERBATIM)
add_custom_target(backflow_manual ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/backflow.1)

install(TARGETS backflow_tool)
if(TARGET backflow_mpi)
  install(TARGETS backflow_mpi)
endif()
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/backflow.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY include/backflow DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.h PATTERN *.def)

# One export per kind: who links the shared library needs none of what the static one needs.
foreach(kind IN ITEMS shared static)
  install(TARGETS backflow_${kind} EXPORT backflow-${kind})
  install(EXPORT backflow-${kind} NAMESPACE backflow:: DESTINATION ${package_dir})
endforeach()
configure_package_config_file(cmake/backflowConfig.cmake.in backflowConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(backflowConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/backflowConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/backflowConfigVersion.cmake
        DESTINATION ${package_dir})

# Libs.private, not Requires.private: the latter would ask users of the shared library for the
# development packages of everything inside.
string(JOIN " " private_libraries ${JANSSON_LDFLAGS} ${LIBZIP_LDFLAGS} ${PACKED_LDFLAGS} ${OpenMP_C_FLAGS}
       -llbfgs -ldl -lm)
# The prefix as seen from the file itself, so that an installed tree may be moved.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/backflow.pc.in backflow.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/backflow.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
