// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/control_message.h"

#include "client/message_head.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Parses a number that consists only of decimal digits. Returns 0 or -EBADMSG. */
static int parse_number(const char *text, size_t length, uint64_t *number)
{
	uint64_t result = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' ||
		    __builtin_mul_overflow(result, UINT64_C(10), &result) ||
		    __builtin_add_overflow(result, (uint64_t)(text[i] - '0'), &result))
			return -EBADMSG;
	}
	if (!length)
		return -EBADMSG;
	*number = result;
	return 0;
}

static int parse_name(const char *text, size_t length, struct control_request *request)
{
	if (length >= sizeof(request->name))
		return -EBADMSG;
	memcpy(request->name, text, length);
	request->name[length] = '\0';
	return 0;
}

static int parse_last(const char *text, size_t length, struct control_request *request)
{
	return parse_number(text, length, &request->last_ns);
}

static int parse_until(const char *text, size_t length, struct control_request *request)
{
	return parse_number(text, length, &request->until_ns);
}

static int parse_separate(const char *text, size_t length, struct control_request *request)
{
	request->separate_all = length == 3 && !memcmp(text, "all", 3);
	return request->separate_all ? 0 : -EBADMSG;
}

static int parse_folder(const char *text, size_t length, struct control_request *request)
{
	if (length >= sizeof(request->folder))
		return -EBADMSG;
	memcpy(request->folder, text, length);
	request->folder[length] = '\0';
	return 0;
}

static const struct {
	const char *key; /* the key and the space after it */
	int (*parse)(const char *text, size_t length, struct control_request *request);
} request_keys[] = {
	{"name ", parse_name},	       {"last_ns ", parse_last},  {"until_ns ", parse_until},
	{"separate ", parse_separate}, {"folder ", parse_folder},
};

/* Parses one line of a request. Ignores unknown keys. */
static int request_line(const char *line, size_t length, struct control_request *request)
{
	if (memchr(line, '\0', length))
		return -EBADMSG;
	for (size_t i = 0; i < sizeof(request_keys) / sizeof(request_keys[0]); i++) {
		size_t key_length = strlen(request_keys[i].key);

		if (length >= key_length && !memcmp(line, request_keys[i].key, key_length))
			return request_keys[i].parse(line + key_length, length - key_length,
						     request);
	}
	return 0;
}

int control_message_parse(const void *bytes, size_t nr_bytes, struct control_request *request)
{
	struct oprof_message head;
	const char *text = (const char *)bytes + sizeof(head);
	int error;

	if (nr_bytes < sizeof(head))
		return -EPROTO;
	memcpy(&head, bytes, sizeof(head));
	error = message_head_check(&head, nr_bytes);
	if (error == -EPROTO)
		return error;
	request->request = head.request;
	request->name[0] = '\0';
	request->folder[0] = '\0';
	request->last_ns = 0;
	request->until_ns = 0;
	request->separate_all = false;
	if (error)
		return error;
	nr_bytes -= sizeof(head);
	while (nr_bytes) {
		const char *end = memchr(text, '\n', nr_bytes);
		size_t length = end ? (size_t)(end - text) : nr_bytes;
		size_t taken = end ? length + 1 : length;

		error = request_line(text, length, request);
		if (error)
			return error;
		text += taken;
		nr_bytes -= taken;
	}
	return 0;
}

void control_answer_init(struct control_answer *answer)
{
	answer->status = 0;
	answer->fd = -1;
	answer->nr_bytes = 0;
}

void control_answer_add(struct control_answer *answer, const char *key, const char *format, ...)
{
	char value[2048];
	char line[2304];
	va_list args;
	int nr;

	va_start(args, format);
	(void)vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	for (char *c = value; *c; c++)
		if (*c == '\n')
			*c = ' ';
	nr = snprintf(line, sizeof(line), "%.200s %s\n", key, value);
	if (nr < 0 || (size_t)nr > sizeof(answer->text) - answer->nr_bytes)
		return;
	memcpy(answer->text + answer->nr_bytes, line, (size_t)nr);
	answer->nr_bytes += (size_t)nr;
}

void control_answer_fail(struct control_answer *answer, int error, const char *text)
{
	answer->status = error;
	control_answer_add(answer, "error", "%s", text);
}

size_t control_message_format(const struct control_answer *answer, uint16_t request, void *bytes)
{
	struct oprof_message head = message_head(request, answer->status, answer->nr_bytes);

	memcpy(bytes, &head, sizeof(head));
	memcpy((char *)bytes + sizeof(head), answer->text, answer->nr_bytes);
	return sizeof(head) + answer->nr_bytes;
}
