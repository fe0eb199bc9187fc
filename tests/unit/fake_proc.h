/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder that looks like /proc (and /sys), made and removed by a test. */
#ifndef TESTS_FAKE_PROC_H
#define TESTS_FAKE_PROC_H

#define FAKE_PROC_PATH_BYTES 4096

struct fake_proc {
	char path[64];
};

void fake_proc_init(struct fake_proc *proc);
void fake_proc_deinit(struct fake_proc *proc);

/* Write text to path below the folder; makes folders. */
void fake_proc_write(const struct fake_proc *proc, const char *path, const void *text,
		     unsigned long nr_bytes);
void fake_proc_print(const struct fake_proc *proc, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A process with one thread that runs exe and has these maps (text of
 * /proc/PID/maps). flags: of its stat (0x200000: a kernel thread).
 */
void fake_proc_process(const struct fake_proc *proc, int pid, unsigned int flags, const char *exe,
		       const char *maps);
/* Another thread of it. state: 'R', 'Z', ... */
void fake_proc_thread(const struct fake_proc *proc, int pid, int tid, char state, const char *exe,
		      const char *maps);
void fake_proc_remove(const struct fake_proc *proc, int pid);

#endif
