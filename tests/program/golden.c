// The example program, word by word from the tables of docs/format.md. The number before each word is its index.
#include "program/golden.h"

#include <stdlib.h>

// clang-format off
const uint32_t golden_words[GOLDEN_WORDS] = {
    /*   0 */ 0x4e44494f, // "OIDN"
    /*   1 */ 2, // version
    /*   2 */ 2, // inputs
    /*   3 */ 0, // input 0
    /*   4 */ 3, // input 1
    /*   5 */ 2, // output
    /*   6 */ 1, // external
    /*   7 */ 2, // width
    /*   8 */ 1, // height
    /*   9 */ 4, // channels
    /*  10 */ 6, // buffers
    /*  11 */ 32, // buffer 0: size
    /*  12 */ 0x8c, // COPY_SRC|COPY_DST|STORAGE
    /*  13 */ 0, // data
    /*  14 */ 5, // label
    /*  15 */ 0x6f6c6f63, // "colo"
    /*  16 */ 0x72, // "r"
    /*  17 */ 512, // buffer 1: size
    /*  18 */ 0x48, // COPY_DST|UNIFORM
    /*  19 */ 5, // data
    /*  20 */ 0x3f800000, // 1.0f
    /*  21 */ 7,
    /*  22 */ 5, // label
    /*  23 */ 0x6d617266, // "fram"
    /*  24 */ 0x65, // "e"
    /*  25 */ 32, // buffer 2: size
    /*  26 */ 0x88, // COPY_DST|STORAGE
    /*  27 */ 0, // data
    /*  28 */ 0, // label
    /*  29 */ 64, // buffer 3: size
    /*  30 */ 0x8c, // COPY_SRC|COPY_DST|STORAGE
    /*  31 */ 0, // data
    /*  32 */ 2, // label
    /*  33 */ 0x6e69, // "in"
    /*  34 */ 1024, // buffer 4: size
    /*  35 */ 0x80, // STORAGE
    /*  36 */ 4, // data
    /*  37 */ 0xdeadbeef,
    /*  38 */ 4, // label
    /*  39 */ 0x772fa9c3, // "é/w"
    /*  40 */ 12, // buffer 5: size
    /*  41 */ 0x48, // COPY_DST|UNIFORM
    /*  42 */ 0, // data
    /*  43 */ 0, // label
    /*  44 */ 2, // shaders
    /*  45 */ 8, // shader 0
    /*  46 */ 0x6d6f6340, // "@com"
    /*  47 */ 0x65747570, // "pute"
    /*  48 */ 3, // shader 1
    /*  49 */ 0x00202f2f, // "// "
    /*  50 */ 2, // pipelines
    /*  51 */ 0, // pipeline 0: shader
    /*  52 */ 4, // entry point
    /*  53 */ 0x6e69616d, // "main"
    /*  54 */ 1, // pipeline 1: shader
    /*  55 */ 1, // entry point
    /*  56 */ 0x66, // "f"
    /*  57 */ 2, // bind groups
    /*  58 */ 0, // bind group 0: pipeline
    /*  59 */ 0, // group
    /*  60 */ 3, // entries
    /*  61 */ 0, // binding
    /*  62 */ 0, // buffer
    /*  63 */ 0, // offset
    /*  64 */ 0, // size
    /*  65 */ 1, // binding
    /*  66 */ 1, // buffer
    /*  67 */ 256, // offset
    /*  68 */ 16, // size
    /*  69 */ 7, // binding
    /*  70 */ 4, // buffer
    /*  71 */ 512, // offset
    /*  72 */ 0, // size
    /*  73 */ 1, // bind group 1: pipeline
    /*  74 */ 3, // group
    /*  75 */ 0, // entries
    /*  76 */ 3, // operations
    /*  77 */ 1, // operation 0: write
    /*  78 */ 1, // buffer
    /*  79 */ 4, // offset
    /*  80 */ 8, // data
    /*  81 */ 0x40000000, // 2.0f
    /*  82 */ 9,
    /*  83 */ 0, // operation 1: submit
    /*  84 */ 2, // commands
    /*  85 */ 0, // dispatch
    /*  86 */ 0, // pipeline
    /*  87 */ 0, // bind group
    /*  88 */ 3, // x
    /*  89 */ 2, // y
    /*  90 */ 1, // z
    /*  91 */ 1, // copy
    /*  92 */ 3, // source
    /*  93 */ 16, // source offset
    /*  94 */ 2, // destination
    /*  95 */ 0, // destination offset
    /*  96 */ 32, // size
    /*  97 */ 0, // operation 2: submit
    /*  98 */ 1, // commands
    /*  99 */ 0, // dispatch
    /* 100 */ 1, // pipeline
    /* 101 */ 1, // bind group
    /* 102 */ 65535, // x
    /* 103 */ 1, // y
    /* 104 */ 1, // z
    /* 105 */ 0x4154454d, // "META"
    /* 106 */ 1, // version
    /* 107 */ 1, // precision
    /* 108 */ 2, // tiles
    /* 109 */ 3, // kernel bits
    /* 110 */ 1, // frame buffer
    /* 111 */ 2, // weight buffers
    /* 112 */ 4,
    /* 113 */ 0,
};
// clang-format on

uint8_t *golden_bytes(const uint32_t *words, size_t count)
{
    uint8_t *bytes = malloc(count * 4);
    for (size_t i = 0; bytes && i < count * 4; i++)
        bytes[i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
    return bytes;
}
