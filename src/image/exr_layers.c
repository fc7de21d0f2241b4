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

enum { MOST_LAYERS = 4096, NAME_SIZE = 256, UNKNOWN_PART = 1000, DEEP_PART = 2000 };

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

static int place_in_list(const char *simple, rp_exr_role role)
{
    for (int i = 0; i < 16 && role_names[role][i]; i++)
        if (strcmp(simple, role_names[role][i]) == 0)
            return i;
    return -1;
}

// How well a layer's name serves a role: its place in the list, or -1. What counts is the last part of the name, as in
// "ViewLayer.Denoising Albedo"; a part's own name counts like a layer's when the channels have none. Colour without a
// layer in a part whose name says nothing ("left", "render") is taken when there is no better one.
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
    int place = place_in_list(simple, role);
    bool unknown = place_in_list(simple, RP_EXR_ALBEDO) < 0 && place_in_list(simple, RP_EXR_NORMAL) < 0;
    return place < 0 && role == RP_EXR_COLOR && length == 0 && unknown ? UNKNOWN_PART : place;
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

typedef struct layer_search {
    const exr_attr_chlist_t *channels; // of the part that is looked at
    int part;
    const char *part_name; // NULL in a file of one part
    bool deep;             // taken only where no other will do, to be refused by name then
    int ranks[RP_EXR_ROLES];
    rp_exr_layer *layers;
} layer_search;

static void consider(layer_search *search, const char *layer, size_t length)
{
    for (int role = 0; role < RP_EXR_ROLES; role++) {
        rp_exr_layer found = {.part = search->part};
        int *best = &search->ranks[role], rank = rank_name(layer, length, search->part_name, (rp_exr_role)role);
        if (rank >= 0 && search->deep)
            rank += DEEP_PART;
        if (rank < 0 || (*best >= 0 && *best <= rank) ||
            !gather(search->channels, layer, length, (rp_exr_role)role, &found))
            continue;
        snprintf(found.name, sizeof found.name, "%.*s", (int)(length < 255 ? length : 255), layer);
        *best = rank;
        search->layers[role] = found;
    }
}

static exr_result_t open_part(exr_context_t context, int part, int part_count, layer_search *search)
{
    exr_storage_t storage = EXR_STORAGE_SCANLINE;
    search->part = part;
    search->part_name = NULL;
    if (part_count > 1 && exr_get_name(context, part, &search->part_name) != EXR_ERR_SUCCESS)
        search->part_name = NULL;
    exr_result_t result = exr_get_channels(context, part, &search->channels);
    if (result == EXR_ERR_SUCCESS)
        result = exr_get_storage(context, part, &storage);
    search->deep = storage == EXR_STORAGE_DEEP_SCANLINE || storage == EXR_STORAGE_DEEP_TILED;
    return result;
}

rp_status rp_exr_find_layers(exr_context_t context, rp_exr_layer layers[RP_EXR_ROLES], rp_error *error)
{
    layer_search search = {.layers = layers};
    int part_count = 0, considered = 0;
    for (int role = 0; role < RP_EXR_ROLES; role++) {
        search.ranks[role] = -1;
        layers[role] = (rp_exr_layer){.part = -1};
    }
    exr_result_t result = exr_get_count(context, &part_count);
    for (int part = 0; part < part_count && result == EXR_ERR_SUCCESS; part++) {
        result = open_part(context, part, part_count, &search);
        if (result != EXR_ERR_SUCCESS)
            break;
        consider(&search, "", 0);
        const char *last = "";
        size_t last_length = 0;
        for (int i = 0; i < search.channels->num_channels; i++) {
            // A layer's channels stand together, since the list is sorted: the first of them stands for all.
            const char *name = search.channels->entries[i].name.str;
            size_t length = layer_length(name);
            if (length == 0 || (length == last_length && strncmp(name, last, length) == 0))
                continue;
            if (++considered > MOST_LAYERS)
                return rp_fail(error, RP_STATUS_UNSUPPORTED, "EXR: more than %d layers", MOST_LAYERS);
            consider(&search, name, length);
            last = name;
            last_length = length;
        }
    }
    return rp_exr_translate(result, "channels", error);
}
