// Ray intersection with the scene's few shapes. All of them are tested for every ray: there are about ten.
#include "scene.h"

#include <stddef.h>

// Hits nearer than this are the surface that the ray starts on.
static const float NEAREST = 1e-5f;

static float intersect_sphere(const sphere *s, vector origin, vector direction)
{
    vector offset = subtract(s->center, origin);
    float middle = dot(offset, direction);
    // From the distance between centre and ray, which loses fewer digits than b² - 4ac.
    vector perpendicular = along(offset, direction, -middle);
    float square = s->radius * s->radius - dot(perpendicular, perpendicular);
    if (square < 0)
        return INFINITY;
    float half_chord = sqrtf(square);
    if (middle - half_chord > NEAREST)
        return middle - half_chord;
    return middle + half_chord > NEAREST ? middle + half_chord : INFINITY;
}

static vector to_box(const box *b, vector a)
{
    return (vector){a.x * b->cosine - a.z * b->sine, a.y, a.x * b->sine + a.z * b->cosine};
}

static vector from_box(const box *b, vector a)
{
    return (vector){a.x * b->cosine + a.z * b->sine, a.y, a.z * b->cosine - a.x * b->sine};
}

// Distances at which the ray enters and leaves the box; false when it passes by.
static bool intersect_box(const box *b, vector origin, vector direction, float *enter, float *leave)
{
    vector o = to_box(b, subtract(origin, b->center));
    vector d = to_box(b, direction);
    vector inverse = {1 / d.x, 1 / d.y, 1 / d.z};
    vector low = multiply(subtract(scale(b->half_size, -1), o), inverse);
    vector high = multiply(subtract(b->half_size, o), inverse);
    *enter = larger(larger(smaller(low.x, high.x), smaller(low.y, high.y)), smaller(low.z, high.z));
    *leave = smaller(smaller(larger(low.x, high.x), larger(low.y, high.y)), larger(low.z, high.z));
    return *enter <= *leave;
}

static float intersect_light(const light *l, vector origin, vector direction)
{
    float distance = (l->y - origin.y) / direction.y;
    float x = origin.x + direction.x * distance;
    float z = origin.z + direction.z * distance;
    return distance > NEAREST && x >= l->x0 && x <= l->x1 && z >= l->z0 && z <= l->z1 ? distance : INFINITY;
}

static void finish_sphere(const sphere *s, hit *hit)
{
    vector normal = normalize(subtract(hit->position, s->center));
    hit->normal = normal;
    hit->position = along(s->center, normal, s->radius);
    hit->material = s->material;
    if (s->material->texture != TEXTURE_PLAIN) {
        hit->u = atan2f(normal.x, normal.z) * s->radius;
        hit->v = acosf(larger(-1, smaller(1, normal.y))) * s->radius;
    }
}

// `side` is 1 for a box, -1 for the room.
static void finish_box(const box *b, float side, hit *hit)
{
    vector local = to_box(b, subtract(hit->position, b->center));
    float x = local.x / b->half_size.x;
    float y = local.y / b->half_size.y;
    float z = local.z / b->half_size.z;
    float ax = fabsf(x);
    float ay = fabsf(y);
    float az = fabsf(z);
    vector normal = {0, 0, 0};
    if (ax >= ay && ax >= az) {
        normal.x = copysignf(side, x * side);
        hit->material = b->faces[x > 0];
        hit->u = local.z;
        hit->v = local.y;
    } else if (ay >= az) {
        normal.y = copysignf(side, y * side);
        hit->material = b->faces[2 + (y > 0)];
        hit->u = local.x;
        hit->v = local.z;
    } else {
        normal.z = copysignf(side, z * side);
        hit->material = b->faces[4 + (z > 0)];
        hit->u = local.x;
        hit->v = local.y;
    }
    hit->normal = from_box(b, normal);
}

bool scene_intersect(const scene *scene, vector origin, vector direction, hit *hit)
{
    float nearest = INFINITY;
    const sphere *near_sphere = NULL;
    const box *near_box = NULL;
    float enter, leave;
    if (scene->has_room && intersect_box(&scene->room, origin, direction, &enter, &leave) && leave > 0) {
        nearest = leave;
        near_box = &scene->room;
    }
    for (uint32_t i = 0; i < scene->box_count; i++) {
        if (intersect_box(&scene->boxes[i], origin, direction, &enter, &leave) && enter > NEAREST && enter < nearest) {
            nearest = enter;
            near_box = &scene->boxes[i];
        }
    }
    for (uint32_t i = 0; i < scene->sphere_count; i++) {
        float distance = intersect_sphere(&scene->spheres[i], origin, direction);
        if (distance < nearest) {
            nearest = distance;
            near_sphere = &scene->spheres[i];
        }
    }
    float light_distance = scene->has_light ? intersect_light(&scene->light, origin, direction) : INFINITY;
    if (light_distance < nearest) {
        hit->distance = light_distance;
        hit->position = along(origin, direction, light_distance);
        hit->normal = (vector){0, -1, 0};
        hit->material = NULL;
        return true;
    }
    if (nearest == INFINITY)
        return false;
    hit->distance = nearest;
    hit->position = along(origin, direction, nearest);
    if (near_sphere != NULL)
        finish_sphere(near_sphere, hit);
    else
        finish_box(near_box, near_box == &scene->room ? -1.0f : 1.0f, hit);
    return true;
}

bool scene_occluded(const scene *scene, vector origin, vector direction, float distance)
{
    for (uint32_t i = 0; i < scene->sphere_count; i++)
        if (intersect_sphere(&scene->spheres[i], origin, direction) < distance)
            return true;
    for (uint32_t i = 0; i < scene->box_count; i++) {
        float enter, leave;
        if (intersect_box(&scene->boxes[i], origin, direction, &enter, &leave) && enter > NEAREST && enter < distance)
            return true;
    }
    return false;
}

box make_box(vector center, vector half_size, float degrees, const material *material)
{
    float angle = degrees * PI / 180;
    box b = {.center = center, .half_size = half_size, .sine = sinf(angle), .cosine = cosf(angle)};
    for (uint32_t i = 0; i < 6; i++)
        b.faces[i] = material;
    return b;
}

camera make_camera(vector position, vector target, float vertical_degrees)
{
    camera c = {.position = position, .forward = normalize(subtract(target, position))};
    c.right = normalize(cross(c.forward, (vector){0, 1, 0}));
    c.up = cross(c.right, c.forward);
    c.tangent = tanf(vertical_degrees * PI / 360);
    return c;
}
