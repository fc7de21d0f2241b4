// Three-component vectors for the path tracer: points, directions and linear RGB colours. Right-handed world, y up.
#ifndef PATHTRACER_VECTOR_H
#define PATHTRACER_VECTOR_H

#include <math.h>

#define PI 3.14159265358979f

typedef struct vector {
    float x, y, z;
} vector;

static inline vector add(vector a, vector b)
{
    return (vector){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vector subtract(vector a, vector b)
{
    return (vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vector multiply(vector a, vector b)
{
    return (vector){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline vector scale(vector a, float factor)
{
    return (vector){a.x * factor, a.y * factor, a.z * factor};
}

// a + b × factor
static inline vector along(vector a, vector b, float factor)
{
    return (vector){a.x + b.x * factor, a.y + b.y * factor, a.z + b.z * factor};
}

static inline vector mix(vector a, vector b, float weight)
{
    return along(scale(a, 1 - weight), b, weight);
}

static inline float dot(vector a, vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vector cross(vector a, vector b)
{
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline vector normalize(vector a)
{
    return scale(a, 1 / sqrtf(dot(a, a)));
}

// The C library's fminf and fmaxf are calls; these are one instruction.
static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float largest(vector a)
{
    return larger(a.x, larger(a.y, a.z));
}

// Two axes that make an orthonormal frame with the unit vector `normal`, without a branch on a near-zero length
// (Duff et al., "Building an Orthonormal Basis, Revisited", 2017).
static inline void make_frame(vector normal, vector *tangent, vector *bitangent)
{
    float sign = copysignf(1, normal.z);
    float a = -1 / (sign + normal.z);
    float b = normal.x * normal.y * a;
    *tangent = (vector){1 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x};
    *bitangent = (vector){b, sign + normal.y * normal.y * a, -normal.y};
}

#endif
