// Names of usages, labels and buffers, short enough for a message.
#include "program/names.h"

#include <stdio.h>
#include <string.h>

const char *rp_name_usage(uint32_t usage, char name[RP_USAGE_NAME_SIZE])
{
    static const char *const bits[] = {"MAP_READ", "MAP_WRITE", "COPY_SRC", "COPY_DST", "INDEX",
                                       "VERTEX",   "UNIFORM",   "STORAGE",  "INDIRECT", "QUERY_RESOLVE"};
    size_t used = 0;
    name[0] = '\0';
    for (uint32_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (usage >> i & 1)
            used += (size_t)snprintf(name + used, RP_USAGE_NAME_SIZE - used, "%s%s", used ? "|" : "", bits[i]);
    uint32_t unknown = usage & ~RP_USAGE_ALL;
    if (unknown)
        snprintf(name + used, RP_USAGE_NAME_SIZE - used, "%s0x%x", used ? "|" : "", unknown);
    else if (!used)
        snprintf(name, RP_USAGE_NAME_SIZE, "0");
    return name;
}

bool rp_is_control(const char *text, size_t left)
{
    unsigned char c = (unsigned char)text[0];
    return c < 0x20 || c == 0x7f || (c == 0xc2 && left > 1 && (unsigned char)text[1] < 0xa0);
}

const char *rp_name_text(const char *text, size_t length, char *name, size_t size)
{
    size_t kept = length < size - 1 ? length : size - 1;
    // Not in the middle of a character: what follows the cut must not be a continuation byte.
    while (kept < length && kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80)
        kept--;
    size_t used = 0;
    for (size_t i = 0; i < kept; i++) {
        bool control = rp_is_control(text + i, kept - i);
        i += control && (unsigned char)text[i] == 0xc2;
        name[used++] = control ? '?' : text[i];
    }
    name[used] = '\0';
    return name;
}

const char *rp_name_buffer(const rp_program_buffer *buffer, uint32_t id, char name[RP_BUFFER_NAME_SIZE])
{
    char label[RP_TEXT_NAME_SIZE];
    if (buffer->label.size)
        snprintf(name, RP_BUFFER_NAME_SIZE, "buffer %u ('%s')", id,
                 rp_name_text(buffer->label.data, buffer->label.size, label, sizeof label));
    else
        snprintf(name, RP_BUFFER_NAME_SIZE, "buffer %u", id);
    return name;
}
