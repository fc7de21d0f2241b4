// What the verbs of the command line share: exit codes, option parsing, messages.
#ifndef RP_CLI_CLI_H
#define RP_CLI_CLI_H

#include "reprise/oidn.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RP_VERSION "0.1.0"

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_WRONG_USAGE = 2 };

// ---- Verbs -------------------------------------------------------------------------------------------------------

// argv[0] is the verb's name; each returns an exit code.
int cli_denoise(int argc, char **argv, double process_begin);
int cli_record(int argc, char **argv, double process_begin);
int cli_replay(int argc, char **argv, double process_begin);
int cli_inspect(int argc, char **argv, double process_begin);
int cli_devices(int argc, char **argv, double process_begin);

// ---- Messages ----------------------------------------------------------------------------------------------------

// "reprise: …" and a new line on stderr. The first gives CLI_FAILED, the second CLI_WRONG_USAGE after pointing at
// "reprise VERB --help".
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_wrong(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

// ---- Options -----------------------------------------------------------------------------------------------------

typedef struct cli_option {
    const char *name;     // long, without the dashes
    char letter;          // short, or 0
    const char *argument; // what help calls its argument; NULL: it takes none
    const char *help;     // one line, or several with '\n'
} cli_option;

#define CLI_MAX_OPTIONS 32
enum { CLI_END = -1, CLI_ARGUMENT = -2, CLI_HELP = -3, CLI_WRONG = -4 };

typedef struct cli_parser {
    const char *verb;
    const char *synopsis; // behind "reprise VERB "
    const char *about;
    const cli_option *options;
    size_t option_count; // at most CLI_MAX_OPTIONS
    int argc;
    char **argv;
    bool started, ended;
} cli_parser;

// The next option's index in the table, with its argument in *value; CLI_ARGUMENT for a word that is no option (in
// *value); CLI_END; CLI_HELP after having printed the help; CLI_WRONG after having said what is wrong. Options and
// words may be mixed; "--" ends the options.
int cli_next(cli_parser *parser, const char **value);

// Argument values: false after having said what is wrong with `text`.
bool cli_parse_count(const char *verb, const char *option, const char *text, uint32_t least, uint32_t most,
                     uint32_t *value);
bool cli_parse_positive(const char *verb, const char *option, const char *text, float *value);
bool cli_parse_size(const char *verb, const char *option, const char *text, uint32_t *width, uint32_t *height);
// `names` ends with NULL; *value is the index.
bool cli_parse_choice(const char *verb, const char *option, const char *text, const char *const *names, int *value);

// Values of options that several verbs have, in the order of their enums.
extern const char *const cli_precision_names[];
extern const char *const cli_kernel_names[];
extern const char *const cli_edge_names[];

// False after having said why a file cannot be made at `path`: its folder is missing or not writable, or it is a
// folder itself.
bool cli_check_target(const char *path);

#endif
