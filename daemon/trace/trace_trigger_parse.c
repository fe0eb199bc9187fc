// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_trigger_parse.h"

#include "daemon/trace/syscall_names.h"
#include "lib/array.h"
#include "lib/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 256u

struct parsing {
	struct trigger_rules *rules;
	const char *folder;
	uint32_t rule; /* number of the rule being made */
	const char *text;
	struct diag *diag;
};

void trigger_rules_deinit(struct trigger_rules *rules)
{
	for (uint32_t i = 0; i < rules->nr_events; i++) {
		struct trigger_event *event = &rules->events[i];

		for (unsigned int use = 0; use < event->nr_uses; use++)
			free(event->uses[use].text);
		free(event->uses);
		tracepoint_destroy(event->tracepoint);
	}
	free(rules->events);
	free(rules->rules);
	*rules = (struct trigger_rules){0};
}

static int no_memory(const struct parsing *parsing)
{
	return diag_set(parsing->diag, -ENOMEM, "out of memory for conditions");
}

static int no_condition(const struct parsing *parsing, const char *why)
{
	return diag_set(parsing->diag, -EINVAL,
			"--snapshot-if %s: %s; conditions are wakeup>10ms, syscall>20ms, "
			"syscall:NAME>20ms, irq>1ms, softirq>1ms, BEGIN..END>10ms, EVENT, "
			"EVENT/FIELD OP VALUE/, signal",
			parsing->text, why);
}

/* ---- events ---- */

static int add_event(struct parsing *parsing, const char *system, const char *name, uint32_t *event)
{
	struct trigger_rules *rules = parsing->rules;
	int error;

	for (*event = 0; *event < rules->nr_events; (*event)++)
		if (!strcmp(rules->events[*event].tracepoint->system, system) &&
		    !strcmp(rules->events[*event].tracepoint->name, name))
			return 0;
	if (array_reserve(&rules->events, &rules->room_events, rules->nr_events, 1))
		return no_memory(parsing);
	rules->events[rules->nr_events] = (struct trigger_event){.tracepoint = NULL};
	error = tracepoint_read(&rules->events[rules->nr_events].tracepoint, parsing->folder,
				system, name, parsing->diag);
	if (!error)
		rules->nr_events++;
	return error;
}

static int add_use(struct parsing *parsing, uint32_t event, const struct trigger_use *use)
{
	struct trigger_event *of = &parsing->rules->events[event];

	if (array_reserve(&of->uses, &of->room_uses, of->nr_uses, 1))
		return no_memory(parsing);
	of->uses[of->nr_uses] = *use;
	of->uses[of->nr_uses++].rule = parsing->rule;
	return 0;
}

static int find_field(const struct parsing *parsing, uint32_t event, const char *name,
		      const struct tracepoint_field **field)
{
	const struct tracepoint *tracepoint = parsing->rules->events[event].tracepoint;

	*field = tracepoint_find(tracepoint, name);
	if (*field)
		return 0;
	return diag_set(
		parsing->diag, -EINVAL,
		"--snapshot-if %s: %s:%s has no field %s: optrace list-events -f lists its fields",
		parsing->text, tracepoint->system, tracepoint->name, name);
}

/* Adds a use of an event of the kernel. key: name of the key field, or NULL. */
static int use_event(struct parsing *parsing, const char *system, const char *name, const char *key,
		     struct trigger_use use)
{
	uint32_t event;
	int error = add_event(parsing, system, name, &event);

	if (!error && key)
		error = find_field(parsing, event, key, &use.key);
	if (!error && use.key && use.key->kind != TRACEPOINT_INTEGER)
		error = no_condition(parsing, "the field in [] must be a number");
	return error ? error : add_use(parsing, event, &use);
}

/* ---- named conditions ---- */

static int make_wakeup(struct parsing *parsing)
{
	static const struct {
		const char *name, *key;
		enum trigger_role role;
	} parts[] = {
		/*
		 * A thread that is woken while it still runs does not wait. Its span is discarded
		 * when the thread leaves the CPU.
		 */
		{"sched_switch", "prev_pid", TRIGGER_CANCEL},
		{"sched_switch", "next_pid", TRIGGER_END},
		{"sched_wakeup", "pid", TRIGGER_BEGIN},
		{"sched_wakeup_new", "pid", TRIGGER_BEGIN},
	};
	int error = 0;

	for (size_t i = 0; !error && i < sizeof(parts) / sizeof(parts[0]); i++)
		error = use_event(parsing, "sched", parts[i].name, parts[i].key,
				  (struct trigger_use){.role = parts[i].role});
	return error;
}

static int make_interrupt(struct parsing *parsing, const char *begin, const char *end,
			  const char *key)
{
	const int error = use_event(parsing, "irq", begin, key,
				    (struct trigger_use){.role = TRIGGER_BEGIN, .by_cpu = true});

	return error ? error
		     : use_event(parsing, "irq", end, key,
				 (struct trigger_use){.role = TRIGGER_END, .by_cpu = true});
}

/*
 * If a thread ends during a call, no exit event ends the call's span. Later, a new thread may have
 * the same number. The first exit event of the new thread belongs to the call that created the
 * thread (fork, clone). The id of fork or clone differs from the id in the span, so the span is
 * discarded.
 */
static int make_call(struct parsing *parsing, const char *call)
{
	struct trigger_use begin = {.role = TRIGGER_BEGIN, .compare = TRIGGER_EQUAL};
	struct trigger_use end = {.role = TRIGGER_END};
	uint32_t event, end_event = 0;
	int error = add_event(parsing, "raw_syscalls", "sys_enter", &event);

	if (!error)
		error = find_field(parsing, event, "id", &begin.of);
	if (!error && call) {
		begin.field = begin.of;
		while (!error && begin.value < syscall_names_nr() &&
		       (!syscall_name((unsigned int)begin.value) ||
			strcmp(syscall_name((unsigned int)begin.value), call) != 0))
			begin.value++;
		if (!error && begin.value == syscall_names_nr())
			error = no_condition(parsing, "there is no such system call");
	}
	if (!error)
		error = add_use(parsing, event, &begin);
	if (!error)
		error = add_event(parsing, "raw_syscalls", "sys_exit", &end_event);
	if (!error)
		error = find_field(parsing, end_event, "id", &end.of);
	return error ? error : add_use(parsing, end_event, &end);
}

/* ---- conditions on any events ---- */

struct found {
	char system[WORD_BYTES], name[WORD_BYTES];
};

static int take_found(const char *system, const char *name, void *context)
{
	struct found *found = context;

	if (snprintf(found->system, sizeof(found->system), "%s", system) >=
		    (int)sizeof(found->system) ||
	    snprintf(found->name, sizeof(found->name), "%s", name) >= (int)sizeof(found->name))
		return -ENAMETOOLONG;
	return 1;
}

/* Parses "SYSTEM:NAME" or "NAME", optionally followed by "[FIELD]". */
static int use_word(struct parsing *parsing, char *word, struct trigger_use use)
{
	char *key = strchr(word, '['), *end = key ? strchr(key, ']') : NULL;
	struct found found;
	int error;

	if (key && (!end || end[1]))
		return no_condition(parsing, "\"[\" must be followed by FIELD]");
	if (key) {
		*key++ = '\0';
		*end = '\0';
	}
	if (!*word || strpbrk(word, "*?"))
		return no_condition(parsing, "give one event by its name");
	error = tracepoint_list(parsing->folder, word, take_found, &found, parsing->diag);
	if (error < 0)
		return error;
	return use_event(parsing, found.system, found.name, key, use);
}

static int make_span(struct parsing *parsing, char *begin, char *end)
{
	/*
	 * If begin and end are the same event, a record must first end the previous span and then
	 * begin the next one, so the end is added first.
	 */
	const int error = use_word(parsing, end, (struct trigger_use){.role = TRIGGER_END});

	return error ? error
		     : use_word(parsing, begin, (struct trigger_use){.role = TRIGGER_BEGIN});
}

/*
 * Splits "FIELD OP VALUE": filter keeps FIELD, *compare is set by OP. Returns VALUE; NULL: no valid
 * operator.
 */
static char *cut_operator(char *filter, enum trigger_compare *compare)
{
	static const struct {
		const char *word;
		enum trigger_compare compare;
	} operators[] = {{"==", TRIGGER_EQUAL},	     {"!=", TRIGGER_OTHER},
			 {"<=", TRIGGER_LESS_EQUAL}, {">=", TRIGGER_GREATER_EQUAL},
			 {"<", TRIGGER_LESS},	     {">", TRIGGER_GREATER},
			 {"&", TRIGGER_BITS}};
	char *at = strpbrk(filter, "=!<>&");

	for (size_t i = 0; at && i < sizeof(operators) / sizeof(operators[0]); i++)
		if (!strncmp(at, operators[i].word, strlen(operators[i].word))) {
			*at = '\0';
			*compare = operators[i].compare;
			return at + strlen(operators[i].word);
		}
	return NULL;
}

/* Removes blanks around the text, and then quotes around it. */
static char *trim(char *text)
{
	size_t nr;

	text += strspn(text, " \t");
	nr = strlen(text);
	while (nr && strchr(" \t", text[nr - 1]))
		text[--nr] = '\0';
	if (nr >= 2 && *text == '"' && text[nr - 1] == '"') {
		text[nr - 1] = '\0';
		text++;
	}
	return text;
}

static int take_value(struct parsing *parsing, struct trigger_use *use, const char *value)
{
	const bool is_minus = *value == '-';

	if (use->field->kind == TRACEPOINT_INTEGER) {
		if (number_parse(value + is_minus, UINT64_MAX, &use->value))
			return no_condition(parsing, "the field must be compared with a number");
		use->value = is_minus ? 0 - use->value : use->value;
		return 0;
	}
	if (use->field->kind != TRACEPOINT_TEXT && use->field->kind != TRACEPOINT_STRING)
		return no_condition(parsing, "the field is neither a number nor text");
	if (use->compare != TRIGGER_EQUAL && use->compare != TRIGGER_OTHER)
		return no_condition(parsing, "text can be compared only by == or !=");
	use->text = strdup(value);
	return use->text ? 0 : no_memory(parsing);
}

/* Parses "EVENT" or "EVENT/FIELD OP VALUE/". */
static int make_hit(struct parsing *parsing, char *word)
{
	struct trigger_use use = {.role = TRIGGER_HIT};
	char *filter = strchr(word, '/'), *value = NULL;
	struct found found;
	uint32_t event;
	int error;

	if (filter) {
		if (filter[1] == '\0' || word[strlen(word) - 1] != '/')
			return no_condition(parsing, "write a filter between two \"/\"");
		word[strlen(word) - 1] = '\0';
		*filter++ = '\0';
		value = cut_operator(filter, &use.compare);
		if (!value)
			return no_condition(parsing, "write a filter as FIELD OP VALUE");
	}
	if (!*word || strpbrk(word, "*?[>"))
		return no_condition(parsing, "not a condition");
	error = tracepoint_list(parsing->folder, word, take_found, &found, parsing->diag);
	if (error < 0)
		return error;
	error = add_event(parsing, found.system, found.name, &event);
	if (!error && filter)
		error = find_field(parsing, event, trim(filter), &use.field);
	if (!error && filter)
		error = take_value(parsing, &use, trim(value));
	if (!error)
		error = add_use(parsing, event, &use);
	if (error)
		free(use.text);
	return error;
}

/* ---- texts ---- */

/* Parses a time such as "10ms". */
static int take_time(struct parsing *parsing, const char *text, uint64_t *ns)
{
	static const struct {
		const char *word;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	const size_t nr_digits = strspn(text, "0123456789");
	char digits[32];

	(void)snprintf(digits, sizeof(digits), "%.*s", (int)nr_digits, text);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (nr_digits < sizeof(digits) && !strcmp(text + nr_digits, units[i].word) &&
		    !number_parse(digits, UINT64_MAX / units[i].ns, ns)) {
			*ns *= units[i].ns;
			return 0;
		}
	return no_condition(parsing, "write a time as a number followed by ns, us, ms or s");
}

/* Parses the part of a condition before ">TIME". */
static int make_longer(struct parsing *parsing, char *what)
{
	char *dots = strstr(what, "..");

	if (!strcmp(what, "wakeup"))
		return make_wakeup(parsing);
	if (!strcmp(what, "irq"))
		return make_interrupt(parsing, "irq_handler_entry", "irq_handler_exit", "irq");
	if (!strcmp(what, "softirq"))
		return make_interrupt(parsing, "softirq_entry", "softirq_exit", "vec");
	if (!strcmp(what, "syscall"))
		return make_call(parsing, NULL);
	if (!strncmp(what, "syscall:", 8))
		return make_call(parsing, what + 8);
	if (!dots)
		return no_condition(parsing, "not a condition");
	*dots = '\0';
	return make_span(parsing, trim(what), trim(dots + 2));
}

static int make_rule(struct parsing *parsing, char *copy)
{
	char *word = trim(copy), *longer = strchr(word, '/') ? NULL : strrchr(word, '>');
	int error;

	if (!strcmp(word, "signal")) {
		parsing->rules->signal = parsing->text;
		return 0;
	}
	if (!longer)
		return make_hit(parsing, word);
	*longer = '\0';
	error = take_time(parsing, trim(longer + 1),
			  &parsing->rules->rules[parsing->rule].longer_ns);
	return error ? error : make_longer(parsing, trim(word));
}

int trigger_rules_parse(struct trigger_rules *rules, const char *const *texts, size_t nr_texts,
			const char *folder, struct diag *diag)
{
	struct parsing parsing = {.rules = rules, .folder = folder, .diag = diag};
	int error = 0;

	rules->rules = calloc(nr_texts + 1, sizeof(*rules->rules));
	if (!rules->rules)
		return no_memory(&parsing);
	for (size_t i = 0; !error && i < nr_texts; i++) {
		char *copy = strdup(texts[i]);

		if (!copy)
			return no_memory(&parsing);
		parsing.rule = rules->nr_rules++;
		parsing.text = rules->rules[parsing.rule].text = texts[i];
		error = make_rule(&parsing, copy);
		free(copy);
	}
	return error;
}
