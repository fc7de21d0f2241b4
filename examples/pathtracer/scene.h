// What the path tracer sees: spheres, boxes, one room around them, one rectangular light, materials and a camera.
#ifndef PATHTRACER_SCENE_H
#define PATHTRACER_SCENE_H

#include "vector.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum material_kind {
    MATERIAL_DIFFUSE, // Lambert
    MATERIAL_METAL,   // GGX microfacets; color is the reflectance at normal incidence
    MATERIAL_GLASS    // smooth dielectric; color is what a path of one unit inside lets through
} material_kind;

typedef enum texture_kind {
    TEXTURE_PLAIN,
    TEXTURE_TILES,   // two-coloured floor tiles, each a little different, with grout between
    TEXTURE_STRIPES, // wallpaper, or a striped ball
    TEXTURE_ARCS,    // Truchet pattern: quarter circles joined at random
    TEXTURE_WOOD     // wavy grain
} texture_kind;

typedef struct material {
    material_kind kind;
    texture_kind texture;
    vector color, second; // second: the texture's other colour
    float size;           // of one texture cell, in world units
    float roughness;      // metal: 0.1 to 1; GGX alpha is its square
    float index;          // glass: index of refraction
} material;

typedef struct sphere {
    vector center;
    float radius;
    const material *material;
} sphere;

// A box turned about the vertical axis. Faces: left, right, bottom, top, back, front (-x +x -y +y -z +z).
typedef struct box {
    vector center, half_size;
    float sine, cosine;
    const material *faces[6];
} box;

// A horizontal rectangle that shines downwards, with the same radiance in every direction.
typedef struct light {
    float x0, x1, z0, z1, y;
    vector radiance;
} light;

typedef struct camera {
    vector position, right, up, forward;
    float tangent; // of half the vertical field of view
} camera;

enum { MAX_SPHERES = 8, MAX_BOXES = 8 };

typedef struct scene {
    sphere spheres[MAX_SPHERES];
    box boxes[MAX_BOXES];
    uint32_t sphere_count, box_count;
    bool has_room, has_light;
    box room; // seen from inside; everything else, light and camera too, must be in it
    light light;
    vector environment; // radiance of a ray that leaves the scene
    camera camera;
    float clamp; // most that one indirect contribution may add to a colour component of a sample; 0: no limit
} scene;

typedef struct hit {
    float distance;
    vector position, normal;  // unit length, outwards (the room's: inwards)
    const material *material; // NULL: the light
    float u, v;               // texture coordinates in world units; only set for a textured material
} hit;

// The nearest hit along a ray with a unit direction; false: the ray leaves the scene.
bool scene_intersect(const scene *scene, vector origin, vector direction, hit *hit);
// Whether something other than light and room lies on the ray before `distance`.
bool scene_occluded(const scene *scene, vector origin, vector direction, float distance);
// The material's colour at the hit.
vector scene_color(const hit *hit);

box make_box(vector center, vector half_size, float degrees, const material *material);
camera make_camera(vector position, vector target, float vertical_degrees);
// The sample scene.
void make_sample_scene(scene *scene);

#endif
