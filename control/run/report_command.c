// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/run/report_command.h"

#include "control/daemon/opcontrol_options.h"
#include "control/run/operf_options.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool same_folder(const char *a, const char *b)
{
	struct stat st_a;
	struct stat st_b;

	if (stat(a, &st_a) || stat(b, &st_b))
		return !strcmp(a, b);
	return st_a.st_dev == st_b.st_dev && st_a.st_ino == st_b.st_ino;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Quotes word for a shell. */
static void quote(const char *word, char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+:@%,";

	if (!word[strspn(word, plain)]) {
		(void)strcpy(text, word);
		return;
	}
	*text++ = '\'';
	for (; *word; word++) {
		/*
		 * A single quote becomes '\'' : the first ' ends the quoted text, \' stands for
		 * the single quote, and the last ' begins quoted text again.
		 */
		const char *part = *word == '\'' ? "'\\''" : (const char[]){*word, '\0'};

		text = stpcpy(text, part);
	}
	(void)strcpy(text, "'");
}

void report_command(const char *program, const char *session_dir, char *text)
{
	const char *usual =
		is_folder(OPERF_SESSION_DIR) ? OPERF_SESSION_DIR : OPCONTROL_SESSION_DIR;

	text = stpcpy(text, program);
	if (same_folder(session_dir, usual) || strlen(session_dir) >= PATH_MAX)
		return;
	text = stpcpy(text, " --session-dir=");
	quote(session_dir, text);
}
