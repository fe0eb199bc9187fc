/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What test_taken_over.sh measures: which system calls work in each process of oprof that handles
 * data of others. taken_over.c makes the calls, in a library that is preloaded into the programs;
 * taken_over_main.c provides the processes that are attacked, and prints the answers.
 */
#ifndef E2E_TAKEN_OVER_H
#define E2E_TAKEN_OVER_H

/* The processes, as doc/security.md names them. */
#define TAKEN_PROCESSES(X)                                                                         \
	X(OPROFILED, "oprofiled")                                                                  \
	X(READER, "reader")                                                                        \
	X(KEEPER, "keeper")                                                                        \
	X(COPIER, "copier")                                                                        \
	X(REPORT, "report")                                                                        \
	X(OPENER, "opener")                                                                        \
	X(HELPER, "helper")                                                                        \
	X(UNPACKER, "unpacker")                                                                    \
	X(IMPORT_BEGIN, "opimport-begin")                                                          \
	X(IMPORT, "opimport")                                                                      \
	X(TRACER, "tracer")

/*
 * The calls, as doc/security.md names them. The last ones end processes: those that other calls
 * need must still be there. STATUS is no call: the parent reads the process's status in /proc.
 */
#define TAKEN_CALLS(X)                                                                             \
	X(STATUS, "status")                                                                        \
	X(READ_FILE, "read-file")                                                                  \
	X(WRITE_FOLDER, "write-folder")                                                            \
	X(WRITE_TMP, "write-tmp")                                                                  \
	X(WRITE_SESSION, "write-session")                                                          \
	X(PATHS, "paths")                                                                          \
	X(EXEC, "exec")                                                                            \
	X(FORK, "fork")                                                                            \
	X(PTRACE, "ptrace")                                                                        \
	X(VM_READ, "vm-read")                                                                      \
	X(MEM_READ, "mem-read")                                                                    \
	X(MEM_WRITE, "mem-write")                                                                  \
	X(BECOME, "become")                                                                        \
	X(NETWORK, "network")                                                                      \
	X(SERVICE, "service")                                                                      \
	X(CODE, "code")                                                                            \
	X(PERF, "perf")                                                                            \
	X(MOUNT, "mount")                                                                          \
	X(NAMESPACE, "namespace")                                                                  \
	X(BPF, "bpf")                                                                              \
	X(TERMINAL, "terminal")                                                                    \
	X(SIGNAL, "signal")                                                                        \
	X(KILL_ROOT, "kill-root")                                                                  \
	X(KILL_USER, "kill-user")

#define TAKEN_NAME(id, name) TAKEN_##id,
enum taken_process { TAKEN_PROCESSES(TAKEN_NAME) NR_TAKEN_PROCESSES };
enum taken_call { TAKEN_CALLS(TAKEN_NAME) NR_TAKEN_CALLS };

#define TAKEN_TEXT(id, name) name,
#define TAKEN_PROCESS_TEXTS                                                                        \
	{                                                                                          \
		TAKEN_PROCESSES(TAKEN_TEXT)                                                        \
	}
#define TAKEN_CALL_TEXTS                                                                           \
	{                                                                                          \
		TAKEN_CALLS(TAKEN_TEXT)                                                            \
	}

/* An answer above 0 is the errno of the call; one above KILLED is that and the signal's number. */
enum taken_answer {
	TAKEN_NOT_TRIED = 0,
	TAKEN_YES = -1,	    /* the call succeeded */
	TAKEN_BEGUN = -2,   /* the call did not return */
	TAKEN_NO_END = -3,  /* the process did not end */
	TAKEN_NOT_ACT = -4, /* the process ended, but never gave up its rights as expected */
	TAKEN_KILLED = 10000,
};

#define TAKEN_STATUS_BYTES 4096

struct taken_result {
	int is_done;
	int has_runner;	   /* another process makes the calls in the place of this one */
	int status_wanted; /* 1: the process waits until its parent has read its status; 2: read */
	int answers[NR_TAKEN_CALLS];
	char status[TAKEN_STATUS_BYTES]; /* the text of /proc/PID/status */
};

/* The file in which the preloaded programs write; each maps it. */
struct taken_file {
	int lock;	  /* 1: a process makes its calls */
	int is_last_made; /* a process has made the call of TAKEN_OVER_LAST */
	struct taken_result results[NR_TAKEN_PROCESSES];
};

/* The attacked processes have their page with a secret here. */
#define TAKEN_ADDRESS	   0x600000000UL
#define TAKEN_SECRET	   "a secret of root"
#define TAKEN_SECRET_BYTES sizeof(TAKEN_SECRET)

/* Names in the folder of what is attacked. */
#define VICTIM_FILE	"secret"  /* only root may read the file */
#define VICTIM_CLOSED	"closed"  /* only root may write in the folder */
#define VICTIM_OPEN	"open"	  /* everybody may */
#define VICTIM_MOUNT	"mount"	  /* an empty folder */
#define VICTIM_SOCKET	"socket"  /* a Unix socket that only root may use */
#define VICTIM_TERMINAL "tty"	  /* a link to root's terminal */
#define VICTIM_PIDS	"victims" /* the numbers of the attacked processes: see taken_over_main.c */

#endif
