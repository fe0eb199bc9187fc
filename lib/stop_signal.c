// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/stop_signal.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came; /* the first signal that was caught; 0: none */

static void note_signal(int signal_nr)
{
	if (!came)
		came = signal_nr;
}

void stop_signal_catch(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	const struct sigaction note = {.sa_handler = note_signal};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &note, NULL);
}

bool stop_signal_came(void)
{
	return came != 0;
}

void stop_signal_end(void)
{
	if (!came)
		return;
	(void)signal(came, SIG_DFL);
	(void)raise(came);
}
