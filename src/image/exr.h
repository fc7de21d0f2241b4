// What the EXR reader and writer share: OpenEXRCore contexts on memory and streams, errors caught, layers told apart.
#ifndef RP_IMAGE_EXR_H
#define RP_IMAGE_EXR_H

#include "image/formats.h"

#include <OpenEXR/openexr.h>

// The user data of a context: where its bytes come from or go to.
typedef struct rp_exr_stream {
    const uint8_t *bytes; // reading
    size_t size;
    FILE *file; // writing
} rp_exr_stream;

// Contexts that read `stream->bytes` or write to `stream->file`; the stream must outlive them.
exr_result_t rp_exr_start_read(rp_exr_stream *stream, exr_context_t *context);
exr_result_t rp_exr_start_write(rp_exr_stream *stream, exr_context_t *context);

// The library's result as ours, with the first message that it reported on this thread since the last call of this or
// of a start. `what` begins it.
rp_status rp_exr_translate(exr_result_t result, const char *what, rp_error *error);

// What is kept of an EXR file for one that is written from it. The allocator that made it frees it.
struct rp_exr_template {
    uint8_t *bytes; // the file, while it is read
    rp_exr_stream stream;
    exr_context_t context;
    int part;
    int channels[4]; // of the colour layer, in the part's channel list, in image order; -1 where there is none
    uint32_t channel_count;
};

// Copies every attribute that is not about how the source was stored; the caller has set those.
exr_result_t rp_exr_copy_attributes(exr_context_t context, int part, const struct rp_exr_template *like,
                                    const rp_allocator *allocator);
// True when a file with what is kept needs the format's long names (above 31 bytes), which old readers do not know.
bool rp_exr_has_long_names(const struct rp_exr_template *like);

typedef enum rp_exr_role { RP_EXR_COLOR = 0, RP_EXR_ALBEDO = 1, RP_EXR_NORMAL = 2, RP_EXR_ROLES = 3 } rp_exr_role;

// The channels of one layer that serve a role, in image order (R G B A, X Y Z or Y A).
typedef struct rp_exr_layer {
    int part; // -1: there is none
    int channels[4];
    uint32_t channel_count;
    char name[256]; // "" for the layer without a name
} rp_exr_layer;

// Finds the best layer for every role over all parts. Errors: those of the library.
rp_status rp_exr_find_layers(exr_context_t context, rp_exr_layer layers[RP_EXR_ROLES], rp_error *error);

#endif
