// FNV-1a (draft-eastlake-fnv), the hash of traces and caches. Not for hostile keys.
#ifndef RP_BASE_HASH_H
#define RP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint32_t rp_fnv1a_32(const void *bytes, size_t size);
uint64_t rp_fnv1a_64(const void *bytes, size_t size);

#endif
