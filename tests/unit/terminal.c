// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/terminal.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 30000

/* ---- what would be seen ---- */

static void clear_cells(struct terminal *terminal, int y, int from, int to)
{
	for (int x = from; x < to && x < terminal->columns; x++)
		terminal->cells[y][x] = ' ';
}

static void clear_all(struct terminal *terminal)
{
	for (int y = 0; y < TERMINAL_LINES_MAX; y++) {
		memset(terminal->cells[y], ' ', TERMINAL_COLUMNS_MAX);
		terminal->cells[y][TERMINAL_COLUMNS_MAX] = '\0';
	}
}

static void move_to(struct terminal *terminal, int y, int x)
{
	terminal->y = y < 0 ? 0 : y >= terminal->lines ? terminal->lines - 1 : y;
	terminal->x = x < 0 ? 0 : x >= terminal->columns ? terminal->columns - 1 : x;
}

static void scroll(struct terminal *terminal)
{
	memmove(terminal->cells[0], terminal->cells[1],
		(size_t)(terminal->lines - 1) * sizeof(terminal->cells[0]));
	clear_cells(terminal, terminal->lines - 1, 0, terminal->columns);
}

static void line_feed(struct terminal *terminal)
{
	if (terminal->y + 1 < terminal->lines)
		terminal->y++;
	else
		scroll(terminal);
}

static void put(struct terminal *terminal, char byte)
{
	if (terminal->x >= terminal->columns) {
		terminal->x = 0;
		line_feed(terminal);
	}
	terminal->cells[terminal->y][terminal->x++] = byte;
}

static void erase_display(struct terminal *terminal, int how)
{
	if (how == 2) {
		clear_all(terminal);
		return;
	}
	clear_cells(terminal, terminal->y, terminal->x, terminal->columns);
	for (int y = terminal->y + 1; y < terminal->lines; y++)
		clear_cells(terminal, y, 0, terminal->columns);
}

static void erase_line(struct terminal *terminal, int how)
{
	clear_cells(terminal, terminal->y, how ? 0 : terminal->x,
		    how == 1 ? terminal->x + 1 : terminal->columns);
}

/* nr > 0: blanks come in at the cursor; else cells go. */
static void shift_cells(struct terminal *terminal, int nr)
{
	char *line = terminal->cells[terminal->y];
	int rest = terminal->columns - terminal->x - abs(nr);

	if (rest < 0)
		rest = 0;
	if (nr > 0) {
		memmove(line + terminal->columns - rest, line + terminal->x, (size_t)rest);
		clear_cells(terminal, terminal->y, terminal->x, terminal->columns - rest);
		return;
	}
	memmove(line + terminal->x, line + terminal->columns - rest, (size_t)rest);
	clear_cells(terminal, terminal->y, terminal->x + rest, terminal->columns);
}

static void control_sequence(struct terminal *terminal, const char *text, char final)
{
	int a = 0;
	int b = 0;
	int nr = sscanf(text, "%d;%d", &a, &b);
	int count = nr > 0 && a ? a : 1;

	switch (final) {
	case 'A':
		move_to(terminal, terminal->y - count, terminal->x);
		break;
	case 'B':
		move_to(terminal, terminal->y + count, terminal->x);
		break;
	case 'C':
		move_to(terminal, terminal->y, terminal->x + count);
		break;
	case 'D':
		move_to(terminal, terminal->y, terminal->x - count);
		break;
	case 'G':
		move_to(terminal, terminal->y, count - 1);
		break;
	case 'd':
		move_to(terminal, count - 1, terminal->x);
		break;
	case 'H':
		move_to(terminal, count - 1, b ? b - 1 : 0);
		break;
	case 'J':
		erase_display(terminal, a);
		break;
	case 'K':
		erase_line(terminal, a);
		break;
	case 'X':
		clear_cells(terminal, terminal->y, terminal->x, terminal->x + count);
		break;
	case '@':
		shift_cells(terminal, count);
		break;
	case 'P':
		shift_cells(terminal, -count);
		break;
	default: /* modes, colours */
		break;
	}
}

/* A byte of a sequence that began with ESC; true: it is over. */
static bool escape_byte(struct terminal *terminal, char byte)
{
	if (terminal->nr_escape + 1 < (int)sizeof(terminal->escape)) {
		terminal->escape[terminal->nr_escape++] = byte;
		terminal->escape[terminal->nr_escape] = '\0';
	}
	if (terminal->nr_escape == 2)
		return !strchr("[]()", byte);
	if (terminal->escape[1] == '(' || terminal->escape[1] == ')')
		return true;
	if (terminal->escape[1] == ']')
		return byte == 'R' || byte == '\a';
	if (byte < '@')
		return false;
	control_sequence(terminal, terminal->escape + 2, byte);
	return true;
}

static void take_byte(struct terminal *terminal, char byte)
{
	if (terminal->nr_escape) {
		if (escape_byte(terminal, byte))
			terminal->nr_escape = 0;
		return;
	}
	switch (byte) {
	case '\033':
		terminal->escape[terminal->nr_escape++] = byte;
		break;
	case '\r':
		terminal->x = 0;
		break;
	case '\n':
		line_feed(terminal);
		break;
	case '\b':
		move_to(terminal, terminal->y, terminal->x - 1);
		break;
	case '\t':
		move_to(terminal, terminal->y, (terminal->x / 8 + 1) * 8);
		break;
	default:
		if ((unsigned char)byte >= ' ')
			put(terminal, byte);
		break;
	}
}

/* ---- waiting ---- */

static int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool stands_there(const struct terminal *terminal, const char *text)
{
	for (int y = 0; y < terminal->lines; y++) {
		char line[TERMINAL_COLUMNS_MAX + 1];

		memcpy(line, terminal->cells[y], sizeof(line));
		line[terminal->columns] = '\0';
		if (strstr(line, text))
			return true;
	}
	return false;
}

/* Take what comes within wait_ms; false: it has ended. */
static bool take_some(struct terminal *terminal, int wait_ms)
{
	struct pollfd ready = {.fd = terminal->master, .events = POLLIN};
	char bytes[4096];
	ssize_t nr;

	if (poll(&ready, 1, wait_ms) <= 0)
		return true;
	nr = read(terminal->master, bytes, sizeof(bytes));
	for (ssize_t i = 0; i < nr; i++)
		take_byte(terminal, bytes[i]);
	return nr > 0;
}

static bool wait_for(struct terminal *terminal, const char *text, bool there)
{
	int64_t end = now_ms() + WAIT_MS;
	bool lives = true;

	while (lives && now_ms() < end) {
		if (stands_there(terminal, text) == there)
			return true;
		lives = take_some(terminal, 100);
	}
	printf("# waited in vain for \"%s\" %s\n", text, there ? "to come" : "to go");
	terminal_show(terminal);
	return false;
}

bool terminal_wait(struct terminal *terminal, const char *text)
{
	return wait_for(terminal, text, true);
}

bool terminal_wait_gone(struct terminal *terminal, const char *text)
{
	return wait_for(terminal, text, false);
}

/* ---- the program ---- */

bool terminal_works(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	if (master < 0)
		return false;
	(void)close(master);
	return true;
}

__attribute__((noreturn)) static void run_child(const char *name, const char *const *argv)
{
	int slave;

	(void)setsid();
	slave = open(name, O_RDWR); /* becomes the terminal of the session */
	if (slave < 0 || dup2(slave, 0) < 0 || dup2(slave, 1) < 0 || dup2(slave, 2) < 0)
		_exit(126);
	if (setenv("TERM", "linux", 1) || setenv("LC_ALL", "C.UTF-8", 1) || unsetenv("LINES") ||
	    unsetenv("COLUMNS"))
		_exit(126);
	(void)execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

static void set_size(struct terminal *terminal, int lines, int columns)
{
	struct winsize size = {.ws_row = (unsigned short)lines, .ws_col = (unsigned short)columns};

	ck_assert_int_le(lines, TERMINAL_LINES_MAX);
	ck_assert_int_le(columns, TERMINAL_COLUMNS_MAX);
	terminal->lines = lines;
	terminal->columns = columns;
	ck_assert_int_eq(ioctl(terminal->master, TIOCSWINSZ, &size), 0);
}

void terminal_start(struct terminal *terminal, int lines, int columns, const char *const *argv)
{
	char name[128];

	*terminal = (struct terminal){.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
	ck_assert_int_ge(terminal->master, 0);
	ck_assert_int_eq(grantpt(terminal->master), 0);
	ck_assert_int_eq(unlockpt(terminal->master), 0);
	ck_assert_int_eq(ptsname_r(terminal->master, name, sizeof(name)), 0);
	set_size(terminal, lines, columns);
	clear_all(terminal);
	(void)fflush(stdout);
	terminal->child = fork();
	ck_assert_int_ge(terminal->child, 0);
	if (!terminal->child)
		run_child(name, argv);
}

void terminal_send(struct terminal *terminal, const char *keys)
{
	ck_assert_int_eq(write(terminal->master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

void terminal_resize(struct terminal *terminal, int lines, int columns)
{
	set_size(terminal, lines, columns);
}

bool terminal_is_sane(const struct terminal *terminal)
{
	struct termios now;

	return !tcgetattr(terminal->master, &now) && now.c_lflag & ECHO && now.c_lflag & ICANON;
}

int terminal_end(struct terminal *terminal)
{
	int64_t end = now_ms() + WAIT_MS;
	int status = -1;
	pid_t pid = 0;

	while (!pid && now_ms() < end) {
		(void)take_some(terminal, 10);
		pid = waitpid(terminal->child, &status, WNOHANG);
	}
	if (!pid) {
		(void)kill(terminal->child, SIGKILL);
		(void)waitpid(terminal->child, &status, 0);
		status = -1;
	}
	return status;
}

void terminal_close(struct terminal *terminal)
{
	(void)close(terminal->master);
}

void terminal_show(const struct terminal *terminal)
{
	for (int y = 0; y < terminal->lines; y++)
		printf("# |%.*s|\n", terminal->columns, terminal->cells[y]);
}
