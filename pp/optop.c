// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * optop: shows what the machine does now. Requests the latest samples from the daemon repeatedly,
 * and shows them on a screen or prints them.
 */
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/log.h"
#include "pp/options/tool_options.h"
#include "pp/top/top.h"
#include "pp/top/top_options.h"
#include "pp/top/top_screen.h"
#include "pp/top/top_text.h"

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define BATCH_WIDTH 120

static volatile sig_atomic_t ended_by; /* number of the signal that ends the program; 0: none */

static void note_signal(int signal_nr)
{
	ended_by = signal_nr;
}

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

#define NR_ENDING (sizeof(ending_signals) / sizeof(ending_signals[0]))

/*
 * Catches the signals that end the program, and blocks them. *waiting receives the previous
 * signal mask, which is used while the program waits. Returns a descriptor that is readable while
 * one of the signals is pending, or -1.
 */
static int catch_signals(sigset_t *waiting)
{
	struct sigaction action = {.sa_handler = note_signal};
	sigset_t ending;

	sigemptyset(&ending);
	for (size_t i = 0; i < NR_ENDING; i++) {
		(void)sigaction(ending_signals[i], &action, NULL);
		sigaddset(&ending, ending_signals[i]);
	}
	(void)sigprocmask(SIG_BLOCK, &ending, waiting);
	return signalfd(-1, &ending, SFD_CLOEXEC);
}

/* Returns whether a signal that ends the program is pending. */
static bool signal_is_pending(void)
{
	sigset_t pending;

	if (sigpending(&pending))
		return false;
	for (size_t i = 0; i < NR_ENDING; i++)
		if (sigismember(&pending, ending_signals[i]) == 1)
			ended_by = ending_signals[i];
	return ended_by;
}

/* If a signal was caught, ends the process by this signal, so that the parent sees the signal. */
static void end_by_signal(const sigset_t *waiting)
{
	int signal_nr = ended_by;

	if (!signal_nr)
		return;
	(void)signal(signal_nr, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, waiting, NULL);
	(void)raise(signal_nr);
}

static struct timespec time_until(uint64_t at_ns)
{
	uint64_t now = clock_monotonic_ns();
	uint64_t left_ns = at_ns > now ? at_ns - now : 0;

	return (struct timespec){
		.tv_sec = (time_t)(left_ns / 1000000000),
		.tv_nsec = (long)(left_ns % 1000000000),
	};
}

/* ---- text ---- */

static void print_text(const struct top *top, unsigned int nr_rows)
{
	struct top_show show = top_show(top);
	char line[TOP_LINE_BYTES];
	size_t nr = top->rows.nr_rows;

	if (nr_rows && nr > nr_rows)
		nr = nr_rows;
	top_text_title(line, BATCH_WIDTH, &show);
	(void)puts(line);
	top_text_sums(line, BATCH_WIDTH, &show);
	(void)puts(line);
	top_text_state(line, BATCH_WIDTH, &show);
	(void)puts(line);
	top_text_heads(line, BATCH_WIDTH, &show);
	line[strcspn(line, "\n")] = '\0';
	(void)puts(line);
	for (size_t i = 0; i < nr; i++) {
		top_text_row(line, BATCH_WIDTH, top->view, &top->rows.rows[i]);
		(void)puts(line);
	}
	if (top_text_nothing(&show))
		(void)puts(top_text_nothing(&show));
}

/*
 * Requests samples and prints them. Returns 0; -EAGAIN if the daemon does not answer; -ENODATA if
 * the answer has no samples of the event; -EINTR if a signal ended the wait; or -errno.
 */
static int print_once(struct top *top, const struct top_options *options)
{
	int error = top_refresh(top);

	if (error)
		return error;
	if (signal_is_pending())
		return -EINTR;
	if (*top->trouble.text)
		return top->event_lacks ? -ENODATA : -EAGAIN;
	top_symbols_wait(top->symbols);
	error = top_make_rows(top);
	if (error)
		return error;
	print_text(top, options->nr_rows);
	return file_flush(stdout);
}

static int run_batch(struct top *top, const struct top_options *options, const sigset_t *waiting)
{
	uint64_t next_ns = clock_monotonic_ns();

	for (unsigned int i = 0; !ended_by; i++) {
		struct timespec left;
		int error = print_once(top, options);

		if (error == -EAGAIN || error == -ENODATA)
			log_error("%s", diag_show(&top->trouble));
		else if (error && error != -EINTR)
			log_error("cannot continue: %s", strerror(-error));
		/* -ENODATA does not end the loop: samples of the event may come later. */
		if ((error && error != -ENODATA) || i + 1 == options->nr_refreshes)
			return error;
		(void)puts("");
		next_ns += options->delay_ns;
		left = time_until(next_ns);
		(void)ppoll(NULL, 0, &left, waiting);
	}
	return 0;
}

/* ---- the screen ---- */

struct loop {
	struct top_screen screen;
	const struct top_options *options;
	const sigset_t *waiting;
	uint64_t next_ns; /* time of the next request to the daemon */
	unsigned int nr_refreshes;
};

static int loop_refresh(struct loop *loop)
{
	int error = top_refresh(loop->screen.top);

	/*
	 * The delay begins when the answer has arrived, so that there is a pause between requests
	 * even if the daemon is slow.
	 */
	loop->next_ns = clock_monotonic_ns() + loop->options->delay_ns;
	loop->nr_refreshes++;
	return error;
}

static int grant(struct loop *loop, enum top_wish wish)
{
	int error = 0;

	if (wish == TOP_WISH_REFRESH)
		error = loop_refresh(loop);
	else if (wish == TOP_WISH_ROWS)
		error = top_make_rows(loop->screen.top);
	if (!error && wish != TOP_WISH_NOTHING)
		top_screen_draw(&loop->screen);
	return error;
}

/*
 * Waits for a key, symbols, a signal or the time of the next request. Returns 0, -errno, or 1 to
 * quit.
 */
static int loop_turn(struct loop *loop)
{
	struct top *top = loop->screen.top;
	struct pollfd fds[] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = top_symbols_poll_fd(top->symbols), .events = POLLIN},
	};
	struct timespec left = time_until(loop->next_ns);
	enum top_wish wish;

	(void)ppoll(fds, 2, top->paused ? NULL : &left, loop->waiting);
	if (ended_by || fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		return 1;
	/* Keys are read even after a signal, because the signal may report a new window size. */
	wish = top_screen_keys(&loop->screen);
	if (wish == TOP_WISH_QUIT)
		return 1;
	if (fds[1].revents & POLLIN && wish < TOP_WISH_ROWS)
		wish = TOP_WISH_ROWS;
	if (!top->paused && clock_monotonic_ns() >= loop->next_ns) {
		if (loop->nr_refreshes == loop->options->nr_refreshes && loop->nr_refreshes)
			return 1;
		wish = TOP_WISH_REFRESH;
	}
	return grant(loop, wish);
}

static int run_screen(struct top *top, const struct top_options *options, const sigset_t *waiting)
{
	struct loop loop = {.options = options, .waiting = waiting};
	struct diag diag;
	int error = top_screen_open(&loop.screen, top, &diag);

	if (error) {
		log_error("%s", diag_show(&diag));
		return error;
	}
	top_take_keys(top, STDIN_FILENO);
	error = grant(&loop, TOP_WISH_REFRESH);
	while (!error)
		error = loop_turn(&loop);
	top_screen_close();
	if (error < 0)
		log_error("cannot continue: %s", strerror(-error));
	return error < 0 ? error : 0;
}

static int run(struct top_options *options)
{
	struct top top;
	struct diag diag;
	sigset_t waiting;
	int error = top_init(&top, options, &diag);
	int signal_fd;

	if (error) {
		log_error("%s", diag_show(&diag));
		return error;
	}
	signal_fd = catch_signals(&waiting);
	if (options->batch || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) {
		top_be_patient(&top, signal_fd);
		error = run_batch(&top, options, &waiting);
	} else {
		error = run_screen(&top, options, &waiting);
	}
	top_deinit(&top);
	if (signal_fd >= 0)
		(void)close(signal_fd);
	end_by_signal(&waiting);
	return error;
}

int main(int argc, const char **argv)
{
	struct top_options options;
	struct diag diag;
	int error;

	log_init("optop", LOG_LEVEL_INFO);
	(void)setlocale(LC_ALL, "");
	/* Numbers are printed and parsed in the same way in every locale. */
	(void)setlocale(LC_NUMERIC, "C");
	error = top_options_parse(&options, argc, argv, &diag);
	if (error)
		log_error("%s", diag_show(&diag));
	else if (options.what == TOP_VERSION)
		tool_show_version("optop", "libbfd");
	else if (options.what == TOP_HELP)
		top_options_help();
	else
		error = run(&options);
	top_options_deinit(&options);
	return tool_end(error);
}
