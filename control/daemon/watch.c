// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/watch.h"

#include "control/daemon/daemon_start.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t asked_to_end;

static void note_signal(int signal_number)
{
	asked_to_end = signal_number;
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
	(void)sigaddset(&wanted, SIGINT);
	(void)sigaddset(&wanted, SIGTERM);
	(void)sigaddset(&wanted, SIGHUP);
	(void)sigaddset(&wanted, SIGQUIT);
	(void)sigaddset(&wanted, SIGALRM);
	(void)sigaddset(&wanted, SIGCHLD);
	/* Blocked except in sigsuspend(): none can arrive between the check and the wait. */
	(void)sigprocmask(SIG_BLOCK, &wanted, &before);
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
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGCHLD};
	struct sigaction end = {.sa_handler = note_signal};
	struct sigaction look = {.sa_handler = notice_child};

	struct sigaction before;

	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]) - 1; i++) {
		/* Under nohup, closing the terminal must not end anything. */
		if (signals[i] == SIGHUP && !sigaction(SIGHUP, NULL, &before) &&
		    before.sa_handler == SIG_IGN)
			continue;
		(void)sigaction(signals[i], &end, NULL);
	}
	(void)sigaction(SIGCHLD, &look, NULL);
}
