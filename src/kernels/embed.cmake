# Writes the file SOURCE into TARGET as the zero-terminated C array NAME.
file(READ ${SOURCE} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,){24})" "\\1\n" bytes "${bytes}")
file(WRITE ${TARGET} "#include \"kernels/kernels.h\"\n\nconst char ${NAME}[] = {\n${bytes}0};\n")
