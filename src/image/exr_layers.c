// Which channels of an EXR file are colour, albedo and normal: by the names that renderers give their layers. Every
// name here stands in docs/images.md with the renderers that use it.
#include "base/error.h"
#include "image/exr.h"

#include <ctype.h>
#include <string.h>

// The layer names of each role, best first, in lower case without separators. "" is the layer without a name.
static const char *const role_names[RP_EXR_ROLES][16] = {
    [RP_EXR_COLOR] = {"", "combined", "beauty", "rgba", "rgb", "c", "ci", "color", "colour", "noisyimage", "image",
                      "rgbcolor"},
    [RP_EXR_ALBEDO] = {"denoisingalbedo", "denoisealbedo", "albedo", "diffusealbedo", "visiblediffuse", "diffusefilter",
                       "basecolor", "vraydiffusefilter"},
    [RP_EXR_NORMAL] = {"denoisingnormal", "denoisenormal", "normal", "normals", "n", "nn", "shnormal", "shadingnormal",
                       "visiblenormals", "normalsbumped", "vraynormals"},
};

// Components in image order; a layer has one of these sets.
static const char *const component_sets[][4] = {
    {"r", "g", "b", "a"}, {"red", "green", "blue", "alpha"}, {"x", "y", "z", NULL}};

enum { MOST_LAYERS = 512, NAME_SIZE = 256 };

static void simplify(const char *name, size_t length, char *simple, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < size; i++)
        if (isalnum((unsigned char)name[i]))
            simple[used++] = (char)tolower((unsigned char)name[i]);
    simple[used] = 0;
}

// The layer of a channel name: what stands before its last dot.
static size_t layer_length(const char *channel)
{
    const char *dot = strrchr(channel, '.');
    return dot ? (size_t)(dot - channel) : 0;
}

static const char *component(const char *channel)
{
    const char *dot = strrchr(channel, '.');
    return dot ? dot + 1 : channel;
}

// How well a layer's name serves a role: its place in the list, or -1. What counts is the last part of the name, as in
// "ViewLayer.Denoising Albedo"; a part's own name counts like a layer's when the channels have none.
static int rank_name(const char *layer, size_t length, const char *part_name, rp_exr_role role)
{
    char simple[NAME_SIZE];
    size_t begin = length;
    while (begin > 0 && layer[begin - 1] != '.')
        begin--;
    simplify(layer + begin, length - begin, simple, sizeof simple);
    if (!simple[0] && part_name) {
        const char *last = strrchr(part_name, '.');
        last = last ? last + 1 : part_name;
        simplify(last, strlen(last), simple, sizeof simple);
    }
    for (int i = 0; i < 16 && role_names[role][i]; i++)
        if (strcmp(simple, role_names[role][i]) == 0)
            return i;
    return -1;
}

static int find_component(const exr_attr_chlist_t *channels, const char *layer, size_t length, const char *wanted)
{
    for (int i = 0; i < channels->num_channels; i++) {
        const char *name = channels->entries[i].name.str;
        char simple[NAME_SIZE];
        if (layer_length(name) != length || strncmp(name, layer, length) != 0)
            continue;
        simplify(component(name), strlen(component(name)), simple, sizeof simple);
        if (strcmp(simple, wanted) == 0)
            return i;
    }
    return -1;
}

// Fills in the channels of a layer: one of the sets whole (alpha may be missing), or luminance. False when neither is
// there.
static bool gather(const exr_attr_chlist_t *channels, const char *layer, size_t length, rp_exr_role role,
                   rp_exr_layer *found)
{
    for (size_t set = 0; set < sizeof component_sets / sizeof *component_sets; set++) {
        if (role == RP_EXR_COLOR && set == 2)
            continue; // X Y Z beside an unnamed colour are positions or depth
        found->channel_count = 0;
        for (int i = 0; i < 4 && component_sets[set][i]; i++) {
            int channel = find_component(channels, layer, length, component_sets[set][i]);
            if (channel < 0)
                break;
            found->channels[found->channel_count++] = channel;
        }
        if (found->channel_count >= 3)
            return true;
    }
    found->channel_count = 0;
    int luminance = find_component(channels, layer, length, "y");
    if (luminance < 0 || role == RP_EXR_NORMAL || find_component(channels, layer, length, "x") >= 0)
        return false;
    found->channels[found->channel_count++] = luminance;
    int alpha = find_component(channels, layer, length, "a");
    if (alpha >= 0)
        found->channels[found->channel_count++] = alpha;
    return true;
}

static void consider(const exr_attr_chlist_t *channels, int part, const char *part_name, int channel, int ranks[],
                     rp_exr_layer layers[])
{
    const char *name = channels->entries[channel].name.str;
    size_t length = layer_length(name);
    for (int role = 0; role < RP_EXR_ROLES; role++) {
        rp_exr_layer found = {.part = part};
        int rank = rank_name(name, length, part_name, (rp_exr_role)role);
        if (rank < 0 || (ranks[role] >= 0 && ranks[role] <= rank) ||
            !gather(channels, name, length, (rp_exr_role)role, &found))
            continue;
        snprintf(found.name, sizeof found.name, "%.*s", (int)(length < 255 ? length : 255), name);
        ranks[role] = rank;
        layers[role] = found;
    }
}

rp_status rp_exr_find_layers(exr_context_t context, rp_exr_layer layers[RP_EXR_ROLES], rp_error *error)
{
    int ranks[RP_EXR_ROLES], part_count = 0, considered = 0;
    for (int role = 0; role < RP_EXR_ROLES; role++) {
        ranks[role] = -1;
        layers[role] = (rp_exr_layer){.part = -1};
    }
    exr_result_t result = exr_get_count(context, &part_count);
    for (int part = 0; part < part_count && result == EXR_ERR_SUCCESS; part++) {
        const exr_attr_chlist_t *channels = NULL;
        const char *part_name = NULL;
        if (part_count > 1 && exr_get_name(context, part, &part_name) != EXR_ERR_SUCCESS)
            part_name = NULL;
        result = exr_get_channels(context, part, &channels);
        for (int i = 0; result == EXR_ERR_SUCCESS && i < channels->num_channels; i++) {
            const char *name = channels->entries[i].name.str;
            // A layer's channels stand together, since the list is sorted: one of them stands for all.
            if (i > 0 && layer_length(channels->entries[i - 1].name.str) == layer_length(name) &&
                strncmp(channels->entries[i - 1].name.str, name, layer_length(name)) == 0 && layer_length(name) > 0)
                continue;
            if (++considered > MOST_LAYERS * 8)
                return rp_fail(error, RP_STATUS_UNSUPPORTED, "EXR: more than %d layers", MOST_LAYERS * 8);
            consider(channels, part, part_name, i, ranks, layers);
        }
    }
    return rp_exr_translate(result, "channels", error);
}
