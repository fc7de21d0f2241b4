// What an embedder writes first, against the installed files: a denoiser, and an error that is told.
#include <reprise/denoise.h>

#include <stdio.h>

int main(void)
{
    float pixels[16 * 16 * 3] = {0};
    rp_error error;
    rp_denoiser *denoiser = NULL;
    rp_denoiser_desc desc = {.device = RP_DEVICE_CPU, .weights_directory = "/no such folder"};
    rp_status status = rp_denoiser_create(&desc, &denoiser, &error);
    if (status == RP_STATUS_OK) {
        rp_image image = {.data = pixels, .channels = 3};
        rp_denoise_desc work = {.width = 16, .height = 16, .hdr = true, .color = image, .output = image};
        status = rp_denoiser_run(denoiser, &work, &error);
    }
    printf("%s: %s\n", rp_status_name(status), error.message);
    rp_denoiser_destroy(&denoiser);
    return 0;
}
