// All that a renderer needs to denoise its own buffers.
#include "denoise.h"

#include <reprise/denoise.h>
#include <stdio.h>

static rp_image rgb(const float *pixels)
{
    // The library only reads its inputs; rp_image serves outputs too and so has no const.
    return (rp_image){.data = (void *)(uintptr_t)pixels, .channels = 3};
}

bool denoise_image(uint32_t width, uint32_t height, const float *color, const float *albedo, const float *normal,
                   float *output, uint32_t thread_count)
{
    rp_error error;
    rp_denoiser *denoiser = NULL;
    rp_denoiser_desc settings = {.thread_count = thread_count};
    rp_denoise_desc desc = {.width = width,
                            .height = height,
                            .hdr = true,
                            .color = rgb(color),
                            .albedo = rgb(albedo),
                            .normal = rgb(normal),
                            .output = rgb(output)};
    rp_status status = rp_denoiser_create(&settings, &denoiser, &error);
    if (status == RP_STATUS_OK)
        status = rp_denoiser_run(denoiser, &desc, &error);
    if (status == RP_STATUS_OK) {
        rp_denoise_report report = rp_denoiser_get_report(denoiser);
        printf("denoised on %s in %.2f s\n", rp_denoiser_device(denoiser), report.prepare_seconds + report.run_seconds);
    } else {
        fprintf(stderr, "pathtracer: denoising: %s\n", error.message);
    }
    rp_denoiser_destroy(&denoiser);
    return status == RP_STATUS_OK;
}
