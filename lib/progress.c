// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/progress.h"

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/utf8.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FIRST_NS    1000000000ull /* jobs shorter than this show no line */
#define INTERVAL_NS 100000000ull

/* Moves the cursor to the start of the line and clears the line. */
static const char progress_clear[] = "\r\033[K";

void progress_begin(struct progress *progress, const char *job, size_t nr_total)
{
	*progress = (struct progress){.job = job, .nr_total = nr_total, .fd = -1};
	if (!isatty(STDERR_FILENO))
		return;
	progress->fd = STDERR_FILENO;
	progress->next_ns = clock_monotonic_ns() + FIRST_NS;
}

void progress_step(struct progress *progress, size_t nr_done, const char *name)
{
	char shown[41], line[100];
	uint64_t now_ns;
	int nr;

	if (progress->fd < 0)
		return;
	now_ns = clock_monotonic_ns();
	if (now_ns < progress->next_ns)
		return;
	progress->next_ns = now_ns + INTERVAL_NS;
	/* The text is short, because a line that wraps cannot be cleared. */
	(void)snprintf(shown, sizeof(shown), "%s", name ? name : "");
	utf8_mask(shown, "");
	nr = snprintf(line, sizeof(line), "%s%s %zu/%zu %s", progress_clear, progress->job, nr_done,
		      progress->nr_total, shown);
	if (nr <= 0)
		return;
	if ((size_t)nr >= sizeof(line))
		nr = (int)sizeof(line) - 1;
	if (file_write_all(progress->fd, line, (size_t)nr))
		progress->fd = -1;
	progress->drawn = true;
}

void progress_end(struct progress *progress)
{
	if (progress->drawn && progress->fd >= 0)
		(void)file_write_all(progress->fd, progress_clear, strlen(progress_clear));
	progress->drawn = false;
}
