// Scattering at a surface: sampling a direction, and the value and density for a given one.
#ifndef PATHTRACER_MATERIAL_H
#define PATHTRACER_MATERIAL_H

#include "random.h"
#include "scene.h"

typedef struct scatter {
    vector direction; // unit length, away from the surface
    vector weight;    // BSDF × |cosine| / density
    float density;    // per solid angle; 0: a perfectly specular direction
} scatter;

// Draws a direction for light that arrives and leaves towards `outgoing`. `normal` is on outgoing's side, except for
// glass, where it is the outward one. False: the path ends here.
bool material_sample(const material *m, vector color, vector normal, vector outgoing, random_state *random,
                     scatter *result);
// BSDF × cosine for light from `incoming`, and the density with which material_sample draws it. Not for glass.
vector material_evaluate(const material *m, vector color, vector normal, vector outgoing, vector incoming,
                         float *density);

// How much of the light a dielectric reflects, unpolarized. `cosine` is the angle to the normal on the incoming side,
// `ratio` the index on that side over the other's; *transmitted is the cosine on the other side. 1: total reflection.
float fresnel_dielectric(float cosine, float ratio, float *transmitted);
// Direction of the ray (towards `direction`) after the surface with `normal` against it.
vector reflect_ray(vector direction, vector normal);
vector refract_ray(vector direction, vector normal, float ratio, float transmitted);

#endif
