// SPDX-License-Identifier: GPL-2.0-only
/* Whose events are kept: sets of numbers, and comparisons of fields. */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "kmod/trace/trace_write.h"

struct trace_ids {
	u32 nr;
	u64 ids[]; /* in order */
};

struct trace_filter {
	struct trace_ids *sets[OPROF_KTRACE_BY_TREE]; /* NULL: no matter */
	const struct trace_tree *tree;		      /* the same */
};

/* ---- in probes ---- */

static bool has(const struct trace_ids *set, u64 id)
{
	u32 low = 0, high = set->nr;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (set->ids[middle] == id)
			return true;
		if (set->ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Its own, or one above that. */
static bool is_in_cgroup(const struct trace_ids *set, struct task_struct *task)
{
	bool is_in = false;
#ifdef CONFIG_CGROUPS
	struct cgroup *cgroup;

	rcu_read_lock();
	cgroup = data_race(task_dfl_cgroup(task));
	for (; cgroup && !is_in; cgroup = cgroup_parent(cgroup))
		is_in = has(set, cgroup_id(cgroup));
	rcu_read_unlock();
#endif
	return is_in;
}

static u64 id_of(struct task_struct *task, enum oprof_ktrace_filter_by by)
{
	switch (by) {
	case OPROF_KTRACE_BY_TID:
		return (u64)data_race(READ_ONCE(task->pid));
	case OPROF_KTRACE_BY_PID:
		return (u64)data_race(READ_ONCE(task->tgid));
	case OPROF_KTRACE_BY_PGRP:
		return (u64)task_pgrp_nr(task);
	default:
		return __kuid_val(task_uid(task));
	}
}

static bool is_in(const struct trace_filter *filter, struct task_struct *task)
{
	unsigned int by;

	for (by = 0; by < OPROF_KTRACE_BY_CGROUP; by++) {
		if (filter->sets[by] && !has(filter->sets[by], id_of(task, by)))
			return false;
	}
	if (filter->tree && !trace_tree_has(filter->tree, task))
		return false;
	return !filter->sets[OPROF_KTRACE_BY_CGROUP] ||
	       is_in_cgroup(filter->sets[OPROF_KTRACE_BY_CGROUP], task);
}

bool trace_filter_passes(const struct trace_session *session, struct task_struct *task,
			 struct task_struct *other)
{
	const struct trace_filter *filter;
	bool passes;

	rcu_read_lock();
	filter = rcu_dereference(session->filter);
	passes = !filter || is_in(filter, task) || (other && is_in(filter, other));
	rcu_read_unlock();
	return passes;
}

/* Little-endian, as all that oprof traces on: the low bytes come first, the sign is their last. */
static u64 number_at(const struct oprof_ktrace_compare *compare, const u8 *at)
{
	unsigned int missing = 64 - 8 * compare->bytes;
	u64 number = 0;

	memcpy(&number, at, compare->bytes);
	if (compare->is_signed)
		return (u64)((s64)(number << missing) >> missing);
	return number;
}

/* -1, 0 or 1. */
static int order_of(const struct oprof_ktrace_compare *compare, u64 number)
{
	if (number == compare->value)
		return 0;
	if (compare->is_signed)
		return (s64)number < (s64)compare->value ? -1 : 1;
	return number < compare->value ? -1 : 1;
}

bool trace_compares(const struct oprof_ktrace_compare *compare, const void *from)
{
	u64 number;
	int order;

	if (compare->op == OPROF_KTRACE_ANY)
		return true;
	number = number_at(compare, (const u8 *)from + compare->offset);
	order = order_of(compare, number);
	switch (compare->op) {
	case OPROF_KTRACE_EQ:
		return order == 0;
	case OPROF_KTRACE_NE:
		return order != 0;
	case OPROF_KTRACE_LT:
		return order < 0;
	case OPROF_KTRACE_LE:
		return order <= 0;
	case OPROF_KTRACE_GT:
		return order > 0;
	case OPROF_KTRACE_GE:
		return order >= 0;
	default: /* OPROF_KTRACE_AND */
		return number & compare->value;
	}
}

/* ---- setting ---- */

bool trace_is_comparison(const struct oprof_ktrace_compare *compare, u32 bytes)
{
	if (compare->op >= OPROF_KTRACE_NR_OPS || compare->is_signed > 1 || compare->reserved)
		return false;
	if (compare->op == OPROF_KTRACE_ANY)
		return true;
	return (compare->bytes == 1 || compare->bytes == 2 || compare->bytes == 4 ||
		compare->bytes == 8) &&
	       compare->offset <= bytes && compare->bytes <= bytes - compare->offset;
}

static int compare_ids(const void *one, const void *other)
{
	u64 a = *(const u64 *)one, b = *(const u64 *)other;

	return a < b ? -1 : a > b;
}

static int ids_get(const struct oprof_ktrace_filter *call, struct trace_ids **ids)
{
	struct trace_ids *made;

	*ids = NULL;
	if (!call->nr_ids)
		return 0;
	made = kvmalloc(struct_size(made, ids, call->nr_ids), GFP_KERNEL);
	if (!made)
		return -ENOMEM;
	made->nr = call->nr_ids;
	if (copy_from_user(made->ids, u64_to_user_ptr(call->ids), made->nr * sizeof(u64))) {
		kvfree(made);
		return -EFAULT;
	}
	sort(made->ids, made->nr, sizeof(u64), compare_ids, NULL);
	*ids = made;
	return 0;
}

static bool is_empty(const struct trace_filter *filter)
{
	unsigned int by;

	for (by = 0; by < OPROF_KTRACE_BY_TREE; by++) {
		if (filter->sets[by])
			return false;
	}
	return !filter->tree;
}

/* Probes read the flag, then the filter: the filter is there before, and goes behind. */
static void publish(struct trace_session *session, struct trace_filter *filter)
{
	rcu_assign_pointer(session->filter, filter);
	trace_session_set_state(session, filter ? session->state | TRACE_FILTERED
						: session->state & ~TRACE_FILTERED);
	synchronize_rcu();
}

static int filter_get(const struct oprof_ktrace_filter *call, const struct trace_filter *old,
		      struct trace_filter **filter, struct trace_ids **ids)
{
	int error;

	*filter = kzalloc(sizeof(**filter), GFP_KERNEL);
	if (!*filter)
		return -ENOMEM;
	error = ids_get(call, ids);
	if (error)
		kfree(*filter);
	else if (old)
		**filter = *old;
	return error;
}

/* The one that is there may be in use: numbers are added to it. None: it is left. */
static int tree_set(struct trace_session *session, struct trace_filter *filter,
		    const struct trace_ids *ids)
{
	int error = 0;

	filter->tree = NULL;
	if (!ids)
		return 0;
	if (!session->tree)
		error = trace_tree_create(&session->tree);
	if (!error)
		error = trace_tree_add(session->tree, ids->ids, ids->nr);
	if (!error)
		filter->tree = session->tree;
	return error;
}

/* One that no filter has. */
static void tree_tidy(struct trace_session *session)
{
	const struct trace_filter *filter = rcu_dereference_protected(session->filter, true);

	if (!session->tree || (filter && filter->tree))
		return;
	trace_tree_unregister(session->tree);
	tracepoint_synchronize_unregister();
	trace_tree_free(session->tree);
	session->tree = NULL;
}

int trace_filter_set(struct trace_session *session, const struct oprof_ktrace_filter *call)
{
	struct trace_filter *old = rcu_dereference_protected(session->filter, true), *new;
	struct trace_ids *ids, *unused;
	int error;

	if (call->by >= OPROF_KTRACE_NR_FILTERS || call->nr_ids > OPROF_KTRACE_FILTER_IDS_MAX)
		return -EINVAL;
	error = filter_get(call, old, &new, &ids);
	if (error)
		return error;
	if (call->by == OPROF_KTRACE_BY_TREE) {
		unused = ids;
		error = tree_set(session, new, ids);
	} else {
		unused = new->sets[call->by];
		new->sets[call->by] = ids;
	}
	if (error || is_empty(new)) {
		kfree(new);
		new = NULL;
	}
	if (!error) {
		publish(session, new);
		kfree(old);
	}
	kvfree(unused);
	tree_tidy(session);
	return error;
}

void trace_filter_unregister(struct trace_session *session)
{
	trace_tree_unregister(session->tree);
}

void trace_filter_free(struct trace_session *session)
{
	struct trace_filter *filter = rcu_dereference_protected(session->filter, true);
	unsigned int by;

	for (by = 0; filter && by < OPROF_KTRACE_BY_TREE; by++)
		kvfree(filter->sets[by]);
	kfree(filter);
	RCU_INIT_POINTER(session->filter, NULL);
	trace_tree_free(session->tree);
	session->tree = NULL;
}
