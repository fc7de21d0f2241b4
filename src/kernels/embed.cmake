# Writes the file SOURCE (ASCII alone) into TARGET as the zero-terminated C array NAME, a source line a line.
file(READ ${SOURCE} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
if(bytes MATCHES "0x[89a-f][0-9a-f],")
    message(FATAL_ERROR "${SOURCE}: not ASCII")
endif()
string(REPLACE "0x0a," "0x0a,\n" bytes "${bytes}")
file(WRITE ${TARGET} "#include \"kernels/kernels.h\"\n\nconst char ${NAME}[] = {\n${bytes}0};\n")
