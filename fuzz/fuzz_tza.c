// Weight files: reading, listing, freeing. Anything that is accepted must be safe to walk over.
#include "oidn/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rp_model *model;
    rp_error error;
    if (rp_model_create(data, size, NULL, &model, &error) != RP_STATUS_OK)
        return 0;
    char *text;
    size_t length;
    if (rp_model_describe(model, NULL, &text, &length, &error) == RP_STATUS_OK)
        rp_free(NULL, text);
    // The last element of every tensor lies inside the file.
    for (uint32_t i = 0; i < model->archive.tensor_count; i++)
        (void)rp_tza_value(&model->archive.tensors[i], model->archive.tensors[i].element_count - 1);
    rp_model_destroy(&model);
    return 0;
}
