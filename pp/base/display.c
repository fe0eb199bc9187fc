// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/display.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int color_when_parse(const char *text, enum color_when *when, struct diag *diag)
{
	static const char *const names[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i])) {
			*when = (enum color_when)i;
			return 0;
		}
	return diag_set(diag, -EINVAL, "--color: \"%s\" is not one of auto, always, never", text);
}

/* Returns the value of COLUMNS, or 0 if it is not set or not a number. */
static long environment_width(void)
{
	const char *text = getenv("COLUMNS");
	char *end;
	long width;

	if (!text)
		return 0;
	errno = 0;
	width = strtol(text, &end, 10);
	return errno || *end || width < 0 ? 0 : width;
}

/* Returns the width of the terminal fd; 0 if fd is not a terminal or if the width is unknown. */
static long terminal_width(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

static int find_width(int fd)
{
	long width = environment_width();

	if (!width)
		width = terminal_width(fd);
	if (!width)
		width = terminal_width(STDERR_FILENO);
	if (!width)
		width = DISPLAY_WIDTH_DEFAULT;
	if (width < DISPLAY_WIDTH_MIN)
		return DISPLAY_WIDTH_MIN;
	return width > DISPLAY_WIDTH_MAX ? DISPLAY_WIDTH_MAX : (int)width;
}

static bool has_colors(int fd)
{
	const char *type = getenv("TERM");
	const char *none = getenv("NO_COLOR");

	return isatty(fd) && type && *type && strcmp(type, "dumb") != 0 && (!none || !*none);
}

void display_find(struct display *display, int fd, enum color_when when)
{
	display->width = find_width(fd);
	display->colors = when == COLOR_ALWAYS || (when == COLOR_AUTO && has_colors(fd));
}
