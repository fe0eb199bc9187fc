// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/kernel_module.h"

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>

#include "kmod/compat.h"
#include "kmod/image.h"
#include "kmod/stats.h"
#include "kmod/tell.h"

#define NR_CHANGES_MAX 4096

/* A load or unload that has not been reported yet. */
struct change {
	struct list_head node;
	u64 time_ns;
	u64 start, bytes; /* address and size of the module's text */
	u16 flags;	  /* OPROF_MODULE_LOAD or _UNLOAD */
	bool has_waited;  /* a pass has ended since the change was recorded */
	char name[MODULE_NAME_LEN];
};

/* A module whose load or unload was reported. */
struct loaded {
	struct list_head node;
	u64 start;
	u32 cookie;
};

/*
 * Protects changes and nr_changes. The notifier adds changes, and the worker
 * removes them. Only the worker uses loaded_modules.
 */
static DEFINE_MUTEX(changes_mutex);
static LIST_HEAD(changes);
static unsigned int nr_changes;
static atomic_t nr_lost;
static LIST_HEAD(loaded_modules);

/* ---- the notifier ---- */

static struct change *change_make(const struct module *module, u16 flags)
{
	struct change *change = kzalloc(sizeof(*change), GFP_KERNEL | __GFP_NOWARN);
	unsigned long bytes;

	if (!change)
		return NULL;
	change->time_ns = ktime_get_ns();
	change->start = compat_module_text(module, &bytes);
	change->bytes = bytes;
	change->flags = flags;
	memcpy(change->name, module->name, sizeof(change->name));
	change->name[sizeof(change->name) - 1] = 0;
	return change;
}

static void note(const struct module *module, u16 flags)
{
	struct change *change = change_make(module, flags);

	mutex_lock(&changes_mutex);
	if (change && nr_changes < NR_CHANGES_MAX) {
		list_add_tail(&change->node, &changes);
		nr_changes++;
		change = NULL;
	} else {
		atomic_inc(&nr_lost);
	}
	mutex_unlock(&changes_mutex);
	kfree(change);
}

static int notified(struct notifier_block *block, unsigned long state, void *data)
{
	/*
	 * Modules whose init function fails are noted, too: their code runs
	 * until they are removed.
	 */
	if (state == MODULE_STATE_COMING)
		note(data, OPROF_MODULE_LOAD);
	else if (state == MODULE_STATE_GOING)
		note(data, OPROF_MODULE_UNLOAD);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {.notifier_call = notified};

int kernel_module_open(void)
{
	atomic_set(&nr_lost, 0);
	return register_module_notifier(&notifier);
}

void kernel_module_close(void)
{
	struct change *change, *next_change;
	struct loaded *loaded, *next_loaded;

	unregister_module_notifier(&notifier);
	list_for_each_entry_safe(change, next_change, &changes, node)
	{
		list_del(&change->node);
		kfree(change);
	}
	nr_changes = 0;
	list_for_each_entry_safe(loaded, next_loaded, &loaded_modules, node)
	{
		list_del(&loaded->node);
		kfree(loaded);
	}
}

/* ---- the worker ---- */

static struct loaded *loaded_find(u64 start)
{
	struct loaded *loaded;

	list_for_each_entry(loaded, &loaded_modules,
			    node) if (loaded->start == start) return loaded;
	return NULL;
}

/*
 * Finds or creates the module's entry, with its cookie. A module that was
 * loaded before the run gets its entry only when it is unloaded.
 */
static int loaded_get(const struct change *change, struct loaded **found)
{
	struct loaded *loaded = loaded_find(change->start);
	int error;

	*found = loaded;
	if (loaded)
		return 0;
	loaded = kmalloc(sizeof(*loaded), GFP_KERNEL | __GFP_NOWARN);
	if (!loaded)
		return -ENOMEM;
	error = image_of_module(change->name, change->start, change->start + change->bytes,
				&loaded->cookie);
	if (error) {
		kfree(loaded);
		return error;
	}
	loaded->start = change->start;
	list_add(&loaded->node, &loaded_modules);
	*found = loaded;
	return 0;
}

static int tell_change(const struct change *change)
{
	struct loaded *loaded;
	int error = loaded_get(change, &loaded);

	if (!error)
		error = tell_module(change->time_ns, change->flags, loaded->cookie, change->start,
				    change->bytes);
	if (error || change->flags != OPROF_MODULE_UNLOAD)
		return error;
	/*
	 * If the buffer has no room for RELEASE, the reader keeps the cookie
	 * until the run ends, which is harmless.
	 */
	(void)image_release_module(loaded->cookie);
	list_del(&loaded->node);
	kfree(loaded);
	return 0;
}

/*
 * Returns the first change that may be reported, or NULL. An unload is not
 * reported before the next pass, so that earlier samples are reported first.
 * Later changes wait for the unload.
 */
static struct change *change_first(void)
{
	struct change *change;

	mutex_lock(&changes_mutex);
	change = list_first_entry_or_null(&changes, struct change, node);
	if (change && change->flags == OPROF_MODULE_UNLOAD && !change->has_waited) {
		list_for_each_entry(change, &changes, node) change->has_waited = true;
		change = NULL;
	}
	mutex_unlock(&changes_mutex);
	return change;
}

static void change_free(struct change *change)
{
	mutex_lock(&changes_mutex);
	list_del(&change->node);
	nr_changes--;
	mutex_unlock(&changes_mutex);
	kfree(change);
}

int kernel_module_tell(void)
{
	struct change *change;
	int error;

	stats_add(0, STATS_modules_lost, (u64)atomic_xchg(&nr_lost, 0));
	while ((change = change_first())) {
		error = tell_change(change);
		if (error == -ENOSPC)
			return error;
		stats_add(0, error ? STATS_modules_lost : STATS_modules, 1);
		change_free(change);
	}
	return 0;
}
