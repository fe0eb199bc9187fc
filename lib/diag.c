// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/diag.h"

#include "lib/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef diag_set /* diag.h defines diag_set and diag_set_at as macros for the static analyser */
#undef diag_set_at

void diag_clear(struct diag *diag)
{
	if (!diag)
		return;
	diag->file[0] = '\0';
	diag->line = 0;
	diag->text[0] = '\0';
}

/* Formats into a buffer first, since args may include the old text of the same diag. */
__attribute__((format(printf, 2, 0))) static void diag_format(struct diag *diag, const char *format,
							      va_list args)
{
	char text[DIAG_TEXT_BYTES];

	(void)vsnprintf(text, sizeof(text), format, args);
	memcpy(diag->text, text, sizeof(text));
}

int diag_set(struct diag *diag, int error, const char *format, ...)
{
	va_list args;

	if (!diag)
		return error;
	va_start(args, format);
	diag_format(diag, format, args);
	va_end(args);
	diag->file[0] = '\0';
	diag->line = 0;
	return error;
}

int diag_set_at(struct diag *diag, int error, const char *file, unsigned int line,
		const char *format, ...)
{
	char name[DIAG_FILE_BYTES];
	va_list args;

	if (!diag)
		return error;
	(void)snprintf(name, sizeof(name), "%s", file ? file : "");
	va_start(args, format);
	diag_format(diag, format, args);
	va_end(args);
	memcpy(diag->file, name, sizeof(name));
	diag->line = line;
	return error;
}

int diag_first(int first, int second, const struct diag *second_diag, struct diag *diag)
{
	if (!first && second && diag)
		*diag = *second_diag;
	return first ? first : second;
}

const char *diag_show(const struct diag *diag)
{
	static __thread char shown[DIAG_FILE_BYTES + DIAG_TEXT_BYTES + 16];

	if (!diag || !diag->text[0])
		return "unknown error";
	if (diag->file[0] && diag->line)
		(void)snprintf(shown, sizeof(shown), "%s:%u: %s", diag->file, diag->line,
			       diag->text);
	else if (diag->file[0])
		(void)snprintf(shown, sizeof(shown), "%s: %s", diag->file, diag->text);
	else
		(void)snprintf(shown, sizeof(shown), "%s", diag->text);
	utf8_mask(shown, ""); /* the text may quote untrusted input */
	return shown;
}
