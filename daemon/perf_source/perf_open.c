// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf_source/perf_open.h"

#include "daemon/system/run_user.h"
#include "lib/perf_hint.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * Sizes of the rings of each CPU. With pages of 4 KiB, a user may by default lock the memory of
 * both rings.
 */
#define SAMPLE_BYTES (256u << 10)
#define SIDE_BYTES   (128u << 10)
/*
 * Root may lock any amount of memory, so root's side-band ring has room for the records of very
 * many programs that start at the same time. The rings of all CPUs together have a limit of their
 * own.
 */
#define SIDE_BYTES_ROOT	    (1u << 20)
#define SIDE_BYTES_ROOT_ALL (16u << 20)
/* Sizes of the rings for switches. A user may by default lock all three rings. */
#define SWITCH_BYTES	      (64u << 10)
#define SWITCH_BYTES_ROOT     (512u << 10)
#define SWITCH_BYTES_ROOT_ALL (32u << 20)
/*
 * STACK_BYTES is the size of each copy of a stack. A ring for samples with such copies holds the
 * samples of a tenth of a second, at a rate of about a thousand samples per second. A user's ring
 * is halved until it can be locked.
 */
#define STACK_BYTES	    (32u << 10)
#define STACK_BYTES_MIN	    1024u
#define STACK_RING_MIN	    16u /* copies that a ring must hold */
#define STACK_RING_USER	    (2u << 20)
#define STACK_RING_ROOT	    (4u << 20)
#define STACK_RING_ROOT_ALL (128u << 20)

static int open_syscall(struct perf_event_attr *attr, pid_t pid, int cpu, unsigned long flags)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, flags);

	return fd < 0 ? -errno : (int)fd;
}

/* Raises the limit of descriptors to the hard limit. Returns 0 if the limit is now higher. */
static int raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
		return -EMFILE;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) ? -errno : 0;
}

static int open_event(const struct perf_open *open, struct perf_event_attr *attr, pid_t tid,
		      int cpu)
{
	int fd;

	attr->size = open->attr_bytes;
	fd = open->open(attr, tid, cpu, PERF_FLAG_FD_CLOEXEC);
	if (fd == -EMFILE && !raise_descriptors())
		fd = open->open(attr, tid, cpu, PERF_FLAG_FD_CLOEXEC);
	return fd;
}

uint64_t perf_open_rate(const struct perf_open *open, const struct event_choice *event)
{
	uint64_t period = event_choice_period(event);
	uint64_t hz = event->period_or_hz / open->thinning;

	if (!event->frequency)
		return period;
	if (period)
		return period * open->thinning;
	return hz ? hz : 1;
}

static uint64_t sample_type_of(const struct source_config *config, unsigned int features)
{
	uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

	for (size_t i = 0; i < config->nr_events; i++)
		if (!event_choice_period(&config->events[i]))
			type |= PERF_SAMPLE_PERIOD;
	if (config->chain_depth)
		type |= PERF_SAMPLE_CALLCHAIN;
	if (features & PERF_FEATURE_USER_STACK)
		type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	if (features & PERF_FEATURE_SAMPLE_CGROUP)
		type |= PERF_SAMPLE_CGROUP;
	return type;
}

/*
 * Sets the maximum length of call chains: the depth + 1, because the kernel counts the leaf as a
 * frame.
 */
static void attr_chain(const struct perf_open *open, struct perf_event_attr *attr)
{
	if (open->config->chain_depth && open->features & PERF_FEATURE_MAX_STACK)
		attr->sample_max_stack = (uint16_t)(open->config->chain_depth + 1);
	if (!(open->features & PERF_FEATURE_USER_STACK))
		return;
	attr->sample_regs_user = open->regs->mask;
	attr->sample_stack_user = open->stack_bytes;
	attr->exclude_callchain_user = 1;
}

/* Sets the attributes that all events have. */
static void attr_common(const struct perf_open *open, struct perf_event_attr *attr,
			unsigned int nr_pages)
{
	memset(attr, 0, sizeof(*attr));
	attr->read_format = PERF_FORMAT_ID;
	if (open->features & PERF_FEATURE_LOST)
		attr->read_format |= PERF_FORMAT_LOST;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->exclude_hv = 1;
	attr->inherit = open->config->target == SOURCE_TASKS;
	/*
	 * The kernel wakes the daemon when half of a ring is full. The other half receives records
	 * until the daemon reads the ring.
	 */
	attr->watermark = 1;
	attr->wakeup_watermark = (uint32_t)(nr_pages * (uint64_t)sysconf(_SC_PAGESIZE) / 2);
}

static void attr_samples(const struct perf_open *open, const struct event_choice *event,
			 struct perf_event_attr *attr)
{
	const struct source_config *config = open->config;

	attr_common(open, attr, open->sample_pages);
	attr->type = event->perf_type;
	attr->config = event->config;
	attr->sample_type = open->sample_type;
	/* sample_period and sample_freq are the same field of attr. */
	attr->sample_period = perf_open_rate(open, event);
	attr->freq = !event_choice_period(event);
	/*
	 * If only kernel mode is requested, the event must include kernel mode, because it would
	 * otherwise count nothing. The kernel may refuse such an event.
	 */
	attr->exclude_kernel = !event->kernel || (open->user_only && event->user);
	attr->exclude_user = !event->user;
	attr->disabled = 1;
	attr->enable_on_exec = config->enable_on_exec;
	attr_chain(open, attr);
}

static void attr_side_band(const struct perf_open *open, struct perf_event_attr *attr)
{
	attr_common(open, attr, open->side_pages);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_period = 1;
	attr->sample_type = open->side_type;
	/*
	 * Kernel mode is excluded, because the kernel may refuse an event that includes kernel
	 * mode. The side-band records are also written without kernel mode.
	 */
	attr->exclude_kernel = 1;
	attr->mmap = 1;
	attr->comm = 1;
	attr->task = 1;
	attr->mmap2 = !!(open->features & PERF_FEATURE_MMAP2);
	attr->comm_exec = !!(open->features & PERF_FEATURE_COMM_EXEC);
	attr->build_id = !!(open->features & PERF_FEATURE_BUILD_ID);
	attr->cgroup = !!(open->features & PERF_FEATURE_CGROUP);
	attr->ksymbol = !!(open->features & PERF_FEATURE_KSYMBOL);
}

static void attr_switches(const struct perf_open *open, struct perf_event_attr *attr)
{
	attr_common(open, attr, open->switch_pages);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_period = 1;
	attr->sample_type = open->switch_type;
	/*
	 * Kernel mode is excluded, because the kernel may refuse an event that includes kernel
	 * mode. The switch records are also written without kernel mode.
	 */
	attr->exclude_kernel = 1;
	attr->context_switch = 1;
	attr->disabled = 1;
	attr->enable_on_exec = open->config->enable_on_exec;
}

/* Opens a side-band event on this process, with all features that sampled events will request. */
static int probe_once(const struct perf_open *open, uint32_t *attr_bytes)
{
	struct perf_event_attr attr;
	int fd;

	attr_side_band(open, &attr);
	attr.sample_type = sample_type_of(open->config, open->features);
	attr_chain(open, &attr);
	fd = open_event(open, &attr, 0, -1);
	*attr_bytes = attr.size;
	if (fd >= 0)
		(void)close(fd);
	return fd < 0 ? fd : 0;
}

static unsigned int features_wanted(const struct source_config *config)
{
	unsigned int features = PERF_FEATURE_LOST | PERF_FEATURE_BUILD_ID | PERF_FEATURE_MMAP2 |
				PERF_FEATURE_COMM_EXEC;

	if (config->chain_depth)
		features |= PERF_FEATURE_MAX_STACK;
	if (config->chain_depth && config->unwind != SOURCE_UNWIND_FP && perf_regs_here())
		features |= PERF_FEATURE_USER_STACK;
	if (config->want_cgroup)
		features |= PERF_FEATURE_CGROUP | PERF_FEATURE_SAMPLE_CGROUP;
	if (config->target == SOURCE_SYSTEM)
		features |= PERF_FEATURE_KSYMBOL;
	return features;
}

/* Removes features one by one until the kernel accepts the remaining features. */
static int probe(struct perf_open *open)
{
	unsigned int next = 1;
	uint32_t attr_bytes;
	int error;

	while ((error = probe_once(open, &attr_bytes))) {
		if (error == -E2BIG && attr_bytes < open->attr_bytes &&
		    attr_bytes >= PERF_ATTR_SIZE_VER0) {
			open->attr_bytes = attr_bytes; /* the size that this kernel supports */
			if (attr_bytes < PERF_ATTR_SIZE_VER5)
				open->features &= ~(unsigned int)PERF_FEATURE_MAX_STACK;
			continue;
		}
		if (error == -EOVERFLOW && open->features & PERF_FEATURE_MAX_STACK) {
			open->features &= ~(unsigned int)PERF_FEATURE_MAX_STACK;
			continue;
		}
		/* This kernel cannot copy a user's stack on this machine. */
		if (error == -ENOSYS && open->features & PERF_FEATURE_USER_STACK) {
			open->features &= ~(unsigned int)PERF_FEATURE_USER_STACK;
			continue;
		}
		if (error != -EINVAL)
			return error;
		while (next < PERF_FEATURES_END && !(open->features & next))
			next <<= 1;
		if (next == PERF_FEATURES_END)
			return error;
		open->features &= ~next;
	}
	return 0;
}

static bool is_refused(int error)
{
	return error == -EACCES || error == -EPERM;
}

static enum perf_hint_scope hint_scope(const struct perf_open *open,
				       const struct event_choice *choice)
{
	if (open->config->target == SOURCE_SYSTEM)
		return PERF_HINT_SYSTEM;
	return choice && !choice->user ? PERF_HINT_OWN_KERNEL : PERF_HINT_OWN_USER;
}

/*
 * Explains an error. choice: the event; NULL for side-band, which has no event name that users
 * know.
 */
static int open_diag(const struct perf_open *open, const struct event_choice *choice, pid_t tid,
		     int error, struct diag *diag)
{
	const char *name = choice ? choice->name : "profiling";
	char hint[PERF_HINT_BYTES];

	switch (error) {
	case -ENOENT:
	case -ENODEV:
	case -EOPNOTSUPP:
	case -524: /* ENOTSUPP, which the kernel should not return to programs */
		return diag_set(diag, error,
				"%s cannot be sampled on this machine (no such counter, or one "
				"without an interrupt): use cpu-clock",
				name);
	case -EINVAL:
		return diag_set(
			diag, error,
			"the kernel refuses the parameters of %s: its frequency may exceed "
			"kernel.perf_event_max_sample_rate, or its count may be too small or too "
			"large for this counter",
			name);
	case -EMFILE:
	case -ENFILE:
		return diag_set(diag, error,
				"%s needs more open files than allowed: raise the limit (ulimit "
				"-n) or profile fewer threads",
				name);
	case -EACCES:
	case -EPERM:
		/*
		 * perf_open_init() opened an event on this process, so the kernel refuses only the
		 * target.
		 */
		if (tid > 0 && !run_user_is_system())
			return diag_set(
				diag, error,
				"this user may not profile process %d, which belongs to another "
				"user or has more rights: run as root (sudo "
				"oprof ...)",
				(int)tid);
		break;
	default:
		break;
	}
	perf_open_hint(error, hint_scope(open, choice), run_user_is_system(), hint, sizeof(hint));
	return diag_set(diag, error, "%s%s%s", choice ? name : "", choice ? ": " : "", hint);
}

int perf_open_samples(struct perf_open *open, size_t event, pid_t tid, int cpu, struct diag *diag)
{
	const struct event_choice *choice = &open->config->events[event];
	struct perf_event_attr attr;
	int fd;

	attr_samples(open, choice, &attr);
	fd = open_event(open, &attr, tid, cpu);
	if (is_refused(fd) && choice->kernel && choice->user && !open->user_only) {
		attr.exclude_kernel = 1;
		fd = open_event(open, &attr, tid, cpu);
		if (fd >= 0)
			open->user_only = true;
	}
	if (fd >= 0 || fd == -ESRCH || (fd == -ENODEV && choice->perf_type == PERF_TYPE_SOFTWARE))
		return fd;
	return open_diag(open, choice, tid, fd, diag);
}

int perf_open_side_band(struct perf_open *open, pid_t tid, int cpu, struct diag *diag)
{
	struct perf_event_attr attr;
	int fd;

	attr_side_band(open, &attr);
	fd = open_event(open, &attr, tid, cpu);
	if (fd >= 0 || fd == -ESRCH || fd == -ENODEV)
		return fd;
	return open_diag(open, NULL, tid, fd, diag);
}

int perf_open_switches(struct perf_open *open, pid_t tid, int cpu, struct diag *diag)
{
	struct perf_event_attr attr;
	int fd;

	attr_switches(open, &attr);
	fd = open_event(open, &attr, tid, cpu);
	if (fd >= 0 || fd == -ESRCH || fd == -ENODEV)
		return fd;
	if (fd == -EINVAL || fd == -E2BIG)
		return diag_set(
			diag, fd,
			"off-cpu requires records of context switches, which this kernel lacks "
			"(before Linux 4.3): profile without off-cpu");
	return open_diag(open, NULL, tid, fd, diag);
}

static int probe_switches(struct perf_open *open, struct diag *diag)
{
	int fd;

	if (!open->config->want_switches)
		return 0;
	fd = perf_open_switches(open, 0, -1, diag);
	if (fd >= 0)
		(void)close(fd);
	return fd < 0 ? fd : 0;
}

/* Determines early, with events on this process, whether kernel mode is allowed. */
static int probe_mode(struct perf_open *open, struct diag *diag)
{
	for (size_t i = 0; i < open->config->nr_events; i++) {
		int fd;

		if (!event_choice_is_sampled(&open->config->events[i]))
			continue;
		fd = perf_open_samples(open, i, 0, -1, diag);
		if (fd < 0)
			return fd;
		(void)close(fd);
	}
	return 0;
}

/* Returns a number of pages that fit into nr_bytes: a power of two, as the kernel requires. */
static unsigned int pages_of(unsigned int nr_bytes)
{
	unsigned int page_bytes = (unsigned int)sysconf(_SC_PAGESIZE);
	unsigned int nr_pages = 1;

	while (nr_pages * 2 <= nr_bytes / page_bytes)
		nr_pages *= 2;
	return nr_pages;
}

/*
 * Limits of a ring's size: user_bytes for a user; root_bytes for root's ring of one CPU, and
 * root_all_bytes for root's rings of all CPUs together.
 */
struct ring_share {
	unsigned int user_bytes, root_bytes, root_all_bytes;
};

static unsigned int band_pages_of(const struct ring_share *share, unsigned int nr_cpus)
{
	unsigned int nr_bytes = share->root_all_bytes / (nr_cpus ? nr_cpus : 1);

	if (!run_user_is_system() || nr_bytes < share->user_bytes)
		return pages_of(share->user_bytes);
	return pages_of(nr_bytes < share->root_bytes ? nr_bytes : share->root_bytes);
}

uint32_t perf_open_stack_bytes(const struct source_config *config)
{
	return (config->stack_bytes ? config->stack_bytes : STACK_BYTES) & ~UINT32_C(7);
}

void perf_open_fit_stacks(struct perf_open *open)
{
	uint64_t ring_bytes = open->sample_pages * (uint64_t)sysconf(_SC_PAGESIZE);

	while (open->regs && open->stack_bytes >= 2 * STACK_BYTES_MIN &&
	       open->stack_bytes * (uint64_t)STACK_RING_MIN > ring_bytes)
		open->stack_bytes = open->stack_bytes / 2 & ~UINT32_C(7);
}

/*
 * Returns the size of a ring for samples. Samples without copies of stacks are small, so root's
 * ring for them is not larger than a user's ring.
 */
static unsigned int sample_pages_of(const struct perf_open *open, unsigned int nr_cpus)
{
	static const struct ring_share stacks = {STACK_RING_USER, STACK_RING_ROOT,
						 STACK_RING_ROOT_ALL};

	if (open->config->sample_pages)
		return open->config->sample_pages;
	return open->regs ? band_pages_of(&stacks, nr_cpus) : pages_of(SAMPLE_BYTES);
}

/* Call this when the kernel's features are known. */
static void init_samples(struct perf_open *open, unsigned int nr_cpus)
{
	if (!(open->features & PERF_FEATURE_USER_STACK))
		open->regs = NULL;
	open->sample_pages = sample_pages_of(open, nr_cpus);
	perf_open_fit_stacks(open);
	open->sample_type = sample_type_of(open->config, open->features);
}

int perf_open_init(struct perf_open *open, const struct source_config *config, unsigned int nr_cpus,
		   perf_open_fn *fn, struct diag *diag)
{
	static const struct ring_share side = {SIDE_BYTES, SIDE_BYTES_ROOT, SIDE_BYTES_ROOT_ALL};
	static const struct ring_share switches = {SWITCH_BYTES, SWITCH_BYTES_ROOT,
						   SWITCH_BYTES_ROOT_ALL};
	int error;

	memset(open, 0, sizeof(*open));
	open->open = fn ? fn : open_syscall;
	open->config = config;
	open->thinning = 1;
	open->features = features_wanted(config);
	open->attr_bytes = sizeof(struct perf_event_attr);
	open->regs = perf_regs_here();
	open->stack_bytes = perf_open_stack_bytes(config);
	open->side_pages = config->side_pages ? config->side_pages : band_pages_of(&side, nr_cpus);
	open->switch_pages = band_pages_of(&switches, nr_cpus);
	open->side_type =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	open->switch_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	error = probe(open);
	if (error)
		return open_diag(open, NULL, 0, error, diag);
	error = probe_switches(open, diag);
	if (error)
		return error;
	init_samples(open, nr_cpus);
	return probe_mode(open, diag);
}
