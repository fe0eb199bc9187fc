// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/watch.h"

#include "control/daemon/daemon_start.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * SIGCHLD must be the last element, because watch_catch_signals() gives it another handler: SIGCHLD
 * ends the wait in sigsuspend(), but does not end the profile.
 */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGCHLD};
#define NR_SIGNALS (sizeof(signals) / sizeof(signals[0]))

static volatile sig_atomic_t asked_to_end;

static void note_signal(int signal_number)
{
	if (signal_number != SIGALRM || !asked_to_end)
		asked_to_end = signal_number;
}

int watch_signal(void)
{
	return asked_to_end == SIGALRM ? 0 : asked_to_end;
}

/* Does nothing: catching the signal ends sigsuspend(). */
static void notice_child(int signal_number)
{
	(void)signal_number;
}

int watch_daemon(pid_t daemon, unsigned int seconds, struct diag *diag)
{
	int status = 0;
	sigset_t wanted;
	sigset_t before;

	(void)sigemptyset(&wanted);
	for (unsigned int i = 0; i < NR_SIGNALS; i++)
		(void)sigaddset(&wanted, signals[i]);
	/*
	 * The signals are blocked except in sigsuspend(), so that none can arrive between the check
	 * and the wait.
	 */
	(void)sigprocmask(SIG_BLOCK, &wanted, &before);
	/*
	 * This process may have inherited blocked signals, so the signals are unblocked during the
	 * wait. It may also have inherited an alarm, which then ends the profile.
	 */
	for (unsigned int i = 0; i < NR_SIGNALS; i++)
		(void)sigdelset(&before, signals[i]);
	if (seconds)
		(void)alarm(seconds);
	while (!asked_to_end) {
		pid_t ended = waitpid(daemon, &status, WNOHANG);

		if (ended)
			return ended < 0 ? diag_set(diag, -errno, "cannot wait for the daemon: %s",
						    strerror(errno))
					 : daemon_judge_status(status, diag);
		(void)sigsuspend(&before);
	}
	return daemon_end(daemon, diag);
}

void watch_catch_signals(void)
{
	struct sigaction end = {.sa_handler = note_signal};
	struct sigaction look = {.sa_handler = notice_child};

	struct sigaction before;

	for (unsigned int i = 0; i < NR_SIGNALS - 1; i++) {
		/* Under nohup, closing the terminal must not end the profile. */
		if (signals[i] == SIGHUP && !sigaction(SIGHUP, NULL, &before) &&
		    before.sa_handler == SIG_IGN)
			continue;
		(void)sigaction(signals[i], &end, NULL);
	}
	(void)sigaction(SIGCHLD, &look, NULL);
}
