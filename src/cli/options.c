// Option parsing over getopt_long: one table gives parsing and help, and messages say what was expected.
#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 26
#define FIRST_OPTION 1000 // getopt's value for options[0], above every letter

const char *const cli_precision_names[] = {"auto", "fp32", "fp16", NULL};
const char *const cli_kernel_names[] = {"auto", "implicit-gemm", "direct", "subgroup-matrix", NULL};
const char *const cli_edge_names[] = {"repeat", "zero", NULL};

static void print_help(const cli_parser *parser)
{
    printf("Usage: reprise %s %s\n\n%s\n\n", parser->verb, parser->synopsis, parser->about);
    for (size_t i = 0; i <= parser->option_count; i++) {
        static const cli_option help = {"help", 'h', NULL, "print this"};
        const cli_option *option = i < parser->option_count ? &parser->options[i] : &help;
        char left[80];
        char letter[8] = "    ";
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        int width = snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
                             option->argument ? option->argument : "");
        printf("%-*s", HELP_COLUMN, left);
        if (width >= HELP_COLUMN)
            printf("\n%*s", HELP_COLUMN, "");
        for (const char *line = option->help; *line;) {
            size_t length = strcspn(line, "\n");
            printf("%.*s\n", (int)length, line);
            line += length + (line[length] == '\n');
            if (*line)
                printf("%*s", HELP_COLUMN, "");
        }
    }
}

// Edits (insert, delete, replace) that turn a into b; words longer than the row count as far away.
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[64];
    size_t a_length = strlen(a), b_length = strlen(b);
    if (b_length + 1 > sizeof row / sizeof *row)
        return SIZE_MAX;
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t shifted = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = replaced < shifted ? replaced : shifted;
        }
    }
    return row[b_length];
}

static int unknown_option(const cli_parser *parser, const char *text)
{
    if (text[0] != '-' || text[1] != '-') {
        cli_wrong(parser->verb, "unknown option '-%c'", optopt ? optopt : text[1]);
        return CLI_WRONG;
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    const char *nearest = NULL;
    size_t least = strlen(word) / 3 + 2;
    size_t prefixed = 0;
    for (size_t i = 0; i < parser->option_count; i++) {
        const char *name = parser->options[i].name;
        if (strcmp(name, word) == 0) {
            cli_wrong(parser->verb, "--%s takes no argument", name);
            return CLI_WRONG;
        }
        prefixed += strncmp(name, word, strlen(word)) == 0;
        size_t distance = edit_distance(word, name);
        if (distance < least) {
            least = distance;
            nearest = name;
        }
    }
    if (prefixed > 1)
        cli_wrong(parser->verb, "option '--%s' is ambiguous", word);
    else if (nearest)
        cli_wrong(parser->verb, "unknown option '--%s'; did you mean '--%s'?", word, nearest);
    else
        cli_wrong(parser->verb, "unknown option '--%s'", word);
    return CLI_WRONG;
}

int cli_next(cli_parser *parser, const char **value)
{
    struct option options[CLI_MAX_OPTIONS + 2] = {{0}};
    char letters[2 * CLI_MAX_OPTIONS + 8] = "-:h"; // words come in order as the value 1; a missing argument as ':'
    size_t letter_count = strlen(letters);
    for (size_t i = 0; i < parser->option_count; i++) {
        const cli_option *option = &parser->options[i];
        options[i] = (struct option){option->name, option->argument ? required_argument : no_argument, NULL,
                                     FIRST_OPTION + (int)i};
        if (option->letter)
            letters[letter_count++] = option->letter;
        if (option->letter && option->argument)
            letters[letter_count++] = ':';
    }
    options[parser->option_count] = (struct option){"help", no_argument, NULL, 'h'};
    if (!parser->started) {
        optind = 1;
        opterr = 0;
        parser->started = true;
    }
    optopt = 0;
    int at = optind;
    int result = parser->ended ? -1 : getopt_long(parser->argc, parser->argv, letters, options, NULL);
    *value = optarg;
    if (result == 'h') {
        print_help(parser);
        return CLI_HELP;
    }
    if (result == 1)
        return CLI_ARGUMENT;
    if (result >= FIRST_OPTION)
        return result - FIRST_OPTION;
    if (result == -1) {
        // What follows "--" is words, whatever it begins with.
        parser->ended = true;
        if (optind >= parser->argc)
            return CLI_END;
        *value = parser->argv[optind++];
        return CLI_ARGUMENT;
    }
    if (result == ':') {
        cli_wrong(parser->verb, "option '%s' needs an argument", parser->argv[optind - 1]);
        return CLI_WRONG;
    }
    for (size_t i = 0; result != '?' && i < parser->option_count; i++)
        if (parser->options[i].letter == result)
            return (int)i;
    return unknown_option(parser, parser->argv[optind > at ? optind - 1 : at]);
}

bool cli_parse_count(const char *verb, const char *option, const char *text, uint32_t least, uint32_t most,
                     uint32_t *value)
{
    char *end = NULL;
    errno = 0;
    unsigned long long number = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    if (!end || *end || errno || number < least || number > most) {
        cli_wrong(verb, "--%s: '%s' is not a whole number from %u to %u", option, text, least, most);
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

bool cli_parse_positive(const char *verb, const char *option, const char *text, float *value)
{
    char *end = NULL;
    float number = strtof(text, &end);
    if (end == text || *end || !isfinite(number) || !(number > 0.0f)) {
        cli_wrong(verb, "--%s: '%s' is not a number above 0", option, text);
        return false;
    }
    *value = number;
    return true;
}

bool cli_parse_size(const char *verb, const char *option, const char *text, uint32_t *width, uint32_t *height)
{
    char *end = NULL;
    unsigned long long across = 0, down = 0;
    errno = 0;
    if (isdigit((unsigned char)text[0]))
        across = strtoull(text, &end, 10);
    if (end && (*end == 'x' || *end == 'X') && isdigit((unsigned char)end[1]))
        down = strtoull(end + 1, &end, 10);
    if (!end || *end || errno || across < 1 || down < 1 || across > UINT32_MAX || down > UINT32_MAX) {
        cli_wrong(verb, "--%s: '%s' is not a size like 1280x720", option, text);
        return false;
    }
    *width = (uint32_t)across;
    *height = (uint32_t)down;
    return true;
}

bool cli_parse_choice(const char *verb, const char *option, const char *text, const char *const *names, int *value)
{
    char list[160] = "";
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], text) == 0) {
            *value = i;
            return true;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : names[i + 1] ? ", " : " or ", names[i]);
    }
    cli_wrong(verb, "--%s: '%s' is not %s", option, text, list);
    return false;
}
