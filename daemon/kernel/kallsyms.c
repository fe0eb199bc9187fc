// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/kernel/kallsyms.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_BYTES 65536

bool kallsyms_is_made(const char *module)
{
	return !strcmp(module, "bpf") || !strncmp(module, "__builtin__", 11);
}

/* Parses a line "ADDRESS TYPE NAME\t[MODULE]\n". */
static bool line_parse(char *line, struct kallsym *symbol)
{
	static char none[] = "";
	char *next, *end;

	symbol->address = strtoull(line, &next, 16);
	if (next == line || next[0] != ' ' || !next[1] || next[2] != ' ')
		return false;
	symbol->type = next[1];
	next += 3;
	symbol->name = next;
	symbol->module = none;
	end = next + strcspn(next, "\t\n");
	if (*end == '\t' && end[1] == '[') {
		symbol->module = end + 2;
		end[2 + strcspn(end + 2, "]\n")] = '\0';
	}
	*end = '\0';
	return end != next;
}

/*
 * Returns whether the symbol is a function or _etext, which some kernels list as data: "D _etext"
 * on arm64, Linux 6.12.
 */
static bool is_code(const struct kallsym *symbol)
{
	return strchr("tTwW", symbol->type) || !strcmp(symbol->name, "_etext");
}

static int walk(FILE *file, int (*visit)(const struct kallsym *symbol, void *context),
		void *context)
{
	char *line = NULL;
	size_t room = 0;
	bool shown = false;
	int error = 0;

	while (!error && getline(&line, &room, file) > 0) {
		struct kallsym symbol;

		if (!line_parse(line, &symbol) || !is_code(&symbol) || !symbol.address)
			continue;
		shown = true;
		error = visit(&symbol, context);
	}
	if (!error && ferror(file))
		error = -EIO;
	free(line);
	return error || shown ? error : -EACCES;
}

int kallsyms_walk(const char *proc_path, int (*visit)(const struct kallsym *symbol, void *context),
		  void *context)
{
	char path[PATH_MAX];
	FILE *file;
	int error;

	if (snprintf(path, sizeof(path), "%s/kallsyms", proc_path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	file = fopen(path, "re");
	if (!file)
		return -errno;
	/*
	 * Use a buffer of READ_BYTES: the kernel returns 4 KB per read, but stdio would read only 1
	 * KB at a time from /proc.
	 */
	(void)setvbuf(file, NULL, _IOFBF, READ_BYTES);
	error = walk(file, visit, context);
	(void)fclose(file);
	return error;
}
