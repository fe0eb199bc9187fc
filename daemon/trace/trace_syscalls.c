// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_syscalls.h"

#include "daemon/trace/syscall_names.h"
#include "events/tracepoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM	  "syscalls"
#define NOT_KNOWN UINT32_MAX

struct syscall {
	/*
	 * Index of the entry event; the exit event is the next one. NOT_KNOWN: the call has no
	 * events.
	 */
	uint32_t entry;
	unsigned int nr_args;
	uint32_t nr_bytes; /* of all arguments */
	/* for each argument, how many low bytes of its register are recorded */
	uint8_t arg_bytes[TRACE_SYSCALL_NR_ARGS];
	uint8_t names;	 /* bit n: argument n is a file's name */
	uint8_t strings; /* subset of names: arguments recorded as text instead of as pointers */
};

struct trace_syscalls {
	struct syscall *calls; /* by number */
	unsigned int nr_calls;
	struct ctf_event *events; /* the first two are for unknown calls */
	unsigned int nr_events;
	uint32_t first_id, stream_id;
};

static const struct ctf_field unknown_entry[] = {
	{.name = "id", .kind = CTF_FIELD_INTEGER, .bits = 64, .base = 10, .is_signed = true},
	{.name = "args",
	 .kind = CTF_FIELD_ARRAY,
	 .bits = 64,
	 .base = 16,
	 .nr = TRACE_SYSCALL_NR_ARGS},
};
static const struct ctf_field unknown_exit[] = {
	{.name = "id", .kind = CTF_FIELD_INTEGER, .bits = 64, .base = 10, .is_signed = true},
	{.name = "ret", .kind = CTF_FIELD_INTEGER, .bits = 64, .base = 10, .is_signed = true},
};
static const struct ctf_field known_exit[] = {
	{.name = "ret", .kind = CTF_FIELD_INTEGER, .bits = 64, .base = 10, .is_signed = true},
};
#define UNKNOWN_ENTRY_BYTES (8 + 8 * TRACE_SYSCALL_NR_ARGS)
#define UNKNOWN_EXIT_BYTES  16u
#define KNOWN_EXIT_BYTES    8u

/* ---- types ---- */

/*
 * The kernel's argument types that are signed or narrower than a register. tracefs reports the size
 * of a register for every type.
 */
static const struct {
	const char *type;
	uint8_t nr_bytes;
	bool is_signed;
} types[] = {
	{"int", 4, true},
	{"unsigned int", 4, false},
	{"unsigned", 4, false},
	{"u32", 4, false},
	{"__u32", 4, false},
	{"uint32_t", 4, false},
	{"pid_t", 4, true},
	{"uid_t", 4, false},
	{"gid_t", 4, false},
	{"umode_t", 2, false},
	{"clockid_t", 4, true},
	{"timer_t", 4, true},
	{"mqd_t", 4, true},
	{"key_t", 4, true},
	{"key_serial_t", 4, true},
	{"qid_t", 4, false},
	{"rwf_t", 4, true},
	{"__s32", 4, true},
	{"long", sizeof(long), true},
	{"off_t", sizeof(long), true},
	{"loff_t", 8, true},
};

/* Returns a field of the type of `from`, without a name. */
static struct ctf_field type_of(const struct tracepoint_field *from)
{
	const char *type = strncmp(from->type, "const ", 6) ? from->type : from->type + 6;
	struct ctf_field field = {.kind = CTF_FIELD_INTEGER, .bits = 64, .base = 10};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].type, type)) {
			field.bits = 8u * types[i].nr_bytes;
			field.is_signed = types[i].is_signed;
		}
	if (from->is_pointer)
		field.base = 16;
	return field;
}

/* ---- making the events ---- */

static char *name_of(const char *what, const char *call)
{
	char *name;

	return asprintf(&name, "syscall_%s_%s", what, call) < 0 ? NULL : name;
}

/*
 * Adds the entry event and the exit event of a call. Takes ownership of the parameters entry,
 * fields and exit, also after an error.
 */
static int add_events(struct trace_syscalls *syscalls, char *entry, struct ctf_field *fields,
		      unsigned int nr_fields, char *exit)
{
	struct ctf_event *events = &syscalls->events[syscalls->nr_events];
	const struct ctf_event both = {.stream_id = syscalls->stream_id, .alignment = 1};

	events[0] = events[1] = both;
	events[0].id = syscalls->first_id + syscalls->nr_events;
	events[1].id = events[0].id + 1;
	events[0].name = entry;
	events[1].name = exit;
	events[0].nr_fields = nr_fields;
	events[0].fields = fields;
	events[1].nr_fields = sizeof(known_exit) / sizeof(known_exit[0]);
	events[1].fields = known_exit;
	syscalls->nr_events += 2;
	return entry && exit && fields ? 0 : -ENOMEM;
}

/*
 * Returns whether the argument is a file's name. Only file names are recorded as text, because the
 * length of other text is not known with certainty.
 */
static bool is_file_name(const struct tracepoint_field *field)
{
	static const char *const names[] = {"filename", "pathname", "path",	"oldname",
					    "newname",	"dev_name", "dir_name", "old_name"};

	if (strcmp(field->type, "const char *"))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], field->name))
			return true;
	return false;
}

/* Adds the arguments of a call. The tracepoint's first field is the number of the call. */
static int add_args(struct syscall *call, const struct tracepoint *tracepoint,
		    struct ctf_field *fields)
{
	for (unsigned int i = 1; i < tracepoint->nr_fields && i <= TRACE_SYSCALL_NR_ARGS; i++) {
		struct ctf_field *field = &fields[call->nr_args];

		*field = type_of(&tracepoint->fields[i]);
		field->name = strdup(tracepoint->fields[i].name);
		if (is_file_name(&tracepoint->fields[i]))
			call->names |= (uint8_t)(1u << call->nr_args);
		call->arg_bytes[call->nr_args++] = (uint8_t)(field->bits / 8);
		call->nr_bytes += field->bits / 8;
		if (!field->name)
			return -ENOMEM;
	}
	return 0;
}

static int add_call(struct trace_syscalls *syscalls, unsigned int number, const char *name,
		    const struct tracepoint *tracepoint)
{
	struct syscall *call = &syscalls->calls[number];
	struct ctf_field *fields = calloc(TRACE_SYSCALL_NR_ARGS, sizeof(*fields));
	int error = fields ? add_args(call, tracepoint, fields) : -ENOMEM;

	call->entry = syscalls->nr_events;
	if (add_events(syscalls, name_of("entry", name), fields, call->nr_args,
		       name_of("exit", name)))
		error = -ENOMEM;
	return error;
}

/*
 * Returns the kernel's name of a call, which for a few calls differs from the name that programs
 * use.
 */
static const char *kernel_name(const char *call)
{
	static const char *const pairs[][2] = {
		{"stat", "newstat"},   {"fstat", "newfstat"},	   {"lstat", "newlstat"},
		{"uname", "newuname"}, {"sendfile", "sendfile64"}, {"umount2", "umount"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (!strcmp(pairs[i][0], call))
			return pairs[i][1];
	return call;
}

/* Adds a call whose arguments are not described. They are recorded as one array. */
static int add_bare(struct trace_syscalls *syscalls, unsigned int number, const char *name)
{
	struct syscall *call = &syscalls->calls[number];
	struct ctf_field *fields = calloc(1, sizeof(*fields));

	call->entry = syscalls->nr_events;
	if (fields)
		*fields = (struct ctf_field){.name = strdup("args"),
					     .kind = CTF_FIELD_ARRAY,
					     .bits = 64,
					     .base = 16,
					     .nr = TRACE_SYSCALL_NR_ARGS};
	for (call->nr_args = 0; call->nr_args < TRACE_SYSCALL_NR_ARGS; call->nr_args++)
		call->arg_bytes[call->nr_args] = 8;
	call->nr_bytes = 8 * TRACE_SYSCALL_NR_ARGS;
	if (add_events(syscalls, name_of("entry", name), fields, 1, name_of("exit", name)))
		return -ENOMEM;
	return fields->name ? 0 : -ENOMEM;
}

static int find_call(struct trace_syscalls *syscalls, const char *folder, unsigned int number)
{
	const char *call = syscall_name(number);
	struct tracepoint *tracepoint;
	char name[128];
	int error;

	syscalls->calls[number].entry = NOT_KNOWN;
	if (!call)
		return 0;
	call = kernel_name(call);
	(void)snprintf(name, sizeof(name), "sys_enter_%s", call);
	error = tracepoint_read(&tracepoint, folder, SYSTEM, name, NULL);
	if (error == -ENOMEM)
		return error;
	if (error)
		return add_bare(syscalls, number, call);
	error = add_call(syscalls, number, call, tracepoint);
	tracepoint_destroy(tracepoint);
	return error;
}

static void add_unknown(struct trace_syscalls *syscalls)
{
	struct ctf_event *events = syscalls->events;

	events[0] = (struct ctf_event){.id = syscalls->first_id,
				       .stream_id = syscalls->stream_id,
				       .name = "syscall_entry_unknown",
				       .alignment = 1,
				       .nr_fields = 2,
				       .fields = unknown_entry};
	events[1] = (struct ctf_event){.id = syscalls->first_id + 1,
				       .stream_id = syscalls->stream_id,
				       .name = "syscall_exit_unknown",
				       .alignment = 1,
				       .nr_fields = 2,
				       .fields = unknown_exit};
	syscalls->nr_events = 2;
}

int trace_syscalls_create(struct trace_syscalls **syscalls, const char *folder, uint32_t first_id,
			  uint32_t stream_id, struct diag *diag)
{
	const unsigned int nr = syscall_names_nr();
	struct trace_syscalls *made = calloc(1, sizeof(*made));
	int error = -ENOMEM;

	*syscalls = NULL;
	if (made) {
		made->first_id = first_id;
		made->stream_id = stream_id;
		made->nr_calls = nr;
		made->calls = calloc(nr, sizeof(*made->calls));
		made->events = calloc((size_t)nr * 2 + 2, sizeof(*made->events));
	}
	if (made && made->calls && made->events) {
		add_unknown(made);
		error = 0;
		for (unsigned int i = 0; !error && i < nr; i++)
			error = find_call(made, folder, i);
	}
	if (error) {
		trace_syscalls_destroy(made);
		return diag_set(diag, error, "out of memory for the system calls' names");
	}
	*syscalls = made;
	return 0;
}

static void free_event(const struct ctf_event *event)
{
	if (event->fields != known_exit)
		for (unsigned int i = 0; event->fields && i < event->nr_fields; i++)
			free((void *)(uintptr_t)event->fields[i].name);
	if (event->fields != known_exit)
		free((void *)(uintptr_t)event->fields);
	free((void *)(uintptr_t)event->name);
}

void trace_syscalls_destroy(struct trace_syscalls *syscalls)
{
	if (!syscalls)
		return;
	for (unsigned int i = 2; i < syscalls->nr_events; i++)
		free_event(&syscalls->events[i]);
	free(syscalls->calls);
	free(syscalls->events);
	free(syscalls);
}

unsigned int trace_syscalls_nr_events(const struct trace_syscalls *syscalls)
{
	return syscalls->nr_events;
}

const struct ctf_event *trace_syscalls_event(const struct trace_syscalls *syscalls, unsigned int i)
{
	return &syscalls->events[i];
}

/* ---- for the module ---- */

void trace_syscalls_take_strings(struct trace_syscalls *syscalls)
{
	for (unsigned int i = 0; i < syscalls->nr_calls; i++) {
		struct syscall *call = &syscalls->calls[i];
		struct ctf_field *fields;

		if (call->entry == NOT_KNOWN || !call->names)
			continue;
		fields = (struct ctf_field *)(uintptr_t)syscalls->events[call->entry].fields;
		for (unsigned int arg = 0; arg < call->nr_args; arg++)
			if (call->names & 1u << arg)
				fields[arg] = (struct ctf_field){.name = fields[arg].name,
								 .kind = CTF_FIELD_STRING};
		call->strings = call->names;
	}
}

unsigned int trace_syscalls_nr_calls(const struct trace_syscalls *syscalls)
{
	return syscalls->nr_calls;
}

void trace_syscalls_fill(const struct trace_syscalls *syscalls, unsigned int number,
			 struct oprof_ktrace_syscall *call)
{
	const struct syscall *from = &syscalls->calls[number];

	*call = (struct oprof_ktrace_syscall){.entry_id = OPROF_KTRACE_NO_EVENT,
					      .exit_id = OPROF_KTRACE_NO_EVENT};
	if (from->entry == NOT_KNOWN)
		return;
	call->is_known = 1;
	call->entry_id = syscalls->first_id + from->entry;
	call->exit_id = call->entry_id + 1;
	call->strings = from->strings;
	for (unsigned int i = 0; i < from->nr_args; i++)
		call->arg_bytes[i] = from->strings & 1u << i ? 0 : from->arg_bytes[i];
}

/* ---- records ---- */

static const struct syscall *call_of(const struct trace_syscalls *syscalls, int64_t number)
{
	if (number < 0 || number >= (int64_t)syscalls->nr_calls ||
	    syscalls->calls[number].entry == NOT_KNOWN)
		return NULL;
	return &syscalls->calls[number];
}

uint32_t trace_syscalls_entry(const struct trace_syscalls *syscalls, int64_t number,
			      uint32_t *nr_bytes)
{
	const struct syscall *call = call_of(syscalls, number);

	*nr_bytes = call ? call->nr_bytes : UNKNOWN_ENTRY_BYTES;
	return syscalls->first_id + (call ? call->entry : 0);
}

uint32_t trace_syscalls_exit(const struct trace_syscalls *syscalls, int64_t number,
			     uint32_t *nr_bytes)
{
	const struct syscall *call = call_of(syscalls, number);

	*nr_bytes = call ? KNOWN_EXIT_BYTES : UNKNOWN_EXIT_BYTES;
	return syscalls->first_id + (call ? call->entry : 0) + 1;
}

/* The compiler turns copies of constant size into single stores. */
static uint8_t *write_arg(uint8_t *to, uint64_t arg, unsigned int nr_bytes)
{
	if (nr_bytes == 8)
		memcpy(to, &arg, 8);
	else if (nr_bytes == 4)
		memcpy(to, &arg, 4);
	else
		memcpy(to, &arg, nr_bytes);
	return to + nr_bytes;
}

/*
 * Copies the first bytes of each register, which are its low bytes: the daemon traces only on
 * little-endian machines.
 */
void trace_syscalls_write_entry(const struct trace_syscalls *syscalls, int64_t number,
				const uint64_t args[TRACE_SYSCALL_NR_ARGS], uint8_t *payload)
{
	const struct syscall *call = call_of(syscalls, number);

	if (!call) {
		memcpy(payload, &number, sizeof(number));
		memcpy(payload + sizeof(number), args, sizeof(*args) * TRACE_SYSCALL_NR_ARGS);
		return;
	}
	for (unsigned int i = 0; i < call->nr_args; i++)
		payload = write_arg(payload, args[i], call->arg_bytes[i]);
}

void trace_syscalls_write_exit(const struct trace_syscalls *syscalls, int64_t number, int64_t ret,
			       uint8_t *payload)
{
	if (!call_of(syscalls, number)) {
		memcpy(payload, &number, sizeof(number));
		payload += sizeof(number);
	}
	memcpy(payload, &ret, sizeof(ret));
}
