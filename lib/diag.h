/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was wrong with a text, an option or a file, and where: filled by the
 * function that failed, owned and shown by its caller. Not for logging.
 */
#ifndef LIB_DIAG_H
#define LIB_DIAG_H

#define DIAG_TEXT_BYTES 1024
#define DIAG_FILE_BYTES 512

struct diag {
	char file[DIAG_FILE_BYTES]; /* empty: no file is to blame */
	unsigned int line;	    /* from 1; 0: the whole file */
	char text[DIAG_TEXT_BYTES]; /* one sentence, no newline; says what to do */
};

/* diag may be NULL in all of these. */
void diag_clear(struct diag *diag);

/*
 * Set the text and return error, so that "return diag_set(d, -EINVAL, ...)"
 * reads well. The file and line are cleared.
 */
int diag_set(struct diag *diag, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

int diag_set_at(struct diag *diag, int error, const char *file, unsigned int line,
		const char *format, ...) __attribute__((format(printf, 5, 6)));

/*
 * For several steps that are all taken, of whose errors the first counts. Returns first or, if that
 * is 0, second, and then copies *second_diag to *diag.
 */
int diag_first(int first, int second, const struct diag *second_diag, struct diag *diag);

#ifdef __clang_analyzer__
/* The static analyser reads one source file at a time: what comes back is error. */
#define diag_set(diag, error, ...)    ((void)diag_set(diag, error, __VA_ARGS__), (error))
#define diag_set_at(diag, error, ...) ((void)diag_set_at(diag, error, __VA_ARGS__), (error))
#endif

/*
 * "FILE:LINE: TEXT" into a static buffer of the caller's thread, with "?" for
 * control characters. Never NULL.
 */
const char *diag_show(const struct diag *diag);

#endif
