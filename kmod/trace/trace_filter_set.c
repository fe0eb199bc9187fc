// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/trace/trace_filter_set.h"

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "kmod/trace/trace_filter.h"
#include "kmod/trace/trace_syscalls.h"
#include "kmod/trace/trace_tree.h"

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

static bool is_empty(const struct session_filter *filter)
{
	unsigned int by;

	for (by = 0; by < OPROF_KTRACE_BY_TREE; by++) {
		if (filter->sets[by])
			return false;
	}
	return !filter->tree;
}

/*
 * The filter is stored before the flag TRACE_FILTERED, because probes read the
 * flag first. After synchronize_rcu() no probe uses the old filter.
 */
static void publish(struct trace_session *session, struct session_filter *filter)
{
	rcu_assign_pointer(session->filter, filter);
	trace_syscalls_set_state(session, filter ? session->state | TRACE_FILTERED
						 : session->state & ~TRACE_FILTERED);
	synchronize_rcu();
}

static int filter_get(const struct oprof_ktrace_filter *call, const struct session_filter *old,
		      struct session_filter **filter, struct trace_ids **ids)
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

/*
 * Adds ids to the session's tree, which probes may be using. If ids is NULL,
 * the filter gets no tree.
 */
static int tree_set(struct trace_session *session, struct session_filter *filter,
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

/* Frees the session's tree if the filter does not use it. */
static void tree_tidy(struct trace_session *session)
{
	const struct session_filter *filter = rcu_dereference_protected(session->filter, true);

	if (!session->tree || (filter && filter->tree))
		return;
	trace_tree_unregister(session->tree);
	tracepoint_synchronize_unregister();
	trace_tree_free(session->tree);
	session->tree = NULL;
}

int trace_filter_set(struct trace_session *session, const struct oprof_ktrace_filter *call)
{
	struct session_filter *old = rcu_dereference_protected(session->filter, true), *new;
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
	struct session_filter *filter = rcu_dereference_protected(session->filter, true);
	unsigned int by;

	for (by = 0; filter && by < OPROF_KTRACE_BY_TREE; by++)
		kvfree(filter->sets[by]);
	kfree(filter);
	RCU_INIT_POINTER(session->filter, NULL);
	trace_tree_free(session->tree);
	session->tree = NULL;
}
