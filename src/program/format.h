// Numbers of the binary format, version 2 (docs/format.md).
#ifndef RP_PROGRAM_FORMAT_H
#define RP_PROGRAM_FORMAT_H

#include <stdint.h>

#define RP_MAGIC_PROGRAM 0x4e44494fu // "OIDN"
#define RP_MAGIC_ERROR 0x4f525245u   // "ERRO"
#define RP_MAGIC_META 0x4154454du    // "META"

enum { RP_PROGRAM_VERSION = 2, RP_META_VERSION = 1 };

// The fewest bytes that an element of each list takes: what a count is held against before anything is allocated.
enum {
    RP_ID_BYTES = 4,
    RP_BUFFER_BYTES = 16,
    RP_SHADER_BYTES = 4,
    RP_PIPELINE_BYTES = 8,
    RP_BIND_GROUP_BYTES = 12,
    RP_ENTRY_BYTES = 16,
    RP_OPERATION_BYTES = 8,
    RP_COMMAND_BYTES = 24
};

// Bytes of zeros behind a blob of this size.
static inline uint32_t rp_blob_padding(uint32_t size)
{
    return (0u - size) & 3u;
}

#endif
