// SPDX-License-Identifier: GPL-2.0-or-later
/* The checks of oprof doctor for which files of the kernel and the system are read. */
#include "control/doctor/doctor.h"

#include "control/module/module_fs.h"
#include "events/events.h"
#include "lib/confine.h"
#include "lib/file.h"
#include "lib/folder.h"
#include "lib/own_user.h"
#include "lib/seccomp_filter.h"
#include "oprof/kmod.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMALL_FILE_BYTES 65536

static const char *at(const char *root, const char *path, char *full)
{
	(void)snprintf(full, PATH_MAX, "%s%s", root, path);
	return full;
}

static bool read_number(const char *root, const char *path, long *value)
{
	char full[PATH_MAX];
	char *text;
	char *end;
	bool good;

	if (file_read_text(at(root, path, full), 64, &text, NULL))
		return false;
	errno = 0;
	*value = strtol(text, &end, 10);
	good = !errno && end != text;
	free(text);
	return good;
}

static bool exists(const char *root, const char *path, int mode)
{
	char full[PATH_MAX];

	return !access(at(root, path, full), mode);
}

void doctor_check_level(const char *root, struct doctor_finding *finding)
{
	static const char *const meanings[] = {
		"users may profile the whole machine, including the kernel",
		"users may profile their own processes, including the kernel",
		"users may profile their own processes, in user space only",
	};
	long level;

	if (!read_number(root, "/proc/sys/kernel/perf_event_paranoid", &level))
		doctor_set(finding, DOCTOR_NOTE, NULL,
			   "kernel.perf_event_paranoid does not exist: the kernel has no "
			   "performance events, or this is a container");
	else if (level < 0)
		doctor_set(finding, DOCTOR_OK, NULL, "%ld: users may do everything", level);
	else if (level <= 2)
		doctor_set(finding, DOCTOR_OK, NULL, "%ld: %s", level, meanings[level]);
	else
		doctor_set(finding, DOCTOR_NOTE, "sudo sysctl kernel.perf_event_paranoid=2",
			   "%ld: on kernels that support this level, only root may profile", level);
}

void doctor_check_filter(const char *root, struct doctor_finding *finding)
{
	char full[PATH_MAX];
	char *text;
	const char *line;

	if (file_read_text(at(root, "/proc/self/status", full), SMALL_FILE_BYTES, &text, NULL)) {
		doctor_set(finding, DOCTOR_NOTE, "mount -t proc proc /proc",
			   "/proc cannot be read");
		return;
	}
	line = strstr(text, "\nSeccomp:\t");
	if (line && line[strlen("\nSeccomp:\t")] != '0')
		doctor_set(finding, DOCTOR_NOTE, NULL,
			   "a filter restricts this process's system calls (a container?); if "
			   "performance events are refused, start the container with --cap-add "
			   "PERFMON --security-opt seccomp=unconfined");
	else
		doctor_set(finding, DOCTOR_OK, NULL, "none");
	free(text);
}

#define SESSION_DIR "/var/lib/oprofile"
#define USERADD	    "sudo useradd --system --user-group --home-dir=/ --shell=/usr/sbin/nologin "
#define GIVE_SESSION                                                                               \
	"sudo oprof stop; sudo chown -hR " FOLDER_USER ": " SESSION_DIR "/; sudo oprof start"

/*
 * Finds the user as which the daemon of root's session folder runs. The caller has checked that
 * this machine can confine processes.
 */
static void check_run_user(const char *root, struct doctor_finding *finding)
{
	char full[PATH_MAX];
	struct own_user user;
	struct stat st;
	const bool has_folder = !stat(at(root, SESSION_DIR, full), &st);

	if (!own_user_find(at(root, OWN_USER_LIST, full), FOLDER_USER, &user))
		doctor_set(finding, DOCTOR_NOTE, USERADD FOLDER_USER,
			   "the daemon of root's session folder runs as root; it could run as the "
			   "user " FOLDER_USER " (without the kernel module)");
	else if (user.can_log_in)
		doctor_set(
			finding, DOCTOR_NOTE, NULL,
			"the user " FOLDER_USER
			" can log in, and may be a person: the daemon does not run as this user");
	else if (!has_folder)
		doctor_set(
			finding, DOCTOR_OK, NULL,
			"if root runs oprof, programs' files are read as the user " CONFINE_USER);
	else if ((st.st_uid && st.st_uid != user.uid) || st.st_mode & (S_IWGRP | S_IWOTH))
		doctor_set(
			finding, DOCTOR_NOTE,
			"move the folder away, so that root can create a new folder",
			"the daemon refuses to run, because users other than root and " FOLDER_USER
			" may write in the session folder " SESSION_DIR);
	else if (!st.st_uid)
		doctor_set(finding, DOCTOR_NOTE, GIVE_SESSION,
			   "the daemon runs as root, because the session folder " SESSION_DIR
			   " belongs to root; the daemon could run as the user " FOLDER_USER
			   " (without the kernel module)");
	else
		doctor_set(finding, DOCTOR_OK, NULL,
			   "if root runs oprof, programs' files are read as the user " CONFINE_USER
			   ", and the daemon of " SESSION_DIR " runs as " FOLDER_USER);
}

void doctor_check_confinement(const char *root, struct doctor_finding *finding)
{
	char full[PATH_MAX];
	char *text = NULL;
	struct own_user user;
	/* The file has this line only if the kernel supports seccomp. */
	const bool has_seccomp = !file_read_text(at(root, "/proc/self/status", full),
						 SMALL_FILE_BYTES, &text, NULL) &&
				 strstr(text, "\nSeccomp:");

	free(text);
	if (!SECCOMP_SUPPORTED || !has_seccomp)
		doctor_set(finding, DOCTOR_NOTE, NULL,
			   "oprof cannot restrict its own system calls, because this kernel has "
			   "no seccomp, or oprof does not support seccomp on this processor: a "
			   "program that exploits an error in how oprof reads the program's files "
			   "may get the rights of the user who runs oprof");
	else if (!own_user_find(at(root, OWN_USER_LIST, full), CONFINE_USER, &user))
		doctor_set(finding, DOCTOR_NOTE, USERADD CONFINE_USER,
			   "if root runs oprof, programs' files are read as the user nobody, "
			   "which other services may also use");
	else
		check_run_user(root, finding);
}

void doctor_check_rate(const char *root, struct doctor_finding *finding)
{
	long hz;

	if (!read_number(root, "/proc/sys/kernel/perf_event_max_sample_rate", &hz))
		doctor_set(finding, DOCTOR_NOTE, NULL,
			   "the kernel does not report its maximum sample rate");
	else if (hz < EVENT_HZ_RUN)
		doctor_set(finding, DOCTOR_NOTE,
			   "sudo sysctl kernel.perf_event_max_sample_rate=100000",
			   "the kernel allows at most %ld samples per second; use a lower "
			   "frequency (-F %ld)",
			   hz, hz > 1 ? hz / 2 : 1);
	else
		doctor_set(
			finding, DOCTOR_OK, NULL,
			"up to %ld samples per second; with cpu-clock and task-clock, up to 10000",
			hz);
}

/*
 * Finds the first symbol address other than 0. Sets *address to 0 if all are 0, because the kernel
 * hides them. Returns false if there are no symbols.
 */
static bool first_symbol(const char *root, unsigned long long *address)
{
	char full[PATH_MAX];
	char line[256];
	FILE *file = fopen(at(root, "/proc/kallsyms", full), "re");
	bool found = false;

	/*
	 * Some of the first symbols (per-CPU data) may really have address 0, so several symbols
	 * are read.
	 */
	for (int i = 0; file && i < 1000 && fgets(line, sizeof(line), file); i++) {
		char *end;

		*address = strtoull(line, &end, 16);
		found = end != line;
		if (*address)
			break;
	}
	if (file)
		(void)fclose(file);
	return found;
}

void doctor_check_kernel_symbols(const char *root, struct doctor_finding *finding)
{
	unsigned long long address = 0;
	long restricted = 0;

	(void)read_number(root, "/proc/sys/kernel/kptr_restrict", &restricted);
	if (!first_symbol(root, &address))
		doctor_set(finding, DOCTOR_NOTE, NULL,
			   "the kernel shows no symbols (/proc/kallsyms; CONFIG_KALLSYMS)");
	else if (address)
		doctor_set(finding, DOCTOR_OK, NULL, "visible to this user");
	else if (restricted)
		doctor_set(finding, DOCTOR_NOTE, "sudo sysctl kernel.kptr_restrict=0",
			   "hidden (kernel.kptr_restrict is %ld): kernel code has no names",
			   restricted);
	else
		doctor_set(finding, DOCTOR_NOTE, "sudo sysctl kernel.perf_event_paranoid=1",
			   "hidden from this user: kernel code has no names");
}

static bool folder_has_entries(const char *root, const char *path)
{
	char full[PATH_MAX];
	DIR *dir = opendir(at(root, path, full));
	const struct dirent *entry;
	bool found = false;

	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)))
		found = entry->d_name[0] != '.';
	(void)closedir(dir);
	return found;
}

/*
 * Returns whether the text of os-release(5) has this ID. The ID may be in quotes, as it is the
 * value of a shell assignment.
 */
static bool has_id(const char *text, const char *id)
{
	const size_t nr_bytes = strlen(id);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		char quote;

		line += *line == '\n';
		if (strncmp(line, "ID=", 3) != 0)
			continue;
		line += 3;
		quote = *line == '"' || *line == '\'' ? *line++ : '\0';
		if (strncmp(line, id, nr_bytes) != 0)
			return false;
		line += nr_bytes;
		return quote ? *line == quote : *line == '\n' || !*line;
	}
	return false;
}

/*
 * Returns a command that selects a debuginfod server. This is the distribution's server if the ID
 * in os-release is one of the IDs below, and otherwise elfutils' server.
 */
static const char *debuginfod_remedy(const char *root)
{
	static const struct {
		const char *id, *remedy;
	} servers[] = {
		{"debian", "export DEBUGINFOD_URLS=https://debuginfod.debian.net"},
		{"ubuntu", "export DEBUGINFOD_URLS=https://debuginfod.ubuntu.com"},
		{"fedora", "export DEBUGINFOD_URLS=https://debuginfod.fedoraproject.org"},
		{"arch", "export DEBUGINFOD_URLS=https://debuginfod.archlinux.org"},
	};
	const char *remedy = "export DEBUGINFOD_URLS=https://debuginfod.elfutils.org";
	char full[PATH_MAX];
	char *text;

	if (file_read_text(at(root, "/etc/os-release", full), SMALL_FILE_BYTES, &text, NULL))
		return remedy;
	for (unsigned int i = 0; i < sizeof(servers) / sizeof(servers[0]); i++)
		if (has_id(text, servers[i].id))
			remedy = servers[i].remedy;
	free(text);
	return remedy;
}

void doctor_check_debug_info(const char *root, struct doctor_finding *finding)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (urls && *urls)
		doctor_set(finding, DOCTOR_OK, NULL, "fetched from %s", urls);
	else if (folder_has_entries(root, "/usr/lib/debug/.build-id"))
		doctor_set(finding, DOCTOR_OK, NULL, "some is installed in /usr/lib/debug");
	else
		doctor_set(finding, DOCTOR_NOTE, debuginfod_remedy(root),
			   "none is installed: reports have few names for stripped programs and "
			   "libraries");
}

void doctor_judge_module(const struct module_answer *answer, struct doctor_finding *finding)
{
	if (answer->works)
		doctor_set(finding, DOCTOR_NOTE, "sudo opcontrol --init",
			   "not loaded, but can be loaded; without the module, perf_event_open is "
			   "the source");
	else
		doctor_set(finding, DOCTOR_NOTE, answer->remedy,
			   "not required, because perf_event_open is the source; the module "
			   "cannot be loaded: %s",
			   answer->reason);
}

void doctor_check_module(const char *root, struct doctor_finding *finding)
{
	const char *const words[] = {"status", *root ? "--root" : NULL, root, NULL};
	struct module_answer answer;

	if (module_fs_is_mounted(root, OPROF_KMOD_MOUNT)) {
		doctor_set(finding, DOCTOR_OK, NULL, "loaded; its files are in %s",
			   OPROF_KMOD_MOUNT);
	} else if (module_fs_is_loaded(root)) {
		doctor_set(finding, DOCTOR_NOTE, "sudo opcontrol --init",
			   "loaded, but its files are not mounted");
	} else {
		module_tool_run(words, &answer);
		doctor_judge_module(&answer, finding);
	}
}

void doctor_check_btf(const char *root, struct doctor_finding *finding)
{
	if (exists(root, "/sys/kernel/btf/vmlinux", R_OK))
		doctor_set(finding, DOCTOR_OK, NULL, "the kernel describes its types");
	else
		doctor_set(finding, DOCTOR_NOTE, NULL,
			   "the kernel does not describe its types (CONFIG_DEBUG_INFO_BTF); only "
			   "tracing needs this");
}

void doctor_check_tracefs(const char *root, struct doctor_finding *finding)
{
	if (exists(root, "/sys/kernel/tracing/events", R_OK | X_OK))
		doctor_set(finding, DOCTOR_OK, NULL, "/sys/kernel/tracing can be read");
	else if (exists(root, "/sys/kernel/tracing", F_OK) && geteuid() != 0)
		doctor_set(finding, DOCTOR_NOTE,
			   "sudo mount -o remount,mode=755 /sys/kernel/tracing",
			   "this user may not read tracefs; only tracing requires it");
	else
		doctor_set(finding, DOCTOR_NOTE,
			   "sudo mount -t tracefs tracefs /sys/kernel/tracing",
			   "not mounted; only tracing needs it");
}
