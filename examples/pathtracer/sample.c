// The sample scene, a furnished box in the manner of Cornell's, and its procedural textures. They give the albedo the
// fine detail that a denoiser has to keep.
#include "scene.h"

static uint32_t hash_cell(int32_t x, int32_t y)
{
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

static float cell_value(int32_t x, int32_t y)
{
    return (float)(hash_cell(x, y) >> 8) * 0x1p-24f;
}

// Smooth noise in [0, 1] from random values on the integer grid.
static float noise(float x, float y)
{
    float fx = floorf(x);
    float fy = floorf(y);
    int32_t cx = (int32_t)fx;
    int32_t cy = (int32_t)fy;
    float tx = (x - fx) * (x - fx) * (3 - 2 * (x - fx));
    float ty = (y - fy) * (y - fy) * (3 - 2 * (y - fy));
    float low = cell_value(cx, cy) * (1 - tx) + cell_value(cx + 1, cy) * tx;
    float high = cell_value(cx, cy + 1) * (1 - tx) + cell_value(cx + 1, cy + 1) * tx;
    return low * (1 - ty) + high * ty;
}

static vector tiles(const material *m, float u, float v)
{
    float fu = floorf(u);
    float fv = floorf(v);
    int32_t cu = (int32_t)fu;
    int32_t cv = (int32_t)fv;
    float edge = smaller(smaller(u - fu, 1 - (u - fu)), smaller(v - fv, 1 - (v - fv)));
    if (edge < 0.015f)
        return (vector){0.3f, 0.28f, 0.26f};
    vector color = ((cu ^ cv) & 1) != 0 ? m->second : m->color;
    float cloud = 0.6f * noise(u * 4 + (float)(cv * 7), v * 4) + 0.4f * noise(u * 13, v * 13 + (float)(cu * 5));
    return scale(color, 0.78f + 0.12f * cell_value(cu, cv) + 0.28f * cloud);
}

static vector arcs(const material *m, float u, float v)
{
    float fu = floorf(u);
    float fv = floorf(v);
    float x = u - fu;
    float y = v - fv;
    if ((hash_cell((int32_t)fu, (int32_t)fv) & 1) != 0)
        x = 1 - x;
    float first = fabsf(sqrtf(x * x + y * y) - 0.5f);
    float second = fabsf(sqrtf((1 - x) * (1 - x) + (1 - y) * (1 - y)) - 0.5f);
    return smaller(first, second) < 0.14f ? m->second : m->color;
}

static vector wood(const material *m, float u, float v)
{
    float rings = u * 2.2f + 1.6f * noise(u * 0.9f, v * 0.22f) + 0.15f * noise(u * 9, v * 1.3f);
    float grain = rings - floorf(rings);
    float fibre = noise(u * 42, v * 2.5f);
    return scale(mix(m->color, m->second, grain * grain), 0.84f + 0.16f * fibre);
}

vector scene_color(const hit *hit)
{
    const material *m = hit->material;
    if (m->texture == TEXTURE_PLAIN)
        return m->color;
    float u = hit->u / m->size;
    float v = hit->v / m->size;
    switch (m->texture) {
    case TEXTURE_TILES:
        return tiles(m, u, v);
    case TEXTURE_STRIPES:
        return u - floorf(u) < 0.5f ? m->color : m->second;
    case TEXTURE_ARCS:
        return arcs(m, u, v);
    case TEXTURE_WOOD:
        return wood(m, u, v);
    case TEXTURE_PLAIN:
        break;
    }
    return m->color;
}

static const material ceiling = {.color = {0.80f, 0.79f, 0.77f}};
static const material left_wall = {.color = {0.60f, 0.13f, 0.08f}};
static const material right_wall = {.color = {0.07f, 0.25f, 0.34f}};
static const material wallpaper = {
    .texture = TEXTURE_STRIPES, .color = {0.74f, 0.70f, 0.60f}, .second = {0.66f, 0.61f, 0.50f}, .size = 0.2f};
static const material floor_tiles = {
    .texture = TEXTURE_TILES, .color = {0.70f, 0.65f, 0.57f}, .second = {0.20f, 0.17f, 0.15f}, .size = 0.4f};
static const material wooden = {
    .texture = TEXTURE_WOOD, .color = {0.55f, 0.33f, 0.16f}, .second = {0.26f, 0.12f, 0.05f}, .size = 0.3f};
static const material painting = {
    .texture = TEXTURE_ARCS, .color = {0.85f, 0.80f, 0.68f}, .second = {0.05f, 0.16f, 0.36f}, .size = 0.1f};
static const material frame = {.color = {0.03f, 0.025f, 0.02f}};
static const material white = {.color = {0.82f, 0.81f, 0.79f}};
static const material striped = {
    .texture = TEXTURE_STRIPES, .color = {0.86f, 0.42f, 0.05f}, .second = {0.85f, 0.82f, 0.74f}, .size = 0.13f};
static const material gold = {.kind = MATERIAL_METAL, .color = {1.0f, 0.77f, 0.34f}, .roughness = 0.42f};
static const material steel = {.kind = MATERIAL_METAL, .color = {0.66f, 0.65f, 0.64f}, .roughness = 0.25f};
static const material glass = {.kind = MATERIAL_GLASS, .color = {0.86f, 0.96f, 0.93f}, .index = 1.5f};

void make_sample_scene(scene *scene)
{
    // The clamp is the one liberty with physics: without it caustics seen in walls speckle even a long render. It takes
    // 1.2 % of the light, from noisy and converged images alike.
    *scene = (struct scene){.has_room = true, .has_light = true, .clamp = 2};
    scene->room = make_box((vector){0, 1.2f, 0.5f}, (vector){2.2f, 1.2f, 2.9f}, 0, &ceiling);
    scene->room.faces[0] = &left_wall;
    scene->room.faces[1] = &right_wall;
    scene->room.faces[2] = &floor_tiles;
    scene->room.faces[4] = &wallpaper;
    scene->light =
        (light){.x0 = -1.3f, .x1 = 1.3f, .z0 = -1.3f, .z1 = 0.3f, .y = 2.395f, .radiance = {5.9f, 5.4f, 4.7f}};

    // The picture is a dark box with a smaller one in front of it.
    scene->boxes[scene->box_count++] =
        make_box((vector){-0.55f, 1.45f, -2.385f}, (vector){0.66f, 0.46f, 0.03f}, 0, &frame);
    scene->boxes[scene->box_count++] =
        make_box((vector){-0.55f, 1.45f, -2.375f}, (vector){0.6f, 0.4f, 0.03f}, 0, &painting);
    scene->boxes[scene->box_count++] =
        make_box((vector){0.85f, 0.65f, -1.15f}, (vector){0.4f, 0.65f, 0.4f}, 24, &wooden);
    scene->boxes[scene->box_count++] = make_box((vector){-1.5f, 0.3f, -0.15f}, (vector){0.3f, 0.3f, 0.3f}, -18, &white);

    scene->spheres[scene->sphere_count++] = (sphere){{-0.5f, 0.55f, -1.05f}, 0.55f, &gold};
    scene->spheres[scene->sphere_count++] = (sphere){{0.4f, 0.4f, 0.08f}, 0.4f, &glass};
    scene->spheres[scene->sphere_count++] = (sphere){{1.45f, 0.3f, -0.2f}, 0.3f, &striped};
    scene->spheres[scene->sphere_count++] = (sphere){{-1.5f, 0.8f, -0.15f}, 0.2f, &steel};
    scene->spheres[scene->sphere_count++] = (sphere){{-0.55f, 0.2f, 0.22f}, 0.2f, &white};

    scene->camera = make_camera((vector){0.15f, 1.4f, 3.2f}, (vector){0, 0.9f, -1}, 39);
}
