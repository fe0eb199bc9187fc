// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/cgroup_name.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define ID_DIGITS     64u /* length of container ids; OCI tools define it */
#define ID_SHOWN      12  /* number of digits that are shown, as by OCI tools */
#define ID_DIGITS_MIN 32u
#define POD_SHOWN     8
#define PREFIX_MIN    6u /* minimum length of an id prefix that a user may write */
#define PART_BYTES    (NAME_MAX + 1)

/* The state of parsing a path into a name. */
struct path_parsing {
	struct cgroup_name *name;
	size_t used; /* bytes of name->text in use */
	bool too_long;
	char part[PART_BYTES];	 /* the current part, with escapes decoded */
	char before[PART_BYTES]; /* the previous part */
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/*
 * Decodes an escape \xHH. systemd uses such escapes for characters that a unit's name cannot have.
 * Returns 0 if there is no escape or its character is not printable, otherwise 4, the number of
 * bytes read.
 */
static size_t undo_escape(const char *from, char *to)
{
	int high, low;

	if (from[0] != '\\' || from[1] != 'x')
		return 0;
	high = hex_digit(from[2]);
	low = high < 0 ? -1 : hex_digit(from[3]);
	if (low < 0 || high * 16 + low < ' ' || high * 16 + low > '~')
		return 0;
	*to = (char)(high * 16 + low);
	return 4;
}

/*
 * Copies nr_bytes at `from` to to[room], with escapes decoded. Truncates a text that is too long.
 */
static void copy_part(const char *from, size_t nr_bytes, char *to, size_t room)
{
	const char *end = from + nr_bytes;
	size_t used = 0;

	while (from < end && used + 1 < room) {
		size_t nr = undo_escape(from, to + used);

		if (!nr || nr > (size_t)(end - from)) {
			to[used] = *from;
			nr = 1;
		}
		from += nr;
		used++;
	}
	to[used] = '\0';
}

/*
 * Copies the next part of *path to `part` and moves *path after it. Returns false at the path's
 * end.
 */
static bool take_part(const char **path, char *part)
{
	const char *from = *path + strspn(*path, "/");
	size_t nr_bytes = strcspn(from, "/");

	*path = from + nr_bytes;
	copy_part(from, nr_bytes, part, PART_BYTES);
	return nr_bytes != 0;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool ends(const char *text, const char *with)
{
	size_t nr = strlen(text);
	size_t nr_with = strlen(with);

	return nr >= nr_with && !strcmp(text + nr - nr_with, with);
}

static void add(struct path_parsing *parsing, const char *separator, const char *text,
		size_t nr_bytes)
{
	struct cgroup_name *name = parsing->name;
	size_t nr_separator = parsing->used ? strlen(separator) : 0;

	if (parsing->used + nr_separator + nr_bytes >= sizeof(name->text)) {
		parsing->too_long = true;
		return;
	}
	memcpy(name->text + parsing->used, separator, nr_separator);
	memcpy(name->text + parsing->used + nr_separator, text, nr_bytes);
	parsing->used += nr_separator + nr_bytes;
	name->text[parsing->used] = '\0';
}

/* ---- containers ---- */

/* Returns the number of hexadecimal digits at the start of text. */
static size_t nr_digits(const char *text)
{
	return strspn(text, "0123456789abcdef");
}

static void note_container(struct path_parsing *parsing, const char *id, size_t nr_bytes)
{
	char *kept = parsing->name->container;

	if (nr_bytes >= CGROUP_ID_BYTES)
		nr_bytes = CGROUP_ID_BYTES - 1;
	memcpy(kept, id, nr_bytes);
	kept[nr_bytes] = '\0';
}

/*
 * Adds "docker:0123456789ab" to the name. The first container in a pod is added as "0123456789ab",
 * and its monitor process as "conmon:0123456789ab".
 */
static void add_container(struct path_parsing *parsing, const char *tool, size_t nr_tool,
			  const char *id)
{
	static const char conmon[] = "conmon";
	bool in_pod = parsing->name->pod[0] && !parsing->name->container[0];

	note_container(parsing, id, nr_digits(id));
	if (in_pod && nr_tool > strlen(conmon) &&
	    !strncmp(tool + nr_tool - strlen(conmon), conmon, strlen(conmon))) {
		tool += nr_tool - strlen(conmon);
		nr_tool = strlen(conmon);
	} else if (in_pod) {
		add(parsing, "/", id, ID_SHOWN);
		return;
	}
	add(parsing, "/", tool, nr_tool);
	add(parsing, ":", id, ID_SHOWN);
}

/* Prefixes that tools put before container ids, and the well-known names of these tools. */
static const struct {
	const char *prefix, *tool;
} tools[] = {
	{"libpod", "podman"},
	{"libpod-conmon", "podman-conmon"},
	{"libpod_parent", "podman-pod"},
	{"cri-containerd", "containerd"},
};

static void add_tool(struct path_parsing *parsing, const char *prefix, size_t nr_prefix,
		     const char *id)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (strlen(tools[i].prefix) == nr_prefix &&
		    !strncmp(prefix, tools[i].prefix, nr_prefix)) {
			add_container(parsing, tools[i].tool, strlen(tools[i].tool), id);
			return;
		}
	add_container(parsing, prefix, nr_prefix, id);
}

/* Parses a part such as "docker-ID.scope" or "libpod-ID". */
static bool take_prefixed_id(struct path_parsing *parsing)
{
	const char *part = parsing->part;
	const char *id = strrchr(part, '-');
	size_t nr;

	if (!id || id == part)
		return false;
	nr = nr_digits(id + 1);
	if (nr < ID_DIGITS_MIN || (id[1 + nr] && strcmp(id + 1 + nr, ".scope") != 0))
		return false;
	add_tool(parsing, part, (size_t)(id - part), id + 1);
	return true;
}

/* Parses a part that is only an id. The name of its parent folder identifies the tool. */
static bool take_bare_id(struct path_parsing *parsing)
{
	const char *tool = parsing->before;
	size_t nr = nr_digits(parsing->part);

	if (nr != ID_DIGITS || parsing->part[nr])
		return false;
	/* ECS names folders ID/ID, so the parent's name may also be an id instead of a tool. */
	if (!*tool || nr_digits(tool) >= ID_DIGITS_MIN)
		tool = "container";
	add_tool(parsing, tool, strlen(tool), parsing->part);
	return true;
}

/* ---- pods ---- */

/*
 * Returns the length of the pod's uid at the start of text, or 0 if there is none. A uid has
 * 8-4-4-4-12 digits; the uid of a static pod (from the node's own files) has 32 digits.
 */
static size_t uid_bytes(const char *text)
{
	size_t nr = strspn(text, "0123456789abcdef-_");

	return nr == 36 || nr == 32 ? nr : 0;
}

/* Parses "kubepods-burstable-podUID.slice", or "podUID" below "kubepods". */
static bool take_pod(struct path_parsing *parsing, bool in_kubepods)
{
	const char *uid =
		begins(parsing->part, "pod") ? parsing->part : strstr(parsing->part, "-pod");
	char *pod = parsing->name->pod;
	size_t nr;

	if (!in_kubepods || !uid)
		return false;
	uid += *uid == '-' ? 4 : 3;
	nr = uid_bytes(uid);
	if (!nr || (uid[nr] && strcmp(uid + nr, ".slice") != 0))
		return false;
	memcpy(pod, uid, nr);
	pod[nr] = '\0';
	for (char *c = pod; *c; c++)
		if (*c == '_')
			*c = '-';
	parsing->name->container[0] = '\0';
	add(parsing, "/", "k8s", 3);
	add(parsing, ":", pod, POD_SHOWN);
	return true;
}

/* ---- system containers ---- */

static void add_named(struct path_parsing *parsing, const char *tool, const char *name,
		      size_t nr_bytes)
{
	note_container(parsing, name, nr_bytes);
	add(parsing, "/", tool, strlen(tool));
	add(parsing, ":", name, nr_bytes);
}

/* Parses "lxc.payload.NAME" or "lxc.monitor.NAME", or NAME below "lxc" or "lxc.payload". */
static bool take_lxc(struct path_parsing *parsing)
{
	const char *part = parsing->part;
	const char *name = part;

	if (begins(part, "lxc.payload.") || begins(part, "lxc.monitor."))
		name = part + strlen("lxc.payload.");
	else if (strcmp(parsing->before, "lxc") != 0 && strcmp(parsing->before, "lxc.payload") != 0)
		return false;
	if (!*name)
		return false;
	add_named(parsing, begins(part, "lxc.monitor.") ? "lxc-monitor" : "lxc", name,
		  strlen(name));
	return true;
}

/* Parses "systemd-nspawn@NAME.service", or "machine-NAME.scope" below "machine.slice". */
static bool take_machine(struct path_parsing *parsing)
{
	static const char nspawn[] = "systemd-nspawn@", machine[] = "machine-";
	const char *part = parsing->part;
	size_t nr = strlen(part);

	if (begins(part, nspawn) && ends(part, ".service")) {
		add_named(parsing, "nspawn", part + strlen(nspawn),
			  nr - strlen(nspawn) - strlen(".service"));
		return true;
	}
	if (strcmp(parsing->before, "machine.slice") != 0 || !begins(part, machine) ||
	    !ends(part, ".scope"))
		return false;
	add_named(parsing, "machine", part + strlen(machine),
		  nr - strlen(machine) - strlen(".scope"));
	return true;
}

static bool take_container(struct path_parsing *parsing, bool in_kubepods)
{
	return take_pod(parsing, in_kubepods) || take_prefixed_id(parsing) ||
	       take_bare_id(parsing) || take_lxc(parsing) || take_machine(parsing);
}

/*
 * Returns whether `part` is a name that container tools give to a folder directly inside a
 * container's folder.
 */
static bool is_wrapping(const char *part)
{
	return !strcmp(part, "container") || !strcmp(part, "payload") || !strcmp(part, ".lxc");
}

/*
 * Adds the path's containers to the name. Returns the rest of the path after the innermost
 * container, or the whole path if there is no container.
 */
static const char *take_containers(struct path_parsing *parsing, const char *path)
{
	bool in_kubepods = false;
	bool inside = false; /* the previous part was a container */
	const char *rest = path;

	while (take_part(&path, parsing->part)) {
		in_kubepods = in_kubepods || strstr(parsing->part, "kubepods");
		if (take_container(parsing, in_kubepods)) {
			inside = true;
			rest = path;
		} else {
			if (inside && is_wrapping(parsing->part))
				rest = path;
			inside = false;
		}
		memcpy(parsing->before, parsing->part, sizeof(parsing->before));
	}
	return rest;
}

/* ---- units ---- */

static bool is_unit(const char *part)
{
	return ends(part, ".service") || ends(part, ".scope") || ends(part, ".mount") ||
	       ends(part, ".socket") || ends(part, ".swap");
}

/*
 * Finds the part of `path` at which the group's name begins: the last unit, or else the last slice.
 * If the last unit is init.scope and a service is above it, this is the service of a service
 * manager, and the name begins there. Returns NULL if path has neither a unit nor a slice. `path`
 * has no containers.
 */
static const char *name_start(const char *path)
{
	const char *start = NULL, *slice = NULL, *service = NULL;
	char part[PART_BYTES];
	const char *next = path;

	while (take_part(&next, part)) {
		path += strspn(path, "/");
		if (ends(part, ".slice"))
			slice = path;
		if (is_unit(part))
			start = service && !strcmp(part, "init.scope") ? service : path;
		if (ends(part, ".service"))
			service = path;
		path = next;
	}
	return start ? start : slice;
}

static void add_rest(struct path_parsing *parsing, const char *rest)
{
	const char *start = name_start(rest);

	if (!start && !parsing->used)
		return; /* the path's form is unknown, so the name is the whole path */
	if (start)
		rest = start;
	while (take_part(&rest, parsing->part))
		add(parsing, "/", parsing->part, strlen(parsing->part));
}

void cgroup_name_parse(const char *path, struct cgroup_name *name)
{
	struct path_parsing parsing = {.name = name};
	const char *rest;

	memset(name, 0, sizeof(*name));
	rest = take_containers(&parsing, path);
	add_rest(&parsing, rest);
	if (parsing.too_long || !parsing.used)
		(void)snprintf(name->text, sizeof(name->text), "%s", path);
}

bool cgroup_name_tail(const char *path, unsigned int nr_parts, char *text, size_t nr_bytes)
{
	const char *start = path + strlen(path);

	while (nr_parts && start > path) {
		start--;
		nr_parts -= *start == '/' && start[1];
	}
	copy_part(start, strlen(start), text, nr_bytes);
	return start == path;
}

/* ---- matching ---- */

/* Returns whether word is a prefix of id and is long enough not to be an ordinary word. */
static bool is_id_prefix(const char *word, const char *id)
{
	size_t nr = strlen(word);

	return nr >= PREFIX_MIN && !strncmp(word, id, nr);
}

bool cgroup_name_is_meant(const char *path, const char *word,
			  bool (*match)(const char *pattern, const char *text))
{
	struct cgroup_name name;
	const char *colon;

	if (match(word, path) || (*path == '/' && match(word, path + 1)))
		return true;
	cgroup_name_parse(path, &name);
	colon = strchr(name.text, ':');
	return match(word, name.text) || (colon && match(word, colon + 1)) ||
	       (*name.container && match(word, name.container)) ||
	       (nr_digits(name.container) == strlen(name.container) &&
		is_id_prefix(word, name.container)) ||
	       is_id_prefix(word, name.pod);
}
