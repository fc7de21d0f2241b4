// The four packet functions: byte spans in, a packet out.
#include "base/bytes.h"
#include "base/error.h"
#include "oidn/config.h"

#include <string.h>

#define MAGIC_ERROR 0x4f525245u // "ERRO"
#define MAGIC_MODEL 0x4c444f4du // "MODL"

static rp_status hand_over(rp_writer *writer, uint8_t **packet, size_t *packet_size)
{
    if (writer->failed) {
        rp_writer_free(writer);
        return RP_STATUS_OUT_OF_MEMORY;
    }
    *packet = writer->bytes;
    *packet_size = writer->size;
    return RP_STATUS_OK;
}

rp_status rp_error_packet(const char *message, const rp_allocator *allocator, uint8_t **packet, size_t *packet_size)
{
    static const uint8_t padding[3] = {0};
    rp_writer writer = rp_writer_make(allocator);
    size_t length = strlen(message);
    if (length > UINT32_MAX - 3)
        return RP_STATUS_OUT_OF_MEMORY;
    rp_write_u32(&writer, MAGIC_ERROR);
    rp_write_u32(&writer, (uint32_t)length);
    rp_write_bytes(&writer, message, length);
    rp_write_bytes(&writer, padding, (4 - length % 4) % 4);
    return hand_over(&writer, packet, packet_size);
}

rp_status rp_inspect_model_packet(const void *tza, size_t tza_size, const rp_allocator *allocator, uint8_t **packet,
                                  size_t *packet_size)
{
    rp_model *model;
    rp_error error;
    rp_status status = rp_model_create(tza, tza_size, &(rp_model_desc){.allocator = allocator}, &model, &error);
    if (status != RP_STATUS_OK)
        return rp_error_packet(error.message, allocator, packet, packet_size);
    rp_writer writer = rp_writer_make(allocator);
    rp_write_u32(&writer, MAGIC_MODEL);
    rp_write_u32(&writer, 1);
    rp_write_u32(&writer, rp_model_get_info(model)->input_channels / 3);
    rp_model_destroy(&model);
    return hand_over(&writer, packet, packet_size);
}

typedef rp_status record_function(const rp_model *model, const rp_record_desc *desc, rp_program **program,
                                  rp_error *error);

static rp_status record_packet(const void *tza, size_t tza_size, const void *config, size_t config_size,
                               const rp_allocator *allocator, bool denoise, record_function *record, uint8_t **packet,
                               size_t *packet_size)
{
    rp_model *model = NULL;
    rp_program *program = NULL;
    rp_record_desc desc = {.allocator = allocator};
    rp_arena arena;
    rp_error error;
    rp_arena_init(&arena, allocator);
    rp_status status = rp_config_parse(config, config_size, denoise, &arena, &desc, &error);
    if (status == RP_STATUS_OK)
        status = rp_model_create(tza, tza_size, &(rp_model_desc){.allocator = allocator}, &model, &error);
    if (status == RP_STATUS_OK)
        status = record(model, &desc, &program, &error);
    if (status == RP_STATUS_OK)
        status = rp_program_serialize(program, allocator, packet, packet_size, &error);
    if (status != RP_STATUS_OK)
        status = rp_error_packet(error.message, allocator, packet, packet_size);
    rp_program_destroy(&program);
    rp_model_destroy(&model);
    rp_arena_free(&arena);
    return status;
}

rp_status rp_record_network_packet(const void *tza, size_t tza_size, const void *config, size_t config_size,
                                   const rp_allocator *allocator, uint8_t **packet, size_t *packet_size)
{
    return record_packet(tza, tza_size, config, config_size, allocator, false, rp_record_network, packet, packet_size);
}

rp_status rp_record_denoise_packet(const void *tza, size_t tza_size, const void *config, size_t config_size,
                                   const rp_allocator *allocator, uint8_t **packet, size_t *packet_size)
{
    return record_packet(tza, tza_size, config, config_size, allocator, true, rp_record_denoise, packet, packet_size);
}
