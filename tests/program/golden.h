// A small program that has everything that version 2 can say, put together by hand: not by the writer or the recorder.
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <stddef.h>
#include <stdint.h>

enum {
    GOLDEN_WORDS = 114,
    GOLDEN_META_WORD = 105,
    GOLDEN_BYTES = GOLDEN_WORDS * 4,
    GOLDEN_META = GOLDEN_META_WORD * 4
};

extern const uint32_t golden_words[GOLDEN_WORDS];

// The words as little-endian bytes, in a block of exactly that size for the caller to free.
uint8_t *golden_bytes(const uint32_t *words, size_t count);

#endif
