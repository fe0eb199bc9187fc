// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/mutex.h>

#include "kmod/counters.h"
#include "kmod/event_buffer.h"
#include "kmod/generation.h"
#include "kmod/image.h"
#include "kmod/kernel_module.h"
#include "kmod/pass.h"
#include "kmod/probes.h"
#include "kmod/run.h"
#include "kmod/sampler.h"
#include "kmod/stats.h"
#include "kmod/sync_worker.h"
#include "kmod/unmapped.h"

static DEFINE_MUTEX(run_mutex);

static struct {
	bool open, enabled; /* written under the mutex, read without it */
	u64 thinning;	    /* likewise */
	struct settings settings;
} run = {.thinning = 1};

/* ---- the parts: opened in order, closed in reverse ---- */

/* Opens the parts that track files, processes, mappings and modules. */
static int open_knowledge(void)
{
	int status = image_open();

	if (status)
		return status;
	status = generation_open();
	if (status)
		goto close_image;
	status = unmapped_open();
	if (status)
		goto close_generation;
	status = kernel_module_open();
	if (status)
		goto close_unmapped;
	return 0;

close_unmapped:
	unmapped_close();
close_generation:
	generation_close();
close_image:
	image_close();
	return status;
}

static void close_knowledge(void)
{
	kernel_module_close();
	unmapped_close();
	generation_close();
	image_close();
}

static int open_rings(const struct settings *settings)
{
	int status = sampler_open(settings);

	if (status)
		return status;
	status = pass_open(settings);
	if (status)
		goto close_sampler;
	status = sync_worker_start();
	if (status)
		goto close_pass;
	return 0;

close_pass:
	pass_close();
close_sampler:
	sampler_close();
	return status;
}

static void close_rings(void)
{
	sync_worker_stop();
	pass_close();
	sampler_close();
}

static int open_parts(void)
{
	const struct settings *settings = &run.settings;
	int status;

	stats_reset();
	status = event_buffer_open(settings->buffer_size * SETTINGS_BUFFER_SAMPLE_BYTES,
				   settings->buffer_watershed * SETTINGS_BUFFER_SAMPLE_BYTES);
	if (status)
		return status;
	status = open_knowledge();
	if (status)
		goto close_event_buffer;
	status = open_rings(settings);
	if (status)
		goto close_knowledge;
	return 0;

close_knowledge:
	close_knowledge();
close_event_buffer:
	event_buffer_close();
	return status;
}

static void close_parts(void)
{
	close_rings();
	close_knowledge();
	event_buffer_close();
}

static int enable_counters(void)
{
	/* This variable is static because it is too large for the stack. The mutex protects it. */
	static struct settings thinned;

	thinned = run.settings;
	if (run.thinning > 1)
		settings_thin(&thinned, run.thinning);
	return counters_enable(&thinned);
}

static int enable_parts(void)
{
	int status = settings_check(&run.settings);

	if (status)
		return status;
	status = probes_enable(run.settings.switches);
	if (status)
		return status;
	status = enable_counters();
	if (status)
		probes_disable();
	return status;
}

static void disable_parts(void)
{
	counters_disable();
	probes_disable();
}

/* ---- the run ---- */

int run_open(const struct settings *settings)
{
	int status = -EBUSY;

	mutex_lock(&run_mutex);
	if (!run.open) {
		run.settings = *settings;
		WRITE_ONCE(run.thinning, 1);
		status = open_parts();
		WRITE_ONCE(run.open, !status);
	}
	mutex_unlock(&run_mutex);
	return status;
}

void run_close(void)
{
	mutex_lock(&run_mutex);
	if (run.enabled)
		disable_parts();
	WRITE_ONCE(run.enabled, false);
	close_parts();
	WRITE_ONCE(run.open, false);
	mutex_unlock(&run_mutex);
}

bool run_is_open(void)
{
	return READ_ONCE(run.open);
}

bool run_is_enabled(void)
{
	return READ_ONCE(run.enabled);
}

static int enable_locked(void)
{
	int status = enable_parts();

	WRITE_ONCE(run.enabled, !status);
	return status;
}

/*
 * Requests a last pass, which reports the remaining samples and wakes the
 * reader. If the wait for this pass is interrupted, the pass still runs.
 */
static int disable_locked(void)
{
	disable_parts();
	WRITE_ONCE(run.enabled, false);
	sync_worker_dump();
	return 0;
}

int run_enable(bool enable)
{
	int status = 0;

	mutex_lock(&run_mutex);
	if (!run.open)
		status = -EINVAL;
	else if (enable != run.enabled)
		status = enable ? enable_locked() : disable_locked();
	mutex_unlock(&run_mutex);
	return status;
}

/* Creates the counters again, with the new thinning. The probes remain registered. */
static int rethin_locked(void)
{
	int status;

	counters_disable();
	status = enable_counters();
	if (status) {
		probes_disable();
		WRITE_ONCE(run.enabled, false);
		sync_worker_dump(); /* reports the remaining samples */
	}
	return status;
}

int run_thin(u64 thinning)
{
	int status = 0;

	mutex_lock(&run_mutex);
	if (!run.open) {
		status = -EINVAL;
	} else if (thinning != run.thinning) {
		WRITE_ONCE(run.thinning, thinning);
		if (run.enabled)
			status = rethin_locked();
	}
	mutex_unlock(&run_mutex);
	return status;
}

u64 run_thinning(void)
{
	return READ_ONCE(run.thinning);
}

int run_dump(void)
{
	int status = -EINVAL;

	mutex_lock(&run_mutex);
	if (run.open)
		status = sync_worker_dump();
	mutex_unlock(&run_mutex);
	return status;
}
