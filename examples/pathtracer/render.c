// Unidirectional path tracing. At every surface but glass the light is sampled and the BSDF is sampled, weighted by the
// power heuristic (Veach 1997); through glass the light is only found by the BSDF. Russian roulette ends paths.
#include "render.h"

#include "material.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum { MAX_BOUNCES = 64, ROULETTE_START = 2, MAX_THREADS = 256 };

// New rays start this far off the surface.
static const float OFFSET = 1e-4f;

typedef struct features {
    vector albedo, normal;
} features;

typedef struct path_sample {
    vector color;
    features features;
} path_sample;

typedef struct job {
    const render_desc *desc;
    atomic_uint next_row, rows_done;
} job;

static vector leave_surface(const hit *hit, vector direction)
{
    return along(hit->position, hit->normal, dot(direction, hit->normal) > 0 ? OFFSET : -OFFSET);
}

static float power_weight(float density, float other)
{
    float a = density * density;
    float b = other * other;
    return a / (a + b);
}

static vector clamp_color(vector color, float limit)
{
    return (vector){smaller(color.x, limit), smaller(color.y, limit), smaller(color.z, limit)};
}

// What has been scattered once is a direct view, a direct shadow or a visible caustic, and bounded by the light itself.
static vector clamp_indirect(const scene *scene, vector light, uint32_t scatterings)
{
    return scatterings > 1 && scene->clamp > 0 ? clamp_color(light, scene->clamp) : light;
}

// The density per solid angle with which sample_light picks the direction that hit the light.
static float light_density(const light *l, float distance, float cosine)
{
    return distance * distance / (cosine * (l->x1 - l->x0) * (l->z1 - l->z0));
}

// Light that comes straight from a random point on the light and is scattered towards `outgoing`.
static vector sample_light(const scene *scene, const hit *hit, vector color, vector normal, vector outgoing,
                           random_state *random)
{
    const light *l = &scene->light;
    const vector none = {0, 0, 0};
    float u1 = random_float(random);
    float u2 = random_float(random);
    vector point = {l->x0 + (l->x1 - l->x0) * u1, l->y, l->z0 + (l->z1 - l->z0) * u2};
    vector to_light = subtract(point, hit->position);
    float distance = sqrtf(dot(to_light, to_light));
    vector incoming = scale(to_light, 1 / distance);
    if (incoming.y <= 0 || dot(incoming, normal) <= 0)
        return none;
    float bsdf_density;
    vector value = material_evaluate(hit->material, color, normal, outgoing, incoming, &bsdf_density);
    float density = light_density(l, distance, incoming.y);
    if (scene_occluded(scene, leave_surface(hit, incoming), incoming, distance - 2 * OFFSET))
        return none;
    return scale(multiply(value, l->radiance), power_weight(density, bsdf_density) / density);
}

static features surface_features(const scene *scene, const hit *hit, vector direction)
{
    if (hit == NULL) // the environment
        return (features){clamp_color(scene->environment, 1), {0, 0, 0}};
    float side = dot(hit->normal, direction) > 0 ? -1.0f : 1.0f;
    // The light's surface is as bright as an albedo can be.
    return (features){hit->material == NULL ? (vector){1, 1, 1} : clamp_color(scene_color(hit), 1),
                      scale(hit->normal, side)};
}

// Features of what is seen along a ray when it goes straight through all glass, or is reflected where it cannot.
static features features_beyond_glass(const scene *scene, vector origin, vector direction)
{
    hit hit;
    for (uint32_t depth = 0; depth < 8; depth++) {
        if (!scene_intersect(scene, origin, direction, &hit))
            return surface_features(scene, NULL, direction);
        if (hit.material == NULL || hit.material->kind != MATERIAL_GLASS)
            break;
        bool inside = dot(hit.normal, direction) > 0;
        vector normal = scale(hit.normal, inside ? -1.0f : 1.0f);
        float ratio = inside ? hit.material->index : 1 / hit.material->index;
        float transmitted;
        bool total = fresnel_dielectric(smaller(1, -dot(normal, direction)), ratio, &transmitted) >= 1;
        direction = total ? reflect_ray(direction, normal) : refract_ray(direction, normal, ratio, transmitted);
        origin = leave_surface(&hit, direction);
    }
    if (hit.material != NULL && hit.material->kind == MATERIAL_GLASS)
        return (features){{1, 1, 1}, hit.normal};
    return surface_features(scene, &hit, direction);
}

// Denoisers do best when they see through glass: the features of the reflected and of the refracted scene, blended as
// Fresnel's equations blend their light. It draws no random numbers, so that it adds no noise.
static features glass_features(const scene *scene, const hit *hit, vector direction)
{
    float transmitted;
    float ratio = 1 / hit->material->index;
    float reflected = fresnel_dielectric(smaller(1, fabsf(dot(hit->normal, direction))), ratio, &transmitted);
    vector reflection = reflect_ray(direction, hit->normal);
    vector refraction = refract_ray(direction, hit->normal, ratio, transmitted);
    features a = features_beyond_glass(scene, leave_surface(hit, refraction), refraction);
    features b = features_beyond_glass(scene, leave_surface(hit, reflection), reflection);
    return (features){mix(a.albedo, b.albedo, reflected), mix(a.normal, b.normal, reflected)};
}

static path_sample trace_path(const scene *scene, vector origin, vector direction, random_state *random)
{
    path_sample result = {{0, 0, 0}, {{0, 0, 0}, {0, 0, 0}}};
    vector throughput = {1, 1, 1};
    float density = 0;        // of the last scattered direction; 0: the camera, or glass
    uint32_t scatterings = 0; // at surfaces other than glass
    for (uint32_t bounce = 0; bounce < MAX_BOUNCES; bounce++) {
        hit hit;
        bool found = scene_intersect(scene, origin, direction, &hit);
        if (bounce == 0) {
            bool glass = found && hit.material != NULL && hit.material->kind == MATERIAL_GLASS;
            result.features = glass ? glass_features(scene, &hit, direction)
                                    : surface_features(scene, found ? &hit : NULL, direction);
        }
        if (!found || hit.material == NULL) {
            vector emitted = found ? scene->light.radiance : scene->environment;
            if (found && direction.y <= 0)
                break; // the light's back
            float weight = found && density > 0
                               ? power_weight(density, light_density(&scene->light, hit.distance, direction.y))
                               : 1;
            vector light = scale(multiply(throughput, emitted), weight);
            result.color = add(result.color, clamp_indirect(scene, light, scatterings));
            break;
        }
        vector color = scene_color(&hit);
        vector outgoing = scale(direction, -1);
        vector normal = hit.normal;
        scatter next;
        if (hit.material->kind == MATERIAL_GLASS) {
            if (dot(normal, direction) > 0) // it has come through the glass
                throughput = multiply(throughput, (vector){powf(color.x, hit.distance), powf(color.y, hit.distance),
                                                           powf(color.z, hit.distance)});
        } else {
            normal = dot(normal, outgoing) < 0 ? scale(normal, -1) : normal;
            scatterings++;
            if (scene->has_light) {
                vector light = multiply(throughput, sample_light(scene, &hit, color, normal, outgoing, random));
                result.color = add(result.color, clamp_indirect(scene, light, scatterings));
            }
        }
        if (!material_sample(hit.material, color, normal, outgoing, random, &next))
            break;
        throughput = multiply(throughput, next.weight);
        density = next.density;
        direction = next.direction;
        origin = leave_surface(&hit, direction);
        if (bounce >= ROULETTE_START) {
            float survival = smaller(1, largest(throughput));
            if (random_float(random) >= survival)
                break;
            throughput = scale(throughput, 1 / survival);
        }
    }
    return result;
}

static void accumulate(double sum[3], vector value)
{
    sum[0] += (double)value.x;
    sum[1] += (double)value.y;
    sum[2] += (double)value.z;
}

static void store(float *image, size_t pixel, const double sum[3], uint32_t count)
{
    for (size_t c = 0; image != NULL && c < 3; c++)
        image[pixel * 3 + c] = (float)(sum[c] / count);
}

static void render_pixel(const render_desc *desc, uint32_t x, uint32_t y)
{
    const camera *camera = &desc->scene->camera;
    size_t pixel = (size_t)y * desc->width + x;
    float step = 2 * camera->tangent / (float)desc->height;
    double color[3] = {0}, albedo[3] = {0}, normal[3] = {0};
    for (uint32_t i = 0; i < desc->sample_count; i++) {
        random_state random = random_start(desc->seed, pixel, desc->first_sample + i);
        float jitter_x = random_float(&random);
        float jitter_y = random_float(&random);
        float right = ((float)x + jitter_x - 0.5f * (float)desc->width) * step;
        float down = ((float)y + jitter_y - 0.5f * (float)desc->height) * step;
        vector direction = normalize(along(along(camera->forward, camera->right, right), camera->up, -down));
        path_sample sample = trace_path(desc->scene, camera->position, direction, &random);
        accumulate(color, sample.color);
        accumulate(albedo, sample.features.albedo);
        accumulate(normal, sample.features.normal);
    }
    store(desc->color, pixel, color, desc->sample_count);
    store(desc->albedo, pixel, albedo, desc->sample_count);
    store(desc->normal, pixel, normal, desc->sample_count);
}

static void render_rows(job *job, bool reports)
{
    const render_desc *desc = job->desc;
    for (;;) {
        uint32_t y = atomic_fetch_add(&job->next_row, 1);
        if (y >= desc->height)
            return;
        for (uint32_t x = 0; x < desc->width; x++)
            render_pixel(desc, x, y);
        uint32_t done = atomic_fetch_add(&job->rows_done, 1) + 1;
        if (reports && desc->progress != NULL)
            desc->progress(desc->user, done, desc->height);
    }
}

static void *run_worker(void *argument)
{
    render_rows(argument, false);
    return NULL;
}

void render_image(const render_desc *desc)
{
    job job = {.desc = desc};
    pthread_t workers[MAX_THREADS];
    uint32_t wanted = desc->thread_count;
    if (wanted == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        wanted = cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (uint32_t)cores;
    }
    if (wanted > MAX_THREADS)
        wanted = MAX_THREADS;
    // The caller is one of the threads; a worker that cannot be started only means less speed.
    uint32_t started = 0;
    while (started + 1 < wanted && pthread_create(&workers[started], NULL, run_worker, &job) == 0)
        started++;
    render_rows(&job, true);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(workers[i], NULL);
}
