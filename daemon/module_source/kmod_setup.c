// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/module_source/kmod_setup.h"

#include "oprof/kmod.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <unistd.h>

/* Limits and defaults of the module, as in doc/kmod.md. */
#define BUFFER_SIZE_DEFAULT	131072u
#define CPU_BUFFER_SIZE_DEFAULT 8192u
#define CPU_BUFFER_SIZE_MIN	128u
#define CPU_BUFFER_SIZE_MAX	1048576u
#define BUFFER_SAMPLE_BYTES	64u
#define CPU_SAMPLE_BYTES	32u
#define TIMER_NS_MIN		10000u
#define HZ_MAX			100000u

/*
 * Returns whether the event is a clock. Both clocks run all the time on each CPU: when a whole
 * machine is sampled, task-clock counts the same as cpu-clock.
 */
bool kmod_setup_is_timer(const struct event_choice *event)
{
	return event->perf_type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_CPU_CLOCK ||
		event->config == PERF_COUNT_SW_TASK_CLOCK);
}

static int check_event(const struct event_choice *event, struct diag *diag)
{
	if (!event_choice_is_sampled(event))
		return 0;
	if (kmod_setup_is_timer(event) && event_choice_period(event) < TIMER_NS_MIN)
		return diag_set(diag, -EINVAL,
				"the kernel module's timer takes at most %u samples a second: give "
				"%s a higher count, or a lower frequency",
				HZ_MAX, event->name);
	if (event->frequency && event->period_or_hz > HZ_MAX)
		return diag_set(diag, -EINVAL,
				"the kernel module takes at most %u samples a second: give %s a "
				"lower frequency",
				HZ_MAX, event->name);
	return 0;
}

int kmod_setup_check(const struct source_config *config, struct diag *diag)
{
	int error = 0;

	if (config->target != SOURCE_SYSTEM)
		return diag_set(diag, -EOPNOTSUPP,
				"the kernel module can sample only the whole machine, not "
				"selected processes");
	if (config->chain_depth && config->unwind == SOURCE_UNWIND_TABLES)
		return diag_set(
			diag, -EOPNOTSUPP,
			"the kernel module only follows frame pointers: use --source=perf to walk "
			"stacks with unwind tables");
	for (size_t i = 0; i < config->nr_events && !error; i++)
		error = check_event(&config->events[i], diag);
	return error;
}

static uint64_t buffer_size(const struct source_config *config)
{
	return config->buffer_size ? config->buffer_size : BUFFER_SIZE_DEFAULT;
}

uint64_t kmod_setup_buffer_bytes(const struct source_config *config)
{
	/*
	 * The module rounds the size up to a power of two, so the buffer has at most twice the
	 * requested size.
	 */
	return 2 * buffer_size(config) * BUFFER_SAMPLE_BYTES;
}

static uint64_t buffer_watershed(const struct source_config *config)
{
	uint64_t quarter = buffer_size(config) / 4;

	if (!config->buffer_watershed)
		return quarter;
	return config->buffer_watershed < buffer_size(config) ? config->buffer_watershed
							      : buffer_size(config);
}

static uint64_t cpu_buffer_size(const struct source_config *config)
{
	uint64_t size = config->cpu_buffer_size;

	if (!size && config->sample_pages)
		size = config->sample_pages * (uint64_t)sysconf(_SC_PAGESIZE) / CPU_SAMPLE_BYTES;
	if (!size)
		return CPU_BUFFER_SIZE_DEFAULT;
	if (size < CPU_BUFFER_SIZE_MIN)
		return CPU_BUFFER_SIZE_MIN;
	return size < CPU_BUFFER_SIZE_MAX ? size : CPU_BUFFER_SIZE_MAX;
}

struct setting {
	const char *name;
	uint64_t value;
};

static int write_settings(const struct kmod_control *control, const char *folder,
			  const struct setting *settings, size_t nr, struct diag *diag)
{
	char name[KMOD_CONTROL_WORD_BYTES];
	int error = 0;

	for (size_t i = 0; i < nr && !error; i++) {
		(void)snprintf(name, sizeof(name), "%s%s", folder, settings[i].name);
		error = kmod_control_set(control, name, settings[i].value, diag);
	}
	return error;
}

/*
 * Writes the settings of one counter. A frequency is passed to the module unchanged, since the
 * module can take fewer samples (thinning) only if the event has a frequency. count must not be 0,
 * and is ignored if hz is set.
 */
static int write_counter(const struct kmod_control *control, unsigned int index,
			 const struct event_choice *event, struct diag *diag)
{
	bool timer = kmod_setup_is_timer(event);
	uint64_t period = event_choice_period(event);
	const struct setting settings[] = {
		{"type", timer ? OPROF_KMOD_TYPE_TIMER : event->perf_type},
		{"event", timer ? 0 : event->config},
		{"unit_mask", 0}, /* contained in event */
		{"hz", event->frequency ? event->period_or_hz : 0},
		{"count", period ? period : 1},
		{"kernel", event->kernel},
		{"user", event->user},
		{"enabled", 1},
	};
	char folder[16];

	(void)snprintf(folder, sizeof(folder), "%u/", index);
	return write_settings(control, folder, settings, sizeof(settings) / sizeof(settings[0]),
			      diag);
}

static int write_counters(const struct kmod_control *control, const struct source_config *config,
			  struct diag *diag)
{
	char name[KMOD_CONTROL_WORD_BYTES];
	int error = 0;

	for (unsigned int i = 0; i < OPROF_KMOD_COUNTERS_MAX && !error; i++) {
		if (i < config->nr_events && event_choice_is_sampled(&config->events[i])) {
			error = write_counter(control, i, &config->events[i], diag);
			continue;
		}
		(void)snprintf(name, sizeof(name), "%u/enabled", i);
		error = kmod_control_set_if_there(control, name, 0, diag);
	}
	return error;
}

int kmod_setup_write(const struct kmod_control *control, const struct source_config *config,
		     struct diag *diag)
{
	const struct setting settings[] = {
		/* Lower the watershed first, since the module refuses a buffer size below it. */
		{"buffer_watershed", 1},
		{"buffer_size", buffer_size(config)},
		{"buffer_watershed", buffer_watershed(config)},
		{"cpu_buffer_size", cpu_buffer_size(config)},
		{"backtrace_depth", config->chain_depth < OPROF_KMOD_CHAIN_MAX
					    ? config->chain_depth
					    : OPROF_KMOD_CHAIN_MAX},
		{"switches", config->want_switches},
		{"cgroups", config->want_cgroup},
	};
	int error =
		write_settings(control, "", settings, sizeof(settings) / sizeof(settings[0]), diag);

	return error ? error : write_counters(control, config, diag);
}
