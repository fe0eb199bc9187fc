// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/trace/trace_filter.h"

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "kmod/trace/trace_tree.h"

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

/* Returns whether the task's cgroup or one of its ancestors is in `set`. */
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

static bool is_in(const struct session_filter *filter, struct task_struct *task)
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
	const struct session_filter *filter;
	bool passes;

	rcu_read_lock();
	filter = rcu_dereference(session->filter);
	passes = !filter || is_in(filter, task) || (other && is_in(filter, other));
	rcu_read_unlock();
	return passes;
}

/*
 * Reads a little-endian number, because oprof traces only on little-endian
 * machines. The last byte has the sign bit.
 */
static u64 number_at(const struct oprof_ktrace_compare *compare, const u8 *at)
{
	unsigned int missing = 64 - 8 * compare->bytes;
	u64 number = 0;

	memcpy(&number, at, compare->bytes);
	if (compare->is_signed)
		return (u64)((s64)(number << missing) >> missing);
	return number;
}

/* Returns -1, 0 or 1 if `number` is less than, equal to or greater than the comparison's value. */
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
