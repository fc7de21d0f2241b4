// Random numbers: PCG32 (M. O'Neill, 2014), one stream a sample, so that an image depends on its seed alone.
#ifndef PATHTRACER_RANDOM_H
#define PATHTRACER_RANDOM_H

#include <stdint.h>

typedef struct random_state {
    uint64_t state, increment;
} random_state;

static inline uint32_t random_bits(random_state *r)
{
    uint64_t old = r->state;
    r->state = old * 6364136223846793005u + r->increment;
    uint32_t shifted = (uint32_t)((old >> 18 ^ old) >> 27);
    uint32_t rotation = (uint32_t)(old >> 59);
    return shifted >> rotation | shifted << (-rotation & 31);
}

// Uniform in [0, 1).
static inline float random_float(random_state *r)
{
    return (float)(random_bits(r) >> 8) * 0x1p-24f;
}

// SplitMix64's finalizer, which spreads every bit of its input over all of its output.
static inline uint64_t random_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline random_state random_start(uint64_t seed, uint64_t pixel, uint64_t sample)
{
    uint64_t hash = random_mix(random_mix(seed + 0x9e3779b97f4a7c15u) + pixel);
    random_state r = {.state = random_mix(hash + sample), .increment = random_mix(~hash) | 1};
    random_bits(&r);
    return r;
}

#endif
