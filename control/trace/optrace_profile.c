// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/trace/optrace_profile.h"

#include "control/base/option.h"
#include "control/base/tool_path.h"
#include "control/run/command.h"
#include "lib/array.h"
#include "lib/file.h"
#include "lib/log.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define IMPORTER "opimport"
#define REPORTER "opreport"

enum profile_option { PROFILE_FROM = 1, PROFILE_TO, PROFILE_THREAD, PROFILE_VERSION, PROFILE_HELP };

static const struct poptOption profile_table[] = {
	{"from", 0, POPT_ARG_STRING, NULL, PROFILE_FROM,
	 "begin this many seconds after the trace's beginning", "SECONDS"},
	{"to", 0, POPT_ARG_STRING, NULL, PROFILE_TO,
	 "end this many seconds after the trace's beginning", "SECONDS"},
	{"thread", 't', POPT_ARG_STRING, NULL, PROFILE_THREAD,
	 "only samples of the threads with these numbers", "THREADS"},
	{"version", 'v', POPT_ARG_NONE, NULL, PROFILE_VERSION, "show the version", NULL},
	{"help", '?', POPT_ARG_NONE, NULL, PROFILE_HELP, "show this help", NULL},
	POPT_TABLEEND};

/* A command line being built. */
struct words {
	char **words; /* NULL-terminated */
	size_t nr, room;
	bool no_memory;
};

struct profile_command {
	struct words import, report;
	char session[PATH_MAX]; /* temporary folder, removed at the end; empty: not made */
};

static volatile sig_atomic_t caught;
/* The running program, to which signals are passed on; 0: no program runs. */
static volatile sig_atomic_t running_pid;
static pid_t our_pid;

static void note_signal(int number)
{
	/* The new process keeps this handler until its exec. */
	if (getpid() != our_pid)
		_exit(COMMAND_EXIT_SIGNAL + number);
	caught = number;
	if (running_pid > 0)
		(void)kill((pid_t)running_pid, number);
}

/* ---- command lines ---- */

static void add_word(struct words *words, const char *front, const char *text)
{
	if (array_reserve(&words->words, &words->room, words->nr, 2)) {
		words->no_memory = true;
		return;
	}
	if (asprintf(&words->words[words->nr], "%s%s", front, text) < 0)
		words->no_memory = true;
	else
		words->nr++;
	words->words[words->nr] = NULL;
}

static void words_deinit(struct words *words)
{
	for (size_t i = 0; i < words->nr; i++)
		free(words->words[i]);
	free(words->words);
}

static int begin_words(struct words *words, const char *program)
{
	char path[PATH_MAX];

	if (tool_path_find(program, path, sizeof(path))) {
		log_error("cannot find %s in this program's folder or where oprof was installed: "
			  "this oprof was built without reports",
			  program);
		return -ENOENT;
	}
	add_word(words, "", path);
	return 0;
}

static int take_option(struct profile_command *profile, int option, const char *text)
{
	switch ((enum profile_option)option) {
	case PROFILE_FROM:
		add_word(&profile->import, "--from=", text);
		break;
	case PROFILE_TO:
		add_word(&profile->import, "--to=", text);
		break;
	case PROFILE_THREAD:
		add_word(&profile->import, "--thread=", text);
		break;
	case PROFILE_VERSION:
	case PROFILE_HELP:
		return 1;
	}
	return 0;
}

/* Processes all options. Returns 0; 1 if help or version was shown; or -errno with diag. */
static int take_options(struct profile_command *profile, poptContext popt, struct diag *diag)
{
	int option;

	while ((option = poptGetNextOpt(popt)) > 0) {
		char *text = poptGetOptArg(popt);
		const int done = take_option(profile, option, text ? text : "");

		free(text);
		if (!done)
			continue;
		option_show(popt, option == PROFILE_HELP ? OPTION_SHOW_HELP : OPTION_SHOW_VERSION,
			    "optrace");
		return 1;
	}
	return option < -1 ? option_error(popt, option, "optrace profile --help", diag) : 0;
}

/* ---- programs ---- */

/* Waits until pid ends. Returns its exit status as a shell reports it. */
static int wait_for(pid_t pid)
{
	int status;
	pid_t ended;

	/*
	 * If a signal arrived before this store, `caught` is set. Later signals are passed on to
	 * the program.
	 */
	running_pid = pid;
	if (caught)
		(void)kill(pid, caught);
	do {
		ended = waitpid(pid, &status, 0);
	} while (ended < 0 && errno == EINTR);
	running_pid = 0;
	if (ended < 0)
		return COMMAND_EXIT_OURS;
	return WIFSIGNALED(status) ? COMMAND_EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(const struct words *words)
{
	const pid_t pid = words->no_memory ? -1 : fork();

	if (pid < 0) {
		log_error("cannot run %s: %s", words->nr ? words->words[0] : IMPORTER,
			  words->no_memory ? strerror(ENOMEM) : strerror(errno));
		return COMMAND_EXIT_OURS;
	}
	if (!pid) {
		(void)execv(words->words[0], words->words);
		log_error("cannot run %s: %s", words->words[0], strerror(errno));
		_exit(COMMAND_EXIT_NOT_RUN);
	}
	return wait_for(pid);
}

/*
 * Catches signals, so that the session's folder can be removed. In the programs that this process
 * runs, these signals have their default actions.
 */
static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	const struct sigaction note = {.sa_handler = note_signal};
	struct sigaction before;

	our_pid = getpid();
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &note, NULL);
}

static int make_session(struct profile_command *profile)
{
	const char *folder = getenv("TMPDIR");

	if (snprintf(profile->session, sizeof(profile->session), "%s/oprof-profile.XXXXXX",
		     folder && *folder ? folder : "/tmp") >= (int)sizeof(profile->session)) {
		log_error("the path in TMPDIR is too long; set TMPDIR to another folder");
		profile->session[0] = '\0';
		return COMMAND_EXIT_OURS;
	}
	if (!mkdtemp(profile->session)) {
		log_error("cannot create %s: %s", profile->session, strerror(errno));
		profile->session[0] = '\0';
		return COMMAND_EXIT_OURS;
	}
	return 0;
}

static int show(struct profile_command *profile, const char *folder, const char *const *rest)
{
	int status = make_session(profile);
	int error;

	if (status)
		return status;
	add_word(&profile->import, "--session-dir=", profile->session);
	add_word(&profile->import, "", "--quiet");
	add_word(&profile->import, "", folder);
	add_word(&profile->report, "--session-dir=", profile->session);
	for (; rest && *rest; rest++)
		add_word(&profile->report, "", *rest);
	status = run(&profile->import);
	if (!status && !caught)
		status = run(&profile->report);
	error = file_remove_tree(profile->session);
	if (error)
		log_warning("cannot remove %s: %s", profile->session, strerror(-error));
	return caught ? COMMAND_EXIT_SIGNAL + caught : status;
}

static int run_profile(struct profile_command *profile, poptContext popt, const char *folder,
		       const char *const *rest)
{
	struct diag diag = {0};
	const int done = take_options(profile, popt, &diag);
	char **words = done ? NULL : option_rest(popt);

	if (done > 0)
		return 0;
	if (done) {
		log_error("%s", diag_show(&diag));
		return COMMAND_EXIT_OURS;
	}
	if (words && words[0] && words[1]) {
		log_error("only one trace can be reported: give %s or %s (options of " REPORTER
			  " follow --)",
			  words[0], words[1]);
		return COMMAND_EXIT_OURS;
	}
	catch_signals();
	return show(profile, words && words[0] ? words[0] : folder, rest);
}

/*
 * Returns the index of "--", after which the options of opreport begin, or argc if there is no
 * "--".
 */
static int find_rest(int argc, const char **argv)
{
	int nr = 1;

	while (nr < argc && strcmp(argv[nr], "--") != 0)
		nr++;
	return nr;
}

int optrace_profile(int argc, const char **argv, const char *folder)
{
	const int nr = find_rest(argc, argv);
	struct profile_command profile = {.session = ""};
	poptContext popt = option_begin(nr, argv, profile_table,
					"profile [options] [FOLDER] [-- OPTIONS OF " REPORTER "]");
	int status = COMMAND_EXIT_OURS;

	if (!popt)
		log_error("out of memory for options");
	else if (!begin_words(&profile.import, IMPORTER) && !begin_words(&profile.report, REPORTER))
		status = run_profile(&profile, popt, folder, nr < argc ? argv + nr + 1 : NULL);
	words_deinit(&profile.import);
	words_deinit(&profile.report);
	if (popt)
		(void)poptFreeContext(popt);
	return status;
}
