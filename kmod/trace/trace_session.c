// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/trace/trace_session.h"

#include <linux/slab.h>

struct trace_session *trace_session_create(work_func_t work)
{
	struct trace_session *session = kzalloc(sizeof(*session), GFP_KERNEL);

	if (!session)
		return NULL;
	mutex_init(&session->lock);
	kref_init(&session->references);
	init_waitqueue_head(&session->wait);
	INIT_LIST_HEAD(&session->named);
	INIT_LIST_HEAD(&session->samples);
	INIT_DELAYED_WORK(&session->work, work);
	return session;
}

static void session_free(struct kref *references)
{
	struct trace_session *session = container_of(references, struct trace_session, references);
	unsigned int i;

	for (i = 0; i < session->nr_channels; i++)
		trace_channel_destroy(session->channels[i]);
	mutex_destroy(&session->lock);
	kfree(session);
}

void trace_session_get(struct trace_session *session)
{
	kref_get(&session->references);
}

void trace_session_put(struct trace_session *session)
{
	kref_put(&session->references, session_free);
}
