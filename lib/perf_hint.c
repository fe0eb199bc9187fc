// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/perf_hint.h"

#include "lib/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CONTAINER_REMEDY                                                                           \
	"start it by: docker run --cap-add PERFMON --security-opt seccomp=unconfined IMAGE"

static bool read_setting(const char *path, long *value)
{
	char *text;
	char *end;
	bool good;

	if (file_read_text(path, 64, &text, NULL))
		return false;
	errno = 0;
	*value = strtol(text, &end, 10);
	good = !errno && end != text;
	free(text);
	return good;
}

void perf_hint_machine_read(struct perf_hint_machine *machine)
{
	struct rlimit limit = {0, 0};
	long level = 0;
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*machine = (struct perf_hint_machine){.root = false};
	machine->level_known = read_setting("/proc/sys/kernel/perf_event_paranoid", &level);
	machine->level = (int)level;
	if (!read_setting("/proc/sys/kernel/perf_event_max_sample_rate", &machine->max_sample_hz))
		machine->max_sample_hz = 0;
	if (!read_setting("/proc/sys/kernel/perf_event_mlock_kb", &machine->mlock_kb))
		machine->mlock_kb = 0;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		machine->memlock_kb = -1;
	else
		machine->memlock_kb = (long)(limit.rlim_cur / 1024);
	machine->nr_cpus = nr_cpus > 0 ? (unsigned int)nr_cpus : 1;
}

static void refused_hint(const struct perf_hint_machine *machine, enum perf_hint_scope scope,
			 char *text, size_t nr_bytes)
{
	/* The highest value of kernel.perf_event_paranoid that allows each scope. */
	static const struct {
		const char *whose;
		int level;
	} scopes[] = {
		[PERF_HINT_OWN_USER] = {"of your own processes", 2},
		[PERF_HINT_OWN_KERNEL] = {"of your own processes in kernel mode", 1},
		[PERF_HINT_SYSTEM] = {"of the whole machine", 0},
	};
	const char *whose = scopes[scope].whose;
	int target = scopes[scope].level;

	if (machine->root)
		(void)snprintf(
			text, nr_bytes,
			"the kernel does not allow root to open performance events, probably "
			"because this container may not use them; " CONTAINER_REMEDY);
	else if (!machine->level_known)
		(void)snprintf(text, nr_bytes,
			       "the kernel does not allow this user to open performance events "
			       "%s; run as root: sudo oprof ...",
			       whose);
	else if (machine->level > target)
		(void)snprintf(text, nr_bytes,
			       "the kernel does not allow this user to open performance "
			       "events %s (level %d); allow them: sudo sysctl "
			       "kernel.perf_event_paranoid=%d; or run as root; in a "
			       "container, " CONTAINER_REMEDY,
			       whose, machine->level, target);
	else
		(void)snprintf(text, nr_bytes,
			       "the kernel refuses performance events %s although level %d allows "
			       "them, probably because of a container or another filter of system "
			       "calls; " CONTAINER_REMEDY,
			       whose, machine->level);
}

static void absent_hint(char *text, size_t nr_bytes)
{
	(void)snprintf(text, nr_bytes,
		       "this kernel has no performance events (CONFIG_PERF_EVENTS), or a "
		       "container hides them; " CONTAINER_REMEDY);
}

void perf_open_hint_on(const struct perf_hint_machine *machine, int error,
		       enum perf_hint_scope scope, char *text, size_t nr_bytes)
{
	error = abs(error);
	switch (error) {
	case EACCES:
	case EPERM:
		refused_hint(machine, scope, text, nr_bytes);
		break;
	case ENOSYS:
		absent_hint(text, nr_bytes);
		break;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		(void)snprintf(text, nr_bytes,
			       "this machine cannot count or sample this event; use one that "
			       "works everywhere: -e cpu-clock");
		break;
	case EMFILE:
	case ENFILE:
		(void)snprintf(text, nr_bytes,
			       "the limit of open files is too low for an event on each of %u "
			       "CPUs; raise it: ulimit -n 65536",
			       machine->nr_cpus);
		break;
	case EINVAL:
		(void)snprintf(text, nr_bytes,
			       "the kernel refuses the settings of this event; it samples at "
			       "most %ld times a second: use a lower rate (-F 99), or raise "
			       "the limit: sudo sysctl "
			       "kernel.perf_event_max_sample_rate=100000",
			       machine->max_sample_hz);
		break;
	case EBUSY:
		(void)snprintf(text, nr_bytes,
			       "another program uses the counters (%s); end it, or use -e "
			       "cpu-clock",
			       strerror(error));
		break;
	case ESRCH:
		(void)snprintf(text, nr_bytes, "the process has already ended");
		break;
	default:
		(void)snprintf(text, nr_bytes, "the kernel refuses the event: %s", strerror(error));
	}
}

void perf_mmap_hint_on(const struct perf_hint_machine *machine, int error, unsigned int nr_pages,
		       char *text, size_t nr_bytes)
{
	long page_kb = sysconf(_SC_PAGESIZE) / 1024;
	/* Each ring has one additional page, its header. */
	long need_kb = (long)(nr_pages + 1) * page_kb;

	error = abs(error);
	if (error == EPERM || error == EAGAIN)
		(void)snprintf(text, nr_bytes,
			       "rings of %u pages need %ld KB of locked memory per CPU, but "
			       "only %ld KB per CPU are allowed; allow more: sudo sysctl "
			       "kernel.perf_event_mlock_kb=%ld; or use smaller rings, or end "
			       "your other profilers",
			       nr_pages, need_kb, machine->mlock_kb,
			       (need_kb > machine->mlock_kb ? need_kb : machine->mlock_kb) * 2);
	else if (error == ENOMEM)
		(void)snprintf(text, nr_bytes,
			       "out of memory for rings of %u pages on %u CPUs; use smaller rings",
			       nr_pages, machine->nr_cpus);
	else
		(void)snprintf(text, nr_bytes, "cannot map a ring of %u pages: %s", nr_pages,
			       strerror(error));
}

void perf_open_hint(int error, enum perf_hint_scope scope, bool root, char *text, size_t nr_bytes)
{
	struct perf_hint_machine machine;

	perf_hint_machine_read(&machine);
	machine.root = root;
	perf_open_hint_on(&machine, error, scope, text, nr_bytes);
}

void perf_mmap_hint(int error, unsigned int nr_pages, char *text, size_t nr_bytes)
{
	struct perf_hint_machine machine;

	perf_hint_machine_read(&machine);
	perf_mmap_hint_on(&machine, error, nr_pages, text, nr_bytes);
}
