// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/module/module_tool.h"

#include "control/base/tool_path.h"
#include "lib/key_value.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_BYTES	4096
#define STATUS_NOT_RUN	126
#define NR_WORDS_BESIDE 3 /* the program's name, --lines and the NULL at the end */

/* Makes text a single line, as files and terminals require. */
static void one_line(char *text)
{
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
}

void module_answer_refuse(struct module_answer *answer, const char *remedy, const char *format, ...)
{
	va_list args;

	answer->works = false;
	(void)snprintf(answer->remedy, sizeof(answer->remedy), "%s", remedy);
	va_start(args, format);
	(void)vsnprintf(answer->reason, sizeof(answer->reason), format, args);
	va_end(args);
	one_line(answer->reason);
	one_line(answer->remedy);
}

/* Called in the child; does not return. */
static void become_tool(const char *program, const char *const *words, int answer_fd)
{
	const char *all[MODULE_TOOL_NR_MAX + NR_WORDS_BESIDE] = {MODULE_TOOL};
	size_t nr = 1;

	while (nr <= MODULE_TOOL_NR_MAX && words[nr - 1]) {
		all[nr] = words[nr - 1];
		nr++;
	}
	all[nr] = "--lines";
	(void)dup2(answer_fd, STDOUT_FILENO);
	/* The cast drops const, as execv()'s prototype requires; the words are not modified. */
	(void)execv(program, (char *const *)(uintptr_t)all);
	(void)dprintf(STDOUT_FILENO, "reason cannot run %s: %s\n", program, strerror(errno));
	_exit(STATUS_NOT_RUN);
}

/* Reads up to the end, so that the writer never blocks, and keeps the part that fits into text. */
static void read_answer(int fd, char text[ANSWER_BYTES])
{
	char rest[ANSWER_BYTES];
	size_t used = 0;
	ssize_t nr;

	do {
		bool room = used < ANSWER_BYTES - 1;

		nr = room ? read(fd, text + used, ANSWER_BYTES - 1 - used)
			  : read(fd, rest, sizeof(rest));
		if (nr > 0 && room)
			used += (size_t)nr;
	} while (nr > 0 || (nr < 0 && errno == EINTR));
	text[used] = '\0';
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return status;
}

/* Interprets the script's output and exit status. */
static void judge(struct module_answer *answer, const char *text, int status)
{
	char reason[MODULE_TEXT_BYTES] = "";
	char remedy[MODULE_TEXT_BYTES] = "";

	answer->works = WIFEXITED(status) && !WEXITSTATUS(status);
	if (answer->works) {
		if (!key_value_find(text, "path", answer->path, sizeof(answer->path)))
			answer->path[0] = '\0';
		return;
	}
	(void)key_value_find(text, "remedy", remedy, sizeof(remedy));
	if (key_value_find(text, "reason", reason, sizeof(reason)))
		module_answer_refuse(answer, remedy, "%s", reason);
	else if (WIFSIGNALED(status))
		module_answer_refuse(answer, "", MODULE_TOOL " was killed by signal %d",
				     WTERMSIG(status));
	else
		module_answer_refuse(answer, "", MODULE_TOOL " failed without reporting a reason");
}

void module_tool_run_program(const char *program, const char *const *words,
			     struct module_answer *answer)
{
	char text[ANSWER_BYTES];
	int answer_fds[2];
	pid_t pid;

	memset(answer, 0, sizeof(*answer));
	if (pipe2(answer_fds, O_CLOEXEC)) {
		module_answer_refuse(answer, "", "cannot make a pipe: %s", strerror(errno));
		return;
	}
	(void)fflush(NULL);
	pid = fork();
	if (!pid)
		become_tool(program, words, answer_fds[1]);
	(void)close(answer_fds[1]);
	if (pid < 0) {
		module_answer_refuse(answer, "", "cannot start a process: %s", strerror(errno));
	} else {
		read_answer(answer_fds[0], text);
		judge(answer, text, wait_for(pid));
	}
	(void)close(answer_fds[0]);
}

void module_tool_run(const char *const *words, struct module_answer *answer)
{
	char program[PATH_MAX];

	memset(answer, 0, sizeof(*answer));
	if (tool_path_find(MODULE_TOOL, program, sizeof(program)))
		module_answer_refuse(answer, "install all of oprof: make install",
				     "cannot find " MODULE_TOOL
				     " in this program's folder or in %s",
				     OPROF_LIBEXEC_DIR);
	else
		module_tool_run_program(program, words, answer);
}
