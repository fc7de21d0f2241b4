// Lambert, GGX metal and smooth glass. GGX: Walter et al. 2007, with Smith's height-correlated masking and the sampling
// of visible normals by Heitz (JCGT 2018); metals take Schlick's Fresnel term.
#include "material.h"

// A vector in a frame whose z is the normal.
static vector to_frame(vector a, vector tangent, vector bitangent, vector normal)
{
    return (vector){dot(a, tangent), dot(a, bitangent), dot(a, normal)};
}

static vector from_frame(vector a, vector tangent, vector bitangent, vector normal)
{
    return along(along(scale(tangent, a.x), bitangent, a.y), normal, a.z);
}

static vector schlick(vector color, float cosine)
{
    float x = 1 - cosine;
    float weight = x * x * (x * x) * x;
    return mix(color, (vector){1, 1, 1}, weight);
}

// Smith's Lambda for a direction at this cosine.
static float lambda(float cosine, float alpha)
{
    float square = cosine * cosine;
    return 0.5f * (sqrtf(1 + alpha * alpha * (1 - square) / square) - 1);
}

static float distribution(vector half, float alpha)
{
    float x = half.x / alpha;
    float y = half.y / alpha;
    float sum = x * x + y * y + half.z * half.z;
    return 1 / (PI * alpha * alpha * sum * sum);
}

static vector sample_visible_normal(vector outgoing, float alpha, float u1, float u2)
{
    vector stretched = normalize((vector){alpha * outgoing.x, alpha * outgoing.y, outgoing.z});
    // The second axis lies in the plane of normal and direction: the disc of visible normals is squeezed along it.
    float length = sqrtf(stretched.x * stretched.x + stretched.y * stretched.y);
    vector tangent = {1, 0, 0};
    if (length > 1e-6f)
        tangent = (vector){-stretched.y / length, stretched.x / length, 0};
    vector bitangent = cross(stretched, tangent);
    float radius = sqrtf(u1);
    float x = radius * cosf(2 * PI * u2);
    float y = radius * sinf(2 * PI * u2);
    float s = 0.5f * (1 + stretched.z);
    y = (1 - s) * sqrtf(larger(0, 1 - x * x)) + s * y;
    float z = sqrtf(larger(0, 1 - x * x - y * y));
    vector n = from_frame((vector){x, y, z}, tangent, bitangent, stretched);
    return normalize((vector){alpha * n.x, alpha * n.y, larger(1e-6f, n.z)});
}

float fresnel_dielectric(float cosine, float ratio, float *transmitted)
{
    float square = 1 - ratio * ratio * (1 - cosine * cosine);
    if (square <= 0) {
        *transmitted = 0;
        return 1;
    }
    *transmitted = sqrtf(square);
    float parallel = (cosine - ratio * *transmitted) / (cosine + ratio * *transmitted);
    float perpendicular = (ratio * cosine - *transmitted) / (ratio * cosine + *transmitted);
    return 0.5f * (parallel * parallel + perpendicular * perpendicular);
}

vector reflect_ray(vector direction, vector normal)
{
    return along(direction, normal, -2 * dot(direction, normal));
}

vector refract_ray(vector direction, vector normal, float ratio, float transmitted)
{
    float cosine = -dot(direction, normal);
    return normalize(along(scale(direction, ratio), normal, ratio * cosine - transmitted));
}

static void sample_glass(const material *m, vector normal, vector outgoing, random_state *random, scatter *result)
{
    float cosine = dot(outgoing, normal);
    float ratio = 1 / m->index;
    if (cosine < 0) { // inside
        cosine = -cosine;
        normal = scale(normal, -1);
        ratio = m->index;
    }
    float transmitted;
    float reflected = fresnel_dielectric(smaller(cosine, 1), ratio, &transmitted);
    vector direction = scale(outgoing, -1);
    // Radiance is not scaled by the squared ratio: every path that enters a piece of glass leaves it again.
    bool reflects = random_float(random) < reflected;
    result->direction = reflects ? reflect_ray(direction, normal) : refract_ray(direction, normal, ratio, transmitted);
    result->weight = (vector){1, 1, 1};
    result->density = 0;
}

bool material_sample(const material *m, vector color, vector normal, vector outgoing, random_state *random,
                     scatter *result)
{
    if (m->kind == MATERIAL_GLASS) {
        sample_glass(m, normal, outgoing, random, result);
        return true;
    }
    vector tangent, bitangent;
    make_frame(normal, &tangent, &bitangent);
    float u1 = random_float(random);
    float u2 = random_float(random);
    if (m->kind == MATERIAL_DIFFUSE) {
        float radius = sqrtf(u1);
        float cosine = sqrtf(1 - u1);
        vector local = {radius * cosf(2 * PI * u2), radius * sinf(2 * PI * u2), cosine};
        *result = (scatter){from_frame(local, tangent, bitangent, normal), color, cosine / PI};
        return cosine > 0;
    }
    vector out = to_frame(outgoing, tangent, bitangent, normal);
    if (out.z <= 0)
        return false;
    float alpha = m->roughness * m->roughness;
    vector half = sample_visible_normal(out, alpha, u1, u2);
    float cosine = dot(out, half);
    vector in = subtract(scale(half, 2 * cosine), out);
    if (cosine <= 0 || in.z <= 0)
        return false;
    float masked_out = 1 + lambda(out.z, alpha);
    float masked_both = masked_out + lambda(in.z, alpha);
    result->direction = normalize(from_frame(in, tangent, bitangent, normal));
    result->weight = scale(schlick(color, smaller(cosine, 1)), masked_out / masked_both);
    result->density = distribution(half, alpha) / (4 * masked_out * out.z);
    return true;
}

vector material_evaluate(const material *m, vector color, vector normal, vector outgoing, vector incoming,
                         float *density)
{
    float cosine = dot(incoming, normal);
    if (m->kind == MATERIAL_DIFFUSE) {
        *density = cosine / PI;
        return scale(color, cosine / PI);
    }
    vector tangent, bitangent;
    make_frame(normal, &tangent, &bitangent);
    vector out = to_frame(outgoing, tangent, bitangent, normal);
    vector half = normalize(add(outgoing, incoming));
    float alpha = m->roughness * m->roughness;
    float value = distribution(to_frame(half, tangent, bitangent, normal), alpha) / (4 * out.z);
    float masked_out = 1 + lambda(out.z, alpha);
    *density = value / masked_out;
    return scale(schlick(color, smaller(dot(outgoing, half), 1)), value / (masked_out + lambda(cosine, alpha)));
}
