// Ctrl-C at a safe place, and the progress bar: both hang on the denoiser's progress callback.
#ifndef RP_CLI_INTERRUPT_H
#define RP_CLI_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

// From here on SIGINT and SIGTERM are only noted; a second one ends the process at once.
void cli_interrupt_watch(void);
// As before, but further signals are noted too: for the time in which a file is written.
void cli_interrupt_hold(void);
// The signal that arrived, or 0.
int cli_interrupted(void);
// Ends the process by the signal that arrived, as a shell expects it, so that its loops end too (status 130 for
// SIGINT).
void cli_interrupt_finish(void);

typedef struct cli_progress {
    bool show;
    double begin;
    bool drawn;
} cli_progress;

// Ready for rp_denoise_desc.progress. A bar is drawn on a terminal only, for work that takes over half a second.
cli_progress cli_progress_begin(bool quiet);
bool cli_progress_step(void *progress, uint32_t done, uint32_t total);
// Takes the bar away.
void cli_progress_end(cli_progress *progress);

#endif
