// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Readable names for C++ and Rust. libiberty demangles; the smart mode then shortens names to the
 * forms that sources use: std::string, std::vector<T>.
 */
#include "pp/symbols/symbols.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A few hundred bytes of mangled name can expand to gigabytes. A name that exceeds one of these
 * limits is shown without demangling.
 */
#define DEMANGLED_MAX_BYTES 65536
#define MANGLED_MAX_BYTES   32768

/* ---- demangling ---- */

struct demangled_text {
	char *bytes; /* buffer of DEMANGLED_MAX_BYTES + 1 */
	size_t nr_bytes;
	jmp_buf too_long;
};

static void text_add(const char *bytes, size_t nr_bytes, void *context)
{
	struct demangled_text *text = context;

	if (!nr_bytes) /* `bytes` may be NULL, which memcpy() does not allow */
		return;
	if (nr_bytes > DEMANGLED_MAX_BYTES - text->nr_bytes)
		longjmp(text->too_long, 1);
	memcpy(text->bytes + text->nr_bytes, bytes, nr_bytes);
	text->nr_bytes += nr_bytes;
}

/*
 * libiberty's functions that take a callback allocate no memory, so longjmp() out of the callback
 * leaks nothing.
 */
static bool demangle_into(struct demangled_text *text, const char *name)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(text->too_long))
		return false;
	if (rust_demangle_callback(name, options, text_add, text))
		return text->nr_bytes > 0;
	text->nr_bytes = 0;
	return cplus_demangle_v3_callback(name, options, text_add, text) && text->nr_bytes > 0;
}

static char *demangle(const char *name)
{
	struct demangled_text text = {.bytes = malloc(DEMANGLED_MAX_BYTES + 1)};
	char *result;

	if (!text.bytes)
		return NULL;
	if (demangle_into(&text, name)) {
		text.bytes[text.nr_bytes] = '\0';
		result = strdup(text.bytes);
	} else {
		result = strdup(name);
	}
	free(text.bytes);
	return result;
}

/* ---- smart names ---- */

/*
 * Smart names are made in one pass over the demangled text. On unexpected input the pass
 * stops, and the plain name is used.
 */
struct smart {
	const char *in;	   /* remaining input */
	char *begin, *out; /* output: at most two bytes for each byte of input */
	unsigned int depth;
};

#define SMART_DEPTH_MAX	    64
#define SMART_ARGUMENTS_MAX 64

/* Default template arguments of the standard library. */
static const char *const default_arguments[] = {
	"std::allocator<",	"std::char_traits<", "std::less<",
	"std::default_delete<", "std::hash<",	     "std::equal_to<",
};

static bool smart_copy(struct smart *smart, const char *stops);

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static void put(struct smart *smart, const char *text)
{
	smart->out = stpcpy(smart->out, text);
}

static void put_next(struct smart *smart)
{
	*smart->out++ = *smart->in++;
}

static void trim_spaces(struct smart *smart)
{
	while (smart->out > smart->begin && smart->out[-1] == ' ')
		smart->out--;
}

static bool is_default_argument(const char *text)
{
	for (size_t i = 0; i < sizeof(default_arguments) / sizeof(default_arguments[0]); i++)
		if (starts_with(text, default_arguments[i]))
			return true;
	return false;
}

/* Returns the start of the qualified name that ends at `end`. */
static char *name_begin(const struct smart *smart, char *end)
{
	while (end > smart->begin && (is_word(end[-1]) || end[-1] == ':'))
		end--;
	return end;
}

/* std::basic_ostream<char> becomes std::ostream; std::basic_ostream<wchar_t>: std::wostream. */
static bool shorten_basic(struct smart *smart, char *name, char *open)
{
	static const struct {
		const char *type, *prefix;
	} types[] = {{"char", ""},
		     {"wchar_t", "w"},
		     {"char8_t", "u8"},
		     {"char16_t", "u16"},
		     {"char32_t", "u32"}};
	static const char basic[] = "std::basic_";

	if (!starts_with(name, basic))
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t nr_prefix = strlen(types[i].prefix);
		char *from = name + strlen(basic), *to = name + strlen("std::");

		if (strcmp(open + 1, types[i].type) != 0)
			continue;
		memmove(to + nr_prefix, from, (size_t)(open - from));
		memcpy(to, types[i].prefix, nr_prefix);
		smart->out = to + nr_prefix + (open - from);
		return true;
	}
	return false;
}

/* Copies arguments up to the closing '>', without trailing default arguments. */
static bool copy_arguments(struct smart *smart, bool standard)
{
	char *kept_end = smart->out;
	unsigned int nr = 0;

	for (;;) {
		char *argument;

		while (*smart->in == ' ')
			smart->in++;
		argument = smart->out;
		if (!smart_copy(smart, ",>"))
			return false;
		trim_spaces(smart);
		*smart->out = '\0';
		if (!nr++ || !standard || !is_default_argument(argument))
			kept_end = smart->out;
		if (*smart->in++ == '>')
			break;
		put(smart, ", ");
	}
	smart->out = kept_end;
	*smart->out = '\0';
	return true;
}

/* Called after the '<' of a name's arguments was read. */
static bool smart_arguments(struct smart *smart)
{
	char *open = smart->out;
	char *name = name_begin(smart, open);
	bool standard = starts_with(name, "std::");

	*smart->out++ = '<';
	if (!copy_arguments(smart, standard))
		return false;
	if (!standard || !shorten_basic(smart, name, open))
		put(smart, ">");
	return true;
}

static const char operator_word[] = "operator";

static bool is_operator(const struct smart *smart)
{
	return starts_with(smart->in, operator_word) &&
	       !is_word(smart->in[strlen(operator_word)]) &&
	       (smart->out == smart->begin || !is_word(smart->out[-1]));
}

/*
 * Copies an operator's name. The '<' and '>' in "operator<<" and "operator->" are not brackets;
 * only a '<' after a space begins template arguments.
 */
static bool copy_operator(struct smart *smart)
{
	put(smart, operator_word);
	smart->in += strlen(operator_word);
	if (starts_with(smart->in, "()")) {
		put(smart, "()");
		smart->in += 2;
	}
	while (*smart->in && strchr("<>=-+*/%^&|~!", *smart->in))
		put_next(smart);
	if (!starts_with(smart->in, " <"))
		return true;
	put(smart, " ");
	smart->in += 2;
	return smart_arguments(smart);
}

/*
 * Skips an inline namespace of std. Such a namespace names a version of the library, and never
 * appears in sources. The list has the names of libstdc++, libc++ and Android.
 */
static bool skip_inline_namespace(struct smart *smart)
{
	static const char *const names[] = {
		"__cxx11::", "__1::", "_V2::", "__cxx1998::", "__fs::", "__ndk1::", "__n4861::"};

	if (*smart->in != '_' || smart->out == smart->begin || smart->out[-1] != ':' ||
	    !starts_with(name_begin(smart, smart->out), "std::"))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!starts_with(smart->in, names[i]))
			continue;
		smart->in += strlen(names[i]);
		return true;
	}
	return false;
}

/*
 * Skips an ABI tag, which names the library version for which the function is made:
 * "name[abi:cxx11](int)".
 */
static bool skip_abi_tag(struct smart *smart)
{
	size_t nr_bytes;

	if (!starts_with(smart->in, "[abi:"))
		return false;
	nr_bytes = strcspn(smart->in, "]");
	if (!smart->in[nr_bytes])
		return false;
	smart->in += nr_bytes + 1;
	return true;
}

/* Copies from an opening bracket to the closing one, both included. */
static bool copy_bracketed(struct smart *smart, const char *closing)
{
	put_next(smart);
	if (!smart_copy(smart, closing))
		return false;
	put_next(smart);
	return true;
}

static bool copy_one(struct smart *smart)
{
	bool after_name = smart->out > smart->begin && is_word(smart->out[-1]);

	if (skip_inline_namespace(smart) || skip_abi_tag(smart))
		return true;
	if (is_operator(smart))
		return copy_operator(smart);
	switch (*smart->in) {
	case '(':
		return copy_bracketed(smart, ")");
	case '[':
		return copy_bracketed(smart, "]");
	case '{':
		return copy_bracketed(smart, "}");
	case '<':
		if (after_name) {
			smart->in++;
			return smart_arguments(smart);
		}
		break;
	default:
		break;
	}
	put_next(smart);
	return true;
}

/*
 * Copies up to a character in `stops`, or to the end if `stops` is empty. Returns false on
 * unexpected input.
 */
static bool smart_copy(struct smart *smart, const char *stops)
{
	bool good = ++smart->depth < SMART_DEPTH_MAX;

	while (good && *smart->in && !strchr(stops, *smart->in))
		good = copy_one(smart);
	*smart->out = '\0';
	smart->depth--;
	return good && (*smart->in || !*stops);
}

/*
 * Returns the smart form of plain; plain itself on unexpected input; NULL if out of memory. Takes
 * ownership of plain.
 */
static char *make_smart(char *plain)
{
	char *bytes = malloc(2 * strlen(plain) + 1);
	struct smart smart = {.in = plain, .begin = bytes, .out = bytes};
	char *result = plain;

	if (!bytes) {
		free(plain);
		return NULL;
	}
	if (smart_copy(&smart, "")) {
		result = strdup(bytes);
		free(plain);
	}
	free(bytes);
	return result;
}

/* Demangles the first nr_bytes of name and appends the rest unchanged. */
static char *demangle_before(const char *name, size_t nr_bytes, enum demangle_mode mode)
{
	char *function = strndup(name, nr_bytes);
	char *shown = function ? symbol_demangle(function, mode) : NULL;
	char *slot = NULL;

	if (shown && asprintf(&slot, "%s%s", shown, name + nr_bytes) < 0)
		slot = NULL;
	free(shown);
	free(function);
	return slot;
}

char *symbol_demangle(const char *name, enum demangle_mode mode)
{
	const char *suffix = strchr(name, '@'); /* a PLT entry: "_ZdlPv@plt" */
	char *plain;

	if (mode == DEMANGLE_NONE || name[0] != '_' || strlen(name) > MANGLED_MAX_BYTES)
		return strdup(name);
	if (suffix)
		return demangle_before(name, (size_t)(suffix - name), mode);
	plain = demangle(name);
	if (!plain || mode != DEMANGLE_SMART)
		return plain;
	return make_smart(plain);
}
