// Making small TZA files for tests.
#ifndef TESTS_OIDN_BUILD_TZA_H
#define TESTS_OIDN_BUILD_TZA_H

#include "reprise/oidn.h"

#include <stddef.h>
#include <stdint.h>

enum { MAX_SPECS = 40 };

typedef struct tensor_spec {
    char name[40];
    uint32_t dimension_count; // 1 or 4
    uint32_t dimensions[4];
    char type; // 'f' or 'h'; every element is `value`
} tensor_spec;

typedef struct built_tza {
    uint8_t *bytes; // for free()
    size_t size, capacity;
    size_t table;
    size_t entries[MAX_SPECS]; // where each tensor's entry begins
} built_tza;

// Header, data of all tensors from byte 64 on, each element 1/64, then the table, which ends the file.
built_tza build_tza(const tensor_spec *specs, uint32_t count);

// The tensors of a network whose layers all have `channels` channels, in half precision; gives their number.
uint32_t network_specs(rp_topology topology, uint32_t input_channels, uint32_t channels, tensor_spec *specs);

// That network as a model.
rp_model *build_model(rp_topology topology, uint32_t input_channels, uint32_t channels);

#endif
