// Configuration words through the parser, with and without the four of a denoising, and through the packet function:
// whatever the words, a packet comes out.
#include "base/memory.h"
#include "oidn/config.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int denoise = 0; denoise < 2; denoise++) {
        rp_arena arena;
        rp_record_desc desc = {0};
        rp_error error;
        rp_arena_init(&arena, NULL);
        (void)rp_config_parse(data, size, denoise, &arena, &desc, &error);
        rp_arena_free(&arena);
    }
    uint8_t *packet = NULL;
    size_t packet_size = 0;
    // No weight file: the words are read, then the model is refused.
    if (rp_record_denoise_packet(NULL, 0, data, size, NULL, &packet, &packet_size) != RP_STATUS_OK || packet_size < 8)
        abort();
    rp_free(NULL, packet);
    return 0;
}
