// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/profiler/source_choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const wish_texts[] = {
	[SOURCE_WISH_AUTO] = "auto",
	[SOURCE_WISH_KMOD] = "kmod",
	[SOURCE_WISH_PERF] = "perf",
};

int source_wish_parse(const char *text, enum source_wish *wish)
{
	for (size_t i = 0; i < sizeof(wish_texts) / sizeof(wish_texts[0]); i++) {
		if (!strcmp(text, wish_texts[i])) {
			*wish = (enum source_wish)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *source_wish_text(enum source_wish wish)
{
	return wish_texts[wish];
}

/* Stores the reason as one line, for meta/info and the control socket. */
static void set_reason(struct source_choice *choice, const char *reason)
{
	(void)snprintf(choice->reason, sizeof(choice->reason), "%s", reason);
	for (char *c = choice->reason; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
}

void source_choice_init(struct source_choice *choice, enum source_wish wish)
{
	*choice = (struct source_choice){.wish = wish, .ops = &source_kmod};
	if (wish == SOURCE_WISH_PERF)
		choice->ops = &source_perf;
	if (wish == SOURCE_WISH_AUTO)
		choice->fallback = &source_perf;
	set_reason(choice, wish == SOURCE_WISH_AUTO ? "the kernel module is loaded" : "requested");
}

void source_choice_only_perf(struct source_choice *choice, const char *reason)
{
	if (!choice->fallback)
		return;
	choice->ops = choice->fallback;
	choice->fallback = NULL;
	set_reason(choice, reason);
}

int source_choice_open(struct source_choice *choice, struct source **source,
		       const struct source_config *config, struct record_sink *sink,
		       struct diag *diag)
{
	struct diag refusal;
	int error;

	if (!choice->fallback)
		return choice->ops->open(source, config, sink, diag);
	diag_clear(&refusal);
	error = choice->ops->open(source, config, sink, &refusal);
	if (!error)
		return 0;
	source_choice_only_perf(choice, refusal.text[0] ? refusal.text : strerror(-error));
	return choice->ops->open(source, config, sink, diag);
}
