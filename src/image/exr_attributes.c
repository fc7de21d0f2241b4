// What a written EXR file keeps of its source's header. Attributes are copied one by one: OpenEXRCore can copy all at
// once, but then those that tell how the source was stored (tiles, chunk counts) contradict the scanlines written here.
#include "base/memory.h"
#include "image/exr.h"

#include <string.h>

// Set by the writer, or about the source's storage.
static bool is_structural(const char *name)
{
    static const char *const names[] = {
        "channels", "chunkCount",       "compression",        "dataWindow",         "displayWindow",     "lineOrder",
        "name",     "pixelAspectRatio", "maxSamplesPerPixel", "screenWindowCenter", "screenWindowWidth", "tiles",
        "type",     "version"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static exr_result_t copy_strings(exr_context_t context, int part, const exr_attribute_t *from,
                                 const rp_allocator *allocator)
{
    const exr_attr_string_vector_t *strings = from->stringvector;
    const char **texts = rp_allocate(allocator, (size_t)strings->n_strings, sizeof *texts);
    if (!texts)
        return EXR_ERR_OUT_OF_MEMORY;
    for (int32_t i = 0; i < strings->n_strings; i++)
        texts[i] = strings->strings[i].str;
    exr_result_t result = exr_attr_set_string_vector(context, part, from->name, strings->n_strings, texts);
    rp_free(allocator, texts);
    return result;
}

static exr_result_t copy_opaque(exr_context_t context, int part, const exr_attribute_t *from)
{
    const exr_attr_opaquedata_t *data = from->opaque;
    exr_attribute_t *declared = NULL;
    // Setting no bytes leaks a block in the library (release 3.1.5), and without a block it is not written: the
    // attribute refers to one that it does not own.
    if (data->size == 0) {
        static uint8_t nothing;
        exr_result_t result = exr_attr_declare_by_type(context, part, from->name, from->type_name, &declared);
        if (result == EXR_ERR_SUCCESS)
            declared->opaque->packed_data = &nothing;
        return result;
    }
    return exr_attr_set_user(context, part, from->name, from->type_name, data->size, data->packed_data);
}

static exr_result_t copy_attribute(exr_context_t context, int part, const exr_attribute_t *from,
                                   const rp_allocator *allocator)
{
    const char *name = from->name;
    switch (from->type) {
    case EXR_ATTR_BOX2I:
        return exr_attr_set_box2i(context, part, name, from->box2i);
    case EXR_ATTR_BOX2F:
        return exr_attr_set_box2f(context, part, name, from->box2f);
    case EXR_ATTR_CHLIST:
        return exr_attr_set_channels(context, part, name, from->chlist);
    case EXR_ATTR_CHROMATICITIES:
        return exr_attr_set_chromaticities(context, part, name, from->chromaticities);
    case EXR_ATTR_COMPRESSION:
        return exr_attr_set_compression(context, part, name, (exr_compression_t)from->uc);
    case EXR_ATTR_DOUBLE:
        return exr_attr_set_double(context, part, name, from->d);
    case EXR_ATTR_ENVMAP:
        return exr_attr_set_envmap(context, part, name, (exr_envmap_t)from->uc);
    case EXR_ATTR_FLOAT:
        return exr_attr_set_float(context, part, name, from->f);
    case EXR_ATTR_FLOAT_VECTOR:
        return exr_attr_set_float_vector(context, part, name, from->floatvector->length, from->floatvector->arr);
    case EXR_ATTR_INT:
        return exr_attr_set_int(context, part, name, from->i);
    case EXR_ATTR_KEYCODE:
        return exr_attr_set_keycode(context, part, name, from->keycode);
    case EXR_ATTR_LINEORDER:
        return exr_attr_set_lineorder(context, part, name, (exr_lineorder_t)from->uc);
    case EXR_ATTR_M33F:
        return exr_attr_set_m33f(context, part, name, from->m33f);
    case EXR_ATTR_M33D:
        return exr_attr_set_m33d(context, part, name, from->m33d);
    case EXR_ATTR_M44F:
        return exr_attr_set_m44f(context, part, name, from->m44f);
    case EXR_ATTR_M44D:
        return exr_attr_set_m44d(context, part, name, from->m44d);
    case EXR_ATTR_PREVIEW:
        return exr_attr_set_preview(context, part, name, from->preview);
    case EXR_ATTR_RATIONAL:
        return exr_attr_set_rational(context, part, name, from->rational);
    case EXR_ATTR_STRING:
        return exr_attr_set_string(context, part, name, from->string->str);
    case EXR_ATTR_STRING_VECTOR:
        return copy_strings(context, part, from, allocator);
    case EXR_ATTR_TILEDESC:
        return exr_attr_set_tiledesc(context, part, name, from->tiledesc);
    case EXR_ATTR_TIMECODE:
        return exr_attr_set_timecode(context, part, name, from->timecode);
    case EXR_ATTR_V2I:
        return exr_attr_set_v2i(context, part, name, from->v2i);
    case EXR_ATTR_V2F:
        return exr_attr_set_v2f(context, part, name, from->v2f);
    case EXR_ATTR_V2D:
        return exr_attr_set_v2d(context, part, name, from->v2d);
    case EXR_ATTR_V3I:
        return exr_attr_set_v3i(context, part, name, from->v3i);
    case EXR_ATTR_V3F:
        return exr_attr_set_v3f(context, part, name, from->v3f);
    case EXR_ATTR_V3D:
        return exr_attr_set_v3d(context, part, name, from->v3d);
    case EXR_ATTR_OPAQUE:
        return copy_opaque(context, part, from);
    default: // a type that a newer library has a name for
        return EXR_ERR_SUCCESS;
    }
}

exr_result_t rp_exr_copy_attributes(exr_context_t context, int part, const struct rp_exr_template *like,
                                    const rp_allocator *allocator)
{
    int32_t count = 0;
    exr_result_t result = exr_get_attribute_count(like->context, like->part, &count);
    for (int32_t i = 0; i < count && result == EXR_ERR_SUCCESS; i++) {
        const exr_attribute_t *attribute = NULL;
        result = exr_get_attribute_by_index(like->context, like->part, EXR_ATTR_LIST_FILE_ORDER, i, &attribute);
        if (result == EXR_ERR_SUCCESS && !is_structural(attribute->name))
            result = copy_attribute(context, part, attribute, allocator);
    }
    return result;
}

bool rp_exr_has_long_names(const struct rp_exr_template *like)
{
    enum { LONGEST_SHORT_NAME = 31 };
    int32_t count = 0;
    const exr_attr_chlist_t *channels = NULL;
    if (exr_get_channels(like->context, like->part, &channels) == EXR_ERR_SUCCESS)
        for (uint32_t i = 0; i < like->channel_count; i++)
            if (strlen(channels->entries[like->channels[i]].name.str) > LONGEST_SHORT_NAME)
                return true;
    if (exr_get_attribute_count(like->context, like->part, &count) != EXR_ERR_SUCCESS)
        return false;
    for (int32_t i = 0; i < count; i++) {
        const exr_attribute_t *attribute = NULL;
        if (exr_get_attribute_by_index(like->context, like->part, EXR_ATTR_LIST_FILE_ORDER, i, &attribute) ==
                EXR_ERR_SUCCESS &&
            (strlen(attribute->name) > LONGEST_SHORT_NAME || strlen(attribute->type_name) > LONGEST_SHORT_NAME))
            return true;
    }
    return false;
}
