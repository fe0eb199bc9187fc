// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What test_taken_over.sh needs in addition to the preloaded library:
 *   taken_over_main victims FOLDER UID	start the processes that are attacked, and stay
 *   taken_over_main terminal FOLDER COMMAND...	run the command on the terminal that is attacked
 *   taken_over_main make FILE	make the file for the answers
 *   taken_over_main show FILE	print it, "PROCESS CALL ANSWER" on each line
 */
#define _GNU_SOURCE
#include "taken_over.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void __attribute__((noreturn)) fail(const char *what)
{
	(void)fprintf(stderr, "taken_over_main: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- what is attacked ---- */

static void make_secret(void)
{
	void *page = mmap((void *)TAKEN_ADDRESS, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (page != (void *)TAKEN_ADDRESS)
		fail("mmap");
	memcpy(page, TAKEN_SECRET, TAKEN_SECRET_BYTES);
}

static void make_socket(void)
{
	const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = VICTIM_SOCKET};
	const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) ||
	    chmod(VICTIM_SOCKET, 0600))
		fail("socket");
}

static void make_terminal(void)
{
	const int fd = posix_openpt(O_RDWR | O_NOCTTY);

	if (fd < 0 || grantpt(fd) || unlockpt(fd) || symlink(ptsname(fd), VICTIM_TERMINAL))
		fail("terminal");
}

/*
 * Starts a process that other processes may try to end. It is never waited for: when it has ended,
 * its number stays, and kill() still checks the permission.
 */
static pid_t start_killed(uid_t user)
{
	const pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid)
		return pid;
	(void)signal(SIGTERM, SIG_IGN);
	if (setresgid(user, user, user) || setresuid(user, user, user) ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	for (;;)
		(void)pause();
}

static int victims(const char *folder, const char *user)
{
	FILE *file;

	if (chdir(folder))
		fail(folder);
	make_secret();
	make_socket();
	make_terminal();
	file = fopen(VICTIM_PIDS ".new", "w");
	if (!file ||
	    fprintf(file, "%d %d %d\n", (int)getpid(), (int)start_killed(0),
		    (int)start_killed((uid_t)strtoul(user, NULL, 10))) < 0 ||
	    fclose(file) || rename(VICTIM_PIDS ".new", VICTIM_PIDS))
		fail(VICTIM_PIDS);
	for (;;)
		(void)pause();
}

static int terminal(const char *folder, char **command)
{
	char path[4096];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/" VICTIM_TERMINAL, folder);
	fd = open(path, O_RDWR | O_NOCTTY);
	if (setsid() < 0 || fd < 0 || ioctl(fd, TIOCSCTTY, 0))
		fail(path);
	(void)close(fd);
	(void)signal(SIGHUP, SIG_IGN);
	(void)execvp(command[0], command);
	fail(command[0]);
}

/* ---- the answers ---- */

static int make(const char *path)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(struct taken_file)))
		fail(path);
	return 0;
}

static void show_answer(int answer)
{
	switch (answer) {
	case TAKEN_NOT_TRIED:
		(void)puts("not-tried");
		return;
	case TAKEN_YES:
		(void)puts("yes");
		return;
	case TAKEN_BEGUN:
		(void)puts("no-answer");
		return;
	case TAKEN_NO_END:
		(void)puts("no-end");
		return;
	case TAKEN_NOT_ACT:
		(void)puts("not-confined");
		return;
	default:
		break;
	}
	if (answer == TAKEN_KILLED + SIGSYS)
		(void)puts("killed");
	else if (answer > TAKEN_KILLED)
		(void)printf("SIG%s\n", sigabbrev_np(answer - TAKEN_KILLED));
	else
		(void)puts(strerrorname_np(answer));
}

/* Prints the lines of /proc/PID/status that show the rights of the process. */
static void show_status(const char *process, char *status)
{
	static const char *const names[] = {
		"Uid:", "Gid:", "Groups:", "CapEff:", "CapPrm:", "Seccomp:"};

	for (char *line = strtok(status, "\n"); line; line = strtok(NULL, "\n"))
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strncmp(line, names[i], strlen(names[i])))
				(void)printf("%s %s\n", process, line);
}

static int show(const char *path)
{
	static const char *const processes[] = TAKEN_PROCESS_TEXTS, *const calls[] =
									    TAKEN_CALL_TEXTS;
	static struct taken_file file;
	const int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, &file, sizeof(file)) != sizeof(file))
		fail(path);
	for (int i = 0; i < NR_TAKEN_PROCESSES; i++) {
		struct taken_result *result = &file.results[i];

		if (!result->is_done)
			continue;
		show_status(processes[i], result->status);
		for (int call = TAKEN_STATUS; call < NR_TAKEN_CALLS; call++) {
			(void)printf("%s %s ", processes[i], calls[call]);
			show_answer(result->answers[call]);
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "victims"))
		return victims(argv[2], argv[3]);
	if (argc > 3 && !strcmp(argv[1], "terminal"))
		return terminal(argv[2], argv + 3);
	if (argc == 3 && !strcmp(argv[1], "make"))
		return make(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "show"))
		return show(argv[2]);
	(void)fputs("usage: see the source\n", stderr);
	return 2;
}
