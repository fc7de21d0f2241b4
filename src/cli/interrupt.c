// Signals and the progress bar. The one variable of the process that a signal handler may write is here.
#include "cli/interrupt.h"

#include "denoise/clock.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR_WIDTH 40
#define SHOW_AFTER_SECONDS 0.5

static volatile sig_atomic_t arrived;

static void note_signal(int number)
{
    arrived = number;
}

static void install(int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void cli_interrupt_watch(void)
{
    install((int)(SA_RESTART | SA_RESETHAND));
}

void cli_interrupt_hold(void)
{
    install(SA_RESTART);
}

int cli_interrupted(void)
{
    return arrived;
}

void cli_interrupt_finish(void)
{
    if (!arrived)
        return;
    signal(arrived, SIG_DFL);
    raise(arrived);
}

cli_progress cli_progress_begin(bool quiet)
{
    return (cli_progress){.show = !quiet && isatty(STDERR_FILENO), .begin = rp_clock_seconds()};
}

bool cli_progress_step(void *user, uint32_t done, uint32_t total)
{
    cli_progress *progress = user;
    if (arrived)
        return false;
    if (!progress->show || rp_clock_seconds() - progress->begin < SHOW_AFTER_SECONDS || done >= total)
        return true;
    uint32_t filled = (uint32_t)((uint64_t)done * BAR_WIDTH / total);
    char bar[BAR_WIDTH + 1];
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', filled);
    bar[BAR_WIDTH] = 0;
    fprintf(stderr, "\r[%s] %3u%%, tile %u of %u", bar, (uint32_t)((uint64_t)done * 100 / total), done, total);
    fflush(stderr);
    progress->drawn = true;
    return true;
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}
