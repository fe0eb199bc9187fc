// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/import_interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught; /* number of the signal that was caught; 0: none */

const struct source_note import_part_note = {
	"partial", "imported in part: the import was interrupted, or its input is damaged"};

static void note_signal(int signal)
{
	caught = signal;
}

void import_interrupt_catch(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	/* No SA_RESTART, so that an open() that blocks is also interrupted. */
	const struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESETHAND};

	caught = 0;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction before;

		if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &action, NULL);
	}
}

bool import_interrupted(void)
{
	return caught != 0;
}

int import_interrupt_tell(struct diag *diag)
{
	return diag_set(diag, -EINTR, "interrupted: nothing was imported");
}

void import_interrupt_end(void)
{
	if (!caught)
		return;
	(void)signal(caught, SIG_DFL);
	(void)raise(caught);
}
