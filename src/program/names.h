// How messages and listings name a program's parts.
#ifndef RP_PROGRAM_NAMES_H
#define RP_PROGRAM_NAMES_H

#include "reprise/program.h"

#define RP_USAGE_ALL 0x3ffu

enum { RP_USAGE_NAME_SIZE = 112, RP_TEXT_NAME_SIZE = 64, RP_BUFFER_NAME_SIZE = 96 };

// "COPY_DST|STORAGE", lowest bit first; bits that WebGPU does not define as one number in hexadecimal; "0" for none.
const char *rp_name_usage(uint32_t usage, char name[RP_USAGE_NAME_SIZE]);

// Valid UTF-8 on one line and cut to `size` - 1 bytes: whole characters only, control characters as '?'.
const char *rp_name_text(const char *text, size_t length, char *name, size_t size);

// A control character, which could act on a terminal, begins here: a C0 one or DEL in one byte, or a C1 one in the two
// bytes 0xc2 and 0x80 to 0x9f.
bool rp_is_control(const char *text, size_t left);

// "buffer 3 ('label')", without the parenthesis where the label is empty.
const char *rp_name_buffer(const rp_program_buffer *buffer, uint32_t id, char name[RP_BUFFER_NAME_SIZE]);

#endif
