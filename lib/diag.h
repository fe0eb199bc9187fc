/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A diag describes an error in a text, an option or a file, and the location of the error. The
 * function that fails fills the diag. The caller owns the diag and prints it. A diag is not for
 * logging.
 */
#ifndef LIB_DIAG_H
#define LIB_DIAG_H

#define DIAG_TEXT_BYTES 1024
#define DIAG_FILE_BYTES 512

struct diag {
	char file[DIAG_FILE_BYTES]; /* empty: the error is not about a file */
	unsigned int line;	    /* counted from 1; 0: the error concerns the whole file */
	char text[DIAG_TEXT_BYTES]; /* one sentence without newline, with the remedy */
};

/* In all these functions, diag may be NULL. */
void diag_clear(struct diag *diag);

/*
 * Sets the text, clears file and line, and returns `error`: "return diag_set(diag, -EINVAL, ...)".
 */
int diag_set(struct diag *diag, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

int diag_set_at(struct diag *diag, int error, const char *file, unsigned int line,
		const char *format, ...) __attribute__((format(printf, 5, 6)));

/*
 * Combines the results of two steps that both run, so that the first error is reported. Returns
 * `first` if it is not 0, else `second`. If only `second` is an error, copies *second_diag to
 * *diag.
 */
int diag_first(int first, int second, const struct diag *second_diag, struct diag *diag);

#ifdef __clang_analyzer__
/*
 * The static analyser reads one source file at a time. From these macros, the analyser knows that
 * `error` is returned.
 */
#define diag_set(diag, error, ...)    ((void)diag_set(diag, error, __VA_ARGS__), (error))
#define diag_set_at(diag, error, ...) ((void)diag_set_at(diag, error, __VA_ARGS__), (error))
#endif

/*
 * Returns "FILE:LINE: TEXT" in a static buffer of the calling thread, with "?" in place of control
 * characters and of characters that change the direction of text. Never NULL.
 */
const char *diag_show(const struct diag *diag);

#endif
