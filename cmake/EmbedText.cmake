# cmake -D TEXT=FILE -D HEADER=H -D NAME=N -D OUTPUT=C -P EmbedText.cmake - Makes C of a text: the
# array `const char N[]`, which H declares, with a '\0' at its end. Bytes and not a string literal,
# since a compiler need not take a long one.
file(READ ${TEXT} bytes HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
string(REPLACE "'\\x0a'," "'\\n',\n    " bytes "${bytes}") # one line of C for each of the text
get_filename_component(file ${TEXT} NAME)
file(WRITE ${OUTPUT} "/* Made of ${file} by the build. */\n"
                     "#include \"${HEADER}\"\n\nconst char ${NAME}[] = {\n    ${bytes}'\\0'};\n")
