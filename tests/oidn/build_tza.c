// The TZA writer of the tests, spelled out from docs/weights.md.
#include "build_tza.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(built_tza *file, uint64_t value, size_t bytes)
{
    if (bytes > file->capacity - file->size) {
        file->capacity = 2 * file->capacity + 4096;
        file->bytes = realloc(file->bytes, file->capacity);
        assert_non_null(file->bytes);
    }
    for (size_t i = 0; i < bytes; i++)
        file->bytes[file->size++] = (uint8_t)(value >> (8 * i));
}

static size_t elements(const tensor_spec *spec)
{
    size_t count = 1;
    for (uint32_t i = 0; i < spec->dimension_count; i++)
        count *= spec->dimensions[i];
    return count;
}

built_tza build_tza(const tensor_spec *specs, uint32_t count)
{
    built_tza file = {0};
    size_t offsets[MAX_SPECS];
    put(&file, 0x41d7, 2);
    put(&file, 2, 1);
    put(&file, 0, 1);
    put(&file, 0, 8);
    while (file.size < 64)
        put(&file, 0, 1);
    for (uint32_t i = 0; i < count; i++) {
        offsets[i] = file.size;
        for (size_t k = 0; k < elements(&specs[i]); k++)
            put(&file, specs[i].type == 'f' ? 0x3c800000 : 0x2400, specs[i].type == 'f' ? 4 : 2);
    }
    file.table = file.size;
    for (size_t i = 0; i < 8; i++)
        file.bytes[4 + i] = (uint8_t)((uint64_t)file.table >> (8 * i));
    put(&file, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        const tensor_spec *spec = &specs[i];
        file.entries[i] = file.size;
        put(&file, strlen(spec->name), 2);
        for (size_t k = 0; k < strlen(spec->name); k++)
            put(&file, (uint8_t)spec->name[k], 1);
        put(&file, spec->dimension_count, 1);
        for (uint32_t k = 0; k < spec->dimension_count; k++)
            put(&file, spec->dimensions[k], 4);
        for (uint32_t k = 0; k < spec->dimension_count; k++)
            put(&file, (uint8_t)(spec->dimension_count == 1 ? "x" : "oihw")[k], 1);
        put(&file, (uint8_t)spec->type, 1);
        put(&file, offsets[i], 8);
    }
    return file;
}

uint32_t network_specs(rp_topology topology, uint32_t input_channels, uint32_t channels, tensor_spec *specs)
{
    static const char *const names[2][20] = {
        {"enc_conv0", "enc_conv1", "enc_conv2", "enc_conv3", "enc_conv4", "enc_conv5a", "enc_conv5b", "dec_conv4a",
         "dec_conv4b", "dec_conv3a", "dec_conv3b", "dec_conv2a", "dec_conv2b", "dec_conv1a", "dec_conv1b", "dec_conv0"},
        {"enc_conv1a", "enc_conv1b", "enc_conv2a", "enc_conv2b", "enc_conv3a", "enc_conv3b", "enc_conv4a", "enc_conv4b",
         "enc_conv5a", "enc_conv5b", "dec_conv4a", "dec_conv4b", "dec_conv3a", "dec_conv3b", "dec_conv2a", "dec_conv2b",
         "dec_conv1a", "dec_conv1b", "dec_conv1c"}};
    uint32_t count = 0;
    for (uint32_t i = 0; names[topology][i]; i++) {
        const char *name = names[topology][i];
        uint32_t inputs = i == 0                                           ? input_channels
                          : strcmp(name, "dec_conv1a") == 0                ? channels + input_channels
                          : strncmp(name, "dec", 3) == 0 && name[9] == 'a' ? 2 * channels
                                                                           : channels;
        uint32_t outputs = names[topology][i + 1] ? channels : 3;
        specs[count] = (tensor_spec){.dimension_count = 4, .dimensions = {outputs, inputs, 3, 3}, .type = 'h'};
        snprintf(specs[count++].name, sizeof specs->name, "%s.weight", name);
        specs[count] = (tensor_spec){.dimension_count = 1, .dimensions = {outputs}, .type = 'h'};
        snprintf(specs[count++].name, sizeof specs->name, "%s.bias", name);
    }
    return count;
}

rp_model *build_model(rp_topology topology, uint32_t input_channels, uint32_t channels)
{
    tensor_spec specs[MAX_SPECS];
    built_tza file = build_tza(specs, network_specs(topology, input_channels, channels, specs));
    rp_model *model = NULL;
    rp_error error;
    if (rp_model_create(file.bytes, file.size, NULL, &model, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    free(file.bytes);
    return model;
}
