// SPDX-License-Identifier: GPL-2.0-or-later
/* opcontrol: controls the daemon that profiles the whole machine. */
#include "client/client.h"
#include "control/base/option.h"
#include "control/daemon/boot.h"
#include "control/daemon/daemon_start.h"
#include "control/daemon/opcontrol_options.h"
#include "control/daemon/session_files.h"
#include "control/daemon/session_owner.h"
#include "control/daemon/setup_file.h"
#include "control/daemon/setup_match.h"
#include "control/daemon/status_text.h"
#include "control/events/event_list.h"
#include "control/module/module.h"
#include "control/module/module_fs.h"
#include "control/run/report_command.h"
#include "events/events.h"
#include "lib/children.h"
#include "lib/clock.h"
#include "lib/folder.h"
#include "lib/key_value.h"
#include "lib/log.h"
#include "lib/utf8.h"
#include "oprof/kmod.h"
#include "oprof/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Exit status of --health if a daemon may be running but does not answer: LSB's "unknown". */
#define EXIT_UNKNOWN	    4
#define SHUTDOWN_TIMEOUT_MS 60000
#define HOLD_TIMEOUT_MS	    60000 /* limit for waiting for another opcontrol */
#define ENDING_INTERVAL_MS  20
#define ENDING_TRIES	    100 /* 2 s; a killed process should end within this time */

/* One run of opcontrol. */
struct opcontrol {
	const struct opcontrol_options *options;
	char session_dir[PATH_MAX];
	int folder_fd; /* the session folder; -1: it does not exist */
	struct session_owner owner;
	struct setup setup; /* valid if setup_loaded */
	bool setup_loaded;
	bool sampling;	 /* set by daemon_runs(): the running daemon is sampling */
	int exit_status; /* exit status on success; do_health() also sets it on failure */
	struct diag diag;
};

/* Actions that make the session folder, and load the settings before they do anything else. */
#define OPCONTROL_MAKES (OPCONTROL_SETUP | OPCONTROL_START_DAEMON | OPCONTROL_START)
/* Actions that must not run in two opcontrols at the same time. */
#define OPCONTROL_ALONE                                                                            \
	(OPCONTROL_MAKES | OPCONTROL_INIT | OPCONTROL_STOP | OPCONTROL_SAVE | OPCONTROL_RESET |    \
	 OPCONTROL_SHUTDOWN | OPCONTROL_DEINIT)

/*
 * Sends a request to the daemon. Returns 0, or -errno with diag. answered may be NULL; if not, the
 * caller must free *answered.
 */
static int ask(struct opcontrol *control, enum oprof_request request, const char *text,
	       int timeout_ms, struct client_answer *answered)
{
	struct client_answer answer;
	int error = client_ask(control->session_dir, request, text,
			       &(struct client_patience){timeout_ms, -1}, &answer, &control->diag);

	if (error)
		return error;
	if (answered)
		*answered = answer;
	else
		client_answer_deinit(&answer);
	return 0;
}

/*
 * As ask(), for a daemon that may be ending. If the daemon ends before it answers, repeats the
 * request, at most ENDING_TRIES times, until no daemon runs or the next daemon answers.
 */
static int ask_again(struct opcontrol *control, enum oprof_request request, int timeout_ms,
		     struct client_answer *answered)
{
	const struct timespec pause = {.tv_nsec = ENDING_INTERVAL_MS * 1000000L};
	int error = ask(control, request, NULL, timeout_ms, answered);

	for (unsigned int i = 0; i < ENDING_TRIES && (error == -ECONNRESET || error == -EPIPE);
	     i++) {
		(void)nanosleep(&pause, NULL);
		error = ask(control, request, NULL, timeout_ms, answered);
	}
	return error;
}

/* RUNNING_SAME: the running daemon samples as a daemon with the current setup would. */
enum running { RUNNING_NONE, RUNNING_SAME, RUNNING_OTHERWISE };

/*
 * Returns a value of enum running, or -errno. With RUNNING_OTHERWISE, control->diag has the
 * difference.
 */
static int daemon_runs(struct opcontrol *control)
{
	struct client_answer answer;
	char state[32];
	int error = ask_again(control, OPROF_REQUEST_STATUS, CLIENT_TIMEOUT_MS, &answer);

	if (error)
		return error == -ENOTCONN ? RUNNING_NONE : error;
	control->sampling = key_value_find(answer.text, "state", state, sizeof(state)) &&
			    !strcmp(state, "running");
	/* Without a setup, any daemon is accepted, however it was started. */
	if (control->setup.kept || control->options->nr_settings)
		error = setup_match(&control->setup, answer.text, &control->diag);
	client_answer_deinit(&answer);
	if (error)
		return error == -EBUSY ? RUNNING_OTHERWISE : error;
	return RUNNING_SAME;
}

static void tell_settings(const struct opcontrol *control)
{
	const struct opcontrol_options *options = control->options;

	if (opcontrol_options_has_setting(options, "image"))
		log_info("--image is stored in the setup but has no effect: all images are "
			 "sampled; select images in reports (opreport image:...)");
	if (opcontrol_options_has_setting(options, "vmlinux"))
		log_info("--vmlinux is stored in the setup but has no effect: kernel symbols are "
			 "read from the running kernel");
	if (opcontrol_options_has_setting(options, "no-vmlinux"))
		log_info("--no-vmlinux is stored in the setup but has no effect: the kernel is "
			 "sampled; exclude it from events (NAME:COUNT:UNITMASK:0:1)");
	if ((opcontrol_options_has_setting(options, "buffer-size") ||
	     opcontrol_options_has_setting(options, "buffer-watershed")) &&
	    control->setup.source == SETUP_SOURCE_PERF)
		log_info("--buffer-size and --buffer-watershed are stored in the setup but apply "
			 "only to the kernel module; with --source=perf, --cpu-buffer-size sets "
			 "the size of the rings");
	if (opcontrol_options_has_setting(options, "cpu-buffer-size") &&
	    setup_ring_pages(&control->setup))
		log_info("--cpu-buffer-size: with perf, each processor's ring has %u pages",
			 setup_ring_pages(&control->setup));
}

#define NO_MODULE                                                                                  \
	"the session folder belongs to the user " FOLDER_USER ", who cannot use the kernel module"

/*
 * Refuses a setup that requires the kernel module if the daemon will run as FOLDER_USER, since this
 * user cannot use the module.
 */
static int check_module(struct opcontrol *control)
{
	if (!control->owner.user || control->setup.source != SETUP_SOURCE_KMOD)
		return 0;
	return diag_set(&control->diag, -ENODEV,
			"the setup allows only the kernel module as the source (--source=kmod), "
			"but " NO_MODULE "; to allow perf: opcontrol --setup --source=auto");
}

static int do_setup(struct opcontrol *control)
{
	unsigned int starts = OPCONTROL_START | OPCONTROL_START_DAEMON;
	int error = sampling_check(&control->setup.sampling, EVENT_HZ_LEFT_ON, &control->diag);
	int running;

	if (!error)
		error = check_module(control);
	running = error ? error : daemon_runs(control);

	if (running < 0)
		return running;
	if (running == RUNNING_OTHERWISE && (control->options->actions & starts))
		return -EBUSY;
	if (running == RUNNING_OTHERWISE)
		log_warning("the settings apply only after a restart: %s, then opcontrol --start",
			    diag_show(&control->diag));
	error = setup_save(&control->setup, control->folder_fd, control->session_dir,
			   &control->diag);
	if (!error)
		tell_settings(control);
	return error;
}

static int launch_args(struct opcontrol *control, struct daemon_args *args)
{
	const int error = check_module(control);

	daemon_args_init(args, DAEMON_PROFILER);
	daemon_args_add(args, "--session-dir=%s", control->session_dir);
	daemon_args_add(args, "--append");
	/*
	 * The settings may be those of the folder's owner, and the daemon opens the folder again.
	 * This option lets the daemon check that it runs as this owner.
	 */
	if (control->owner.user)
		daemon_args_add(args, "--session-owner=%u", (unsigned int)control->owner.user);
	if (control->options->verbose)
		daemon_args_add(args, "--verbose");
	return error ? error : setup_to_args(&control->setup, args, &control->diag);
}

static int launch_daemon(struct opcontrol *control)
{
	struct daemon_args args;
	pid_t pid;
	int error = launch_args(control, &args);

	/* The daemon is started as root, and then becomes the folder's owner. */
	session_owner_leave(&control->owner);
	if (!error)
		error = daemon_start(&args, DAEMON_DETACHED, NULL, &pid, &control->diag);
	session_owner_return(&control->owner);
	daemon_args_deinit(&args);
	return error;
}

/* Does not return on success: this process becomes the daemon. */
static int become_daemon(struct opcontrol *control)
{
	struct daemon_args args;
	int running = daemon_runs(control);
	int error;

	if (running < 0)
		return running;
	if (running != RUNNING_NONE)
		return diag_set(&control->diag, -EBUSY,
				"a daemon already runs for %s; end it with oprof stop",
				control->session_dir);
	error = launch_args(control, &args);
	daemon_args_add(&args, "--foreground");
	daemon_args_add(&args, "--start");
	session_owner_leave(&control->owner);
	if (!error)
		error = daemon_exec(&args, &control->diag);
	daemon_args_deinit(&args);
	return error;
}

static int do_start_daemon(struct opcontrol *control)
{
	int running = daemon_runs(control);
	int error;

	if (running != RUNNING_NONE)
		return running == RUNNING_OTHERWISE ? -EBUSY
		       : running == RUNNING_SAME    ? 0
						    : running;
	error = launch_daemon(control);
	if (!error)
		(void)printf("Daemon started.\n");
	return error;
}

static int do_start(struct opcontrol *control)
{
	char command[REPORT_COMMAND_BYTES];
	int error;

	if (control->options->foreground)
		return become_daemon(control);
	error = do_start_daemon(control);
	if (!error)
		error = ask(control, OPROF_REQUEST_START, NULL, CLIENT_TIMEOUT_MS, NULL);
	if (error)
		return error;
	report_command("opreport", control->session_dir, command);
	utf8_mask(command, "");
	(void)printf("Profiler running%s; report its samples at any time with: %s\n",
		     control->sampling ? " already" : "", command);
	return 0;
}

static int do_stop(struct opcontrol *control)
{
	int error = ask(control, OPROF_REQUEST_STOP, NULL, CLIENT_DUMP_TIMEOUT_MS, NULL);

	if (!error)
		(void)printf("Profiler stopped.\n");
	return error;
}

static int do_dump(struct opcontrol *control)
{
	return ask(control, OPROF_REQUEST_DUMP, NULL, CLIENT_DUMP_TIMEOUT_MS, NULL);
}

static int do_save(struct opcontrol *control)
{
	const char *name = control->options->save_name;
	char command[REPORT_COMMAND_BYTES];
	char text[512];
	int error;

	(void)snprintf(text, sizeof(text), "name %s\n", name);
	error = ask(control, OPROF_REQUEST_SAVE, text, CLIENT_DUMP_TIMEOUT_MS, NULL);
	if (error == -ENOTCONN)
		error = session_files_save(control->folder_fd, control->session_dir, name,
					   &control->diag);
	if (error)
		return error;
	report_command("opreport", control->session_dir, command);
	(void)printf("Saved; see it with: ");
	utf8_write_masked(stdout, command);
	(void)printf(" session:%s\n", name);
	return 0;
}

static int do_reset(struct opcontrol *control)
{
	int error = ask(control, OPROF_REQUEST_RESET, NULL, CLIENT_DUMP_TIMEOUT_MS, NULL);

	return error == -ENOTCONN ? session_files_reset(control->folder_fd, control->session_dir,
							&control->diag)
				  : error;
}

static int do_shutdown(struct opcontrol *control)
{
	struct client_answer answer;
	pid_t daemon;
	int error = ask_again(control, OPROF_REQUEST_SHUTDOWN, CLIENT_DUMP_TIMEOUT_MS, &answer);

	if (error == -ENOTCONN) {
		(void)printf("The daemon is not running.\n");
		return 0;
	}
	if (error)
		return error;
	daemon = answer.daemon;
	client_answer_deinit(&answer);
	if (daemon > 0 && client_wait_end(daemon, SHUTDOWN_TIMEOUT_MS))
		return diag_set(&control->diag, -ETIMEDOUT,
				"the daemon (process %d) has not ended within %d s; see "
				"%s/oprofiled.log",
				(int)daemon, SHUTDOWN_TIMEOUT_MS / 1000, control->session_dir);
	(void)printf("Daemon ended.\n");
	return 0;
}

/* Loads the setup only when needed: a damaged setup must not prevent ending the daemon. */
static int load_setup(struct opcontrol *control)
{
	int error;

	if (control->setup_loaded)
		return 0;
	control->setup_loaded = true;
	error = setup_load(&control->setup, control->folder_fd, control->session_dir,
			   &control->diag);
	return error ? error
		     : opcontrol_options_apply(control->options, &control->setup, &control->diag);
}

/*
 * Informs the user that a running daemon keeps its source, so that only the next start uses the
 * module.
 */
static void tell_running(struct opcontrol *control)
{
	struct client_answer answer;
	char source[32];

	if (ask(control, OPROF_REQUEST_STATUS, NULL, CLIENT_TIMEOUT_MS, &answer))
		return;
	if (key_value_find(answer.text, "source", source, sizeof(source)) &&
	    strcmp(source, "kmod") != 0)
		log_info("the running daemon was started without the module; to use the module: "
			 "opcontrol --shutdown, then opcontrol --start");
	client_answer_deinit(&answer);
}

static void tell_no_module(const struct opcontrol *control, const struct module_answer *answer)
{
	int error = module_keep(control->folder_fd, answer);

	log_warning("no kernel module: %s", answer->reason);
	if (answer->remedy[0])
		log_warning("-> %s", answer->remedy);
	if (control->setup.source == SETUP_SOURCE_AUTO)
		log_info("perf is the source: opcontrol --start profiles without the module");
	if (error)
		log_debug("cannot store the reason in %s: %s", control->session_dir,
			  strerror(-error));
}

/* If there is no module, the source is perf. This is an error only if --source=kmod was set. */
static int do_init(struct opcontrol *control)
{
	enum module_build build = control->options->no_build ? MODULE_NO_BUILD : MODULE_BUILD;
	struct module_answer answer;
	int error = load_setup(control);

	if (error)
		return error;
	if (control->setup.source == SETUP_SOURCE_PERF) {
		log_info("the kernel module is not loaded: the setup has --source=perf (to use "
			 "the module: opcontrol --setup --source=auto)");
		return 0;
	}
	error = check_module(control);
	if (error)
		return error;
	if (control->owner.user) {
		log_info("the kernel module is not loaded: " NO_MODULE);
		return 0;
	}
	module_init(build, &answer);
	if (!answer.works) {
		tell_no_module(control, &answer);
		return control->setup.source == SETUP_SOURCE_KMOD
			       ? diag_set(&control->diag, -ENODEV,
					  "the setup allows only the kernel module as the source "
					  "(--source=kmod); to allow perf as well: opcontrol "
					  "--setup --source=auto")
			       : 0;
	}
	(void)module_keep(control->folder_fd, &answer);
	(void)printf("Kernel module %s; its files are in %s.\n",
		     answer.path[0] ? "loaded" : "already loaded", OPROF_KMOD_MOUNT);
	tell_running(control);
	return 0;
}

static int do_deinit(struct opcontrol *control)
{
	bool loaded = module_fs_is_loaded("");
	int error = do_shutdown(control);

	session_owner_leave(&control->owner);
	if (!error)
		error = module_deinit(&control->diag);
	session_owner_return(&control->owner);
	if (!error && loaded)
		(void)printf("Kernel module unloaded.\n");
	return error;
}

/* Prints the source that the daemon would choose if it were started now. */
static void print_source(const struct opcontrol *control)
{
	enum setup_source source = control->setup.source;
	const char *reason = "requested";

	if (source == SETUP_SOURCE_AUTO && control->owner.user) {
		source = SETUP_SOURCE_PERF;
		reason = NO_MODULE;
	} else if (source == SETUP_SOURCE_AUTO && module_fs_is_mounted("", OPROF_KMOD_MOUNT)) {
		source = SETUP_SOURCE_KMOD;
		reason = "the kernel module is loaded";
	} else if (source == SETUP_SOURCE_AUTO) {
		source = SETUP_SOURCE_PERF;
		reason = module_fs_is_loaded("")
				 ? "the kernel module is loaded, but its control filesystem is "
				   "not mounted: run opcontrol --init"
				 : "the kernel module is not loaded: run opcontrol --init";
	}
	(void)printf("source %s\nsource_reason %s\n", setup_source_names[source], reason);
}

/*
 * Returns the folder that may have the reason why there is no module, or -1. A reason in a folder
 * that is not root's is not used.
 */
static int module_folder(const struct opcontrol *control)
{
	return control->owner.user ? -1 : control->folder_fd;
}

static int do_status(struct opcontrol *control)
{
	struct client_answer answer;
	char *setup;
	int error = ask(control, OPROF_REQUEST_STATUS, NULL, CLIENT_TIMEOUT_MS, &answer);

	if (!error) {
		utf8_mask(answer.text, "\n");
		(void)fputs(answer.text, stdout);
		module_print(stdout, module_folder(control));
		client_answer_deinit(&answer);
		return 0;
	}
	if (error != -ENOTCONN)
		return error;
	(void)printf("state not running\nsession_dir ");
	utf8_write_masked(stdout, control->session_dir);
	(void)printf("\n");
	if (load_setup(control))
		return -EINVAL;
	/* The default that a daemon started now would use. */
	if (!control->setup.sampling.separation_given)
		(void)printf("separate=none\n");
	setup = setup_format(&control->setup);
	/* Skip the first line, which is a comment about the file. */
	if (setup)
		utf8_mask(setup, "\n");
	if (setup)
		(void)printf("%s", setup + strcspn(setup, "\n") + 1);
	free(setup);
	print_source(control);
	module_print(stdout, module_folder(control));
	return error;
}

/* Prints the daemon's status and the state of the module. */
static int print_health(struct opcontrol *control, const char *status)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *stream = open_memstream(&text, &nr_bytes);

	if (!stream)
		return diag_set(&control->diag, -ENOMEM, "out of memory for the status");
	(void)fputs(status, stream);
	module_print(stream, module_folder(control));
	if (fclose(stream)) {
		free(text);
		return diag_set(&control->diag, -ENOMEM, "out of memory for the status");
	}
	utf8_mask(text, "\n"); /* the daemon's warnings name processes and files of other users */
	control->exit_status = (int)status_text_print(stdout, text, clock_realtime_ns());
	free(text);
	return 0;
}

/* Also sets the exit status if the daemon does not answer. */
static int do_health(struct opcontrol *control)
{
	struct client_answer answer;
	int error = ask(control, OPROF_REQUEST_STATUS, NULL, CLIENT_TIMEOUT_MS, &answer);

	if (!error) {
		error = print_health(control, answer.text);
		client_answer_deinit(&answer);
		return error;
	}
	if (error == -ENOTCONN) {
		(void)printf("oprof is not running for ");
		utf8_write_masked(stdout, control->session_dir);
		(void)printf("; oprof start starts it.\n");
		control->exit_status = STATUS_NOT_RUNNING;
		return 0;
	}
	control->exit_status = error == -ETIMEDOUT ? (int)STATUS_TROUBLE : EXIT_UNKNOWN;
	return error;
}

/* The actions in the order in which they are performed. */
static const struct {
	enum opcontrol_action action;
	int (*act)(struct opcontrol *control);
} opcontrol_acts[] = {
	{OPCONTROL_INIT, do_init},
	{OPCONTROL_SETUP, do_setup},
	{OPCONTROL_START_DAEMON, do_start_daemon},
	{OPCONTROL_START, do_start},
	{OPCONTROL_STOP, do_stop},
	{OPCONTROL_DUMP, do_dump},
	{OPCONTROL_SAVE, do_save},
	{OPCONTROL_RESET, do_reset},
	{OPCONTROL_STATUS, do_status},
	{OPCONTROL_HEALTH, do_health},
	{OPCONTROL_SHUTDOWN, do_shutdown},
	{OPCONTROL_DEINIT, do_deinit},
};

/*
 * Opens the session folder, and checks that this user may use the folder. Sets
 * control->session_dir to the folder's path, which is absolute if the folder exists.
 */
static int find_session_dir(struct opcontrol *control)
{
	/* The files and folders that opcontrol itself reads or writes in the session folder. */
	static const char *const names[] = {OPROF_LOCK_NAME, OPROF_SAMPLES_NAME, SETUP_FILE_NAME,
					    MODULE_INIT_FILE};
	const char *dir = control->options->session_dir;
	const unsigned int actions = control->options->actions;
	bool makes = actions & OPCONTROL_MAKES;
	int error = 0;

	control->folder_fd =
		folder_open(dir, actions & (OPCONTROL_MAKES | OPCONTROL_INIT) ? FOLDER_CREATE
									      : FOLDER_MUST_EXIST);
	if (control->folder_fd < 0 || (folder_path(control->folder_fd, control->session_dir) &&
				       !realpath(dir, control->session_dir)))
		(void)snprintf(control->session_dir, sizeof(control->session_dir), "%s", dir);
	if (control->folder_fd < 0) {
		error = control->folder_fd == -ENOENT ? 0 : control->folder_fd;
		control->folder_fd = -1;
	} else {
		error = session_owner_enter(&control->owner, control->folder_fd,
					    control->session_dir, &control->diag);
		if (error)
			return error;
		if (faccessat(control->folder_fd, ".", makes ? R_OK | W_OK | X_OK : R_OK | X_OK,
			      AT_EACCESS))
			error = -errno;
	}
	if ((error == -EACCES || error == -EPERM) && getuid() != 0)
		return diag_set(&control->diag, error,
				"this user may not use the session folder %s; run sudo opcontrol "
				"..., or choose a folder of your own (--session-dir=DIR); "
				"profiling your own programs does not require root: operf COMMAND",
				dir);
	if (error)
		return folder_explain(error, dir, "--session-dir", &control->diag);
	if (control->folder_fd < 0)
		return 0;
	error = folder_check(control->folder_fd, dir, "--session-dir", &control->diag);
	for (size_t i = 0; !error && i < sizeof(names) / sizeof(names[0]); i++)
		error = folder_check_tree(control->folder_fd, names[i], 0, control->session_dir,
					  &control->diag);
	return error;
}

static int run_actions(struct opcontrol *control)
{
	size_t nr = sizeof(opcontrol_acts) / sizeof(opcontrol_acts[0]);
	unsigned int actions = control->options->actions;
	int hold = -1;
	int error = find_session_dir(control);

	if (!error && actions & OPCONTROL_ALONE) {
		hold = session_files_hold(control->folder_fd, control->session_dir, HOLD_TIMEOUT_MS,
					  &control->diag);
		error = hold == -ENOENT || hold >= 0 ? 0 : hold;
	}
	if (!error && actions & OPCONTROL_MAKES)
		error = load_setup(control);
	for (size_t i = 0; !error && i < nr; i++) {
		if (actions & (unsigned int)opcontrol_acts[i].action)
			error = opcontrol_acts[i].act(control);
	}
	if (control->setup_loaded)
		setup_deinit(&control->setup);
	if (hold >= 0)
		(void)close(hold);
	return error;
}

/*
 * Saves the settings for the systemd unit, and ends a daemon that runs outside the unit. Sets
 * *begin to the way in which the unit must be started.
 */
static int prepare_boot(struct opcontrol *control, enum boot_begin *begin)
{
	int error = load_setup(control);
	bool is_active;
	int running;

	if (!error)
		error = sampling_check(&control->setup.sampling, EVENT_HZ_LEFT_ON, &control->diag);
	if (!error)
		error = check_module(control);
	if (error)
		return error;
	running = daemon_runs(control);
	if (running < 0)
		return running;
	*begin = BOOT_START;
	session_owner_leave(&control->owner);
	is_active = running != RUNNING_NONE && boot_is_active();
	session_owner_return(&control->owner);
	if (running != RUNNING_NONE && !is_active)
		error = do_shutdown(control);
	else if (running == RUNNING_OTHERWISE)
		*begin = BOOT_RESTART;
	return error ? error
		     : setup_save(&control->setup, control->folder_fd, control->session_dir,
				  &control->diag);
}

/* Unlocks the session folder before the unit starts, because the unit's opcontrol also locks it. */
static int start_at_boot(struct opcontrol *control)
{
	char command[REPORT_COMMAND_BYTES];
	enum boot_begin begin;
	int hold, error;

	hold = session_files_hold(control->folder_fd, control->session_dir, HOLD_TIMEOUT_MS,
				  &control->diag);
	if (hold < 0)
		return hold;
	error = prepare_boot(control, &begin);
	(void)close(hold);
	session_owner_leave(&control->owner);
	if (!error)
		error = boot_enable(begin, &control->diag);
	if (error)
		return error;
	report_command("opreport", control->session_dir, command);
	(void)printf("Profiler running, now and after every boot; report its samples at any time "
		     "with: %s\n",
		     command);
	return 0;
}

static int stop_at_boot(struct opcontrol *control)
{
	int error;

	session_owner_leave(&control->owner);
	error = boot_disable(&control->diag);
	session_owner_return(&control->owner);
	if (!error) /* also end a daemon that was started outside the unit */
		error = do_shutdown(control);
	if (!error)
		(void)printf("Profiling no longer begins at boot.\n");
	return error;
}

static int run_boot(struct opcontrol *control)
{
	int error = boot_check(control->options->session_dir, &control->diag);

	if (!error)
		error = find_session_dir(control);
	if (!error)
		error = control->options->actions & OPCONTROL_START ? start_at_boot(control)
								    : stop_at_boot(control);
	if (control->setup_loaded)
		setup_deinit(&control->setup);
	return error;
}

static int run(const struct opcontrol_options *options)
{
	struct opcontrol control = {.options = options, .folder_fd = -1};
	int error;

	if (options->actions & OPCONTROL_LIST_EVENTS)
		error = event_list_print(stdout, &control.diag);
	else if (options->boot)
		error = run_boot(&control);
	else
		error = run_actions(&control);
	if (error)
		log_error("%s", diag_show(&control.diag));
	if (control.folder_fd >= 0)
		(void)close(control.folder_fd);
	if (error && !control.exit_status)
		control.exit_status =
			options->actions == OPCONTROL_HEALTH ? EXIT_UNKNOWN : EXIT_FAILURE;
	return control.exit_status;
}

int main(int argc, const char **argv)
{
	struct opcontrol_options options;
	struct diag diag = {0};
	int status;

	log_init("opcontrol", LOG_LEVEL_INFO);
	children_keep();
	status = opcontrol_options_parse(&options, argc, argv, &diag);
	if (status < 0)
		log_error("%s", diag_show(&diag));
	if (!status)
		status = run(&options);
	else
		status = status < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	opcontrol_options_deinit(&options);
	return option_end_output(status);
}
