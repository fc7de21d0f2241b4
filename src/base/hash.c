// FNV-1a, 32 and 64 bits.
#include "base/hash.h"

uint32_t rp_fnv1a_32(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    uint32_t hash = 0x811c9dc5u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * 0x01000193u;
    return hash;
}

uint64_t rp_fnv1a_64(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * 0x00000100000001b3u;
    return hash;
}
