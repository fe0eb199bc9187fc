/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All differences between the supported kernel versions, and nothing else.
 * Each COMPAT_HAS_NAME is 1 if kmod/probes/NAME.c compiles with this kernel's
 * headers, otherwise 0 (kmod/probe.sh).
 */
#ifndef KMOD_COMPAT_H
#define KMOD_COMPAT_H

#include "kmod/compat_probed.h"

#include <linux/compat.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#ifdef CONFIG_ARM64
#include <asm/pointer_auth.h>
#include <asm/sysreg.h>
#else
#include <asm/tsc.h>
#include <asm/vsyscall.h>
#endif

#if COMPAT_HAS_HRTIMER_SETUP
#define compat_hrtimer_setup hrtimer_setup
#else
static inline void compat_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*function)(struct hrtimer *),
					clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#if COMPAT_HAS_INODE_INIT_TS
#define compat_inode_init_times simple_inode_init_ts
#else
static inline void compat_inode_init_times(struct inode *inode)
{
	inode->i_atime = current_time(inode);
	inode->i_mtime = inode->i_atime;
	inode->i_ctime = inode->i_atime;
}
#endif

/* A new entry of the file system stays until compat_kill_super() ends the file system. */
#if COMPAT_HAS_D_MAKE_PERSISTENT
static inline void compat_dentry_add(struct dentry *entry, struct inode *inode)
{
	d_make_persistent(entry, inode);
	dput(entry); /* the file system has its own reference */
}
#define compat_kill_super kill_anon_super
#else
#define compat_dentry_add d_add
#define compat_kill_super kill_litter_super
#endif

/* task_newtask: since 6.18 the argument clone_flags has 64 bits on all architectures. */
#if COMPAT_HAS_NEWTASK_FLAGS_U64
#define COMPAT_NEWTASK_ARGUMENTS void *data, struct task_struct *task, u64 clone_flags
#else
#define COMPAT_NEWTASK_ARGUMENTS void *data, struct task_struct *task, unsigned long clone_flags
#endif

/*
 * sched_process_exit: since 7.x an argument reports whether the whole thread
 * group has ended. In older kernels, the group has ended if its count of live
 * threads is 0.
 */
#if COMPAT_HAS_EXIT_GROUP_DEAD
#define COMPAT_PROCESS_EXIT_ARGUMENTS void *data, struct task_struct *task, bool group_dead
#define compat_is_group_dead()	      (group_dead)
#else
#define COMPAT_PROCESS_EXIT_ARGUMENTS void *data, struct task_struct *task
#define compat_is_group_dead()	      (!atomic_read(&task->signal->live))
#endif

/* Tracepoints of timers. */
#if COMPAT_HAS_TIMER_START_BUCKET
#define COMPAT_TIMER_START_ARGUMENTS void *data, struct timer_list *timer, unsigned long bucket
#else
#define COMPAT_TIMER_START_ARGUMENTS                                                               \
	void *data, struct timer_list *timer, unsigned long expires, unsigned int flags
#endif
#if COMPAT_HAS_HRTIMER_START_ARMED
#define COMPAT_HRTIMER_START_ARGUMENTS                                                             \
	void *data, struct hrtimer *timer, enum hrtimer_mode mode, bool was_armed
#else
#define COMPAT_HRTIMER_START_ARGUMENTS void *data, struct hrtimer *timer, enum hrtimer_mode mode
#endif
#if COMPAT_HAS_HRTIMER_EXPIRE_VALUE
#define COMPAT_HRTIMER_EXPIRE_ARGUMENTS void *data, struct hrtimer *timer, ktime_t now
#define compat_hrtimer_expire_now()	(now)
#else
#define COMPAT_HRTIMER_EXPIRE_ARGUMENTS void *data, struct hrtimer *timer, ktime_t *now
#define compat_hrtimer_expire_now()	(*now)
#endif

/*
 * Flags of tasks that use a program's address space but run no program. Linux
 * 6.4 added PF_USER_WORKER.
 */
#ifdef PF_USER_WORKER
#define COMPAT_PF_NO_PROGRAM (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define COMPAT_PF_NO_PROGRAM (PF_KTHREAD | PF_IO_WORKER)
#endif

/* Returns whether regs belong to 64-bit code. regs must be registers of a program. */
static inline bool compat_is_64bit_user(struct pt_regs *regs)
{
#ifdef CONFIG_X86
	return user_64bit_mode(regs);
#else
	return !compat_user_mode(regs);
#endif
}

/*
 * Returns whether current is in a system call of a 32-bit program; the numbers
 * of such calls have other meanings.
 */
static __always_inline bool compat_is_32bit_call(void)
{
#ifdef CONFIG_X86
	/* x32 calls need no check: their numbers have a bit that is clear in 64-bit calls. */
	return in_ia32_syscall();
#else
	return in_compat_syscall();
#endif
}

/*
 * These functions disable and enable preemption in probes of system calls. Some
 * kernels call these probes with preemption enabled, because the probes may
 * sleep. Other kernels have already disabled preemption.
 */
static __always_inline void compat_syscall_probe_begin(void)
{
	if (COMPAT_HAS_TRACEPOINT_IS_FAULTABLE)
		preempt_disable_notrace();
}

static __always_inline void compat_syscall_probe_end(void)
{
	if (COMPAT_HAS_TRACEPOINT_IS_FAULTABLE)
		preempt_enable_notrace();
}

/*
 * Returns argument i of a 64-bit system call. syscall_get_arguments() would
 * copy all arguments to memory.
 */
static __always_inline unsigned long compat_syscall_argument(const struct pt_regs *regs,
							     unsigned int i)
{
#ifdef CONFIG_X86
	static const u8 at[] = {offsetof(struct pt_regs, di), offsetof(struct pt_regs, si),
				offsetof(struct pt_regs, dx), offsetof(struct pt_regs, r10),
				offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9)};

	return *(const unsigned long *)((const u8 *)regs + at[i]);
#else
	return i ? regs->regs[i] : regs->orig_x0;
#endif
}

/* Removes arm64's pointer authentication code from an address in a program's frame. */
static inline unsigned long compat_strip_return_address(unsigned long address)
{
#if defined(CONFIG_ARM64) && defined(CONFIG_ARM64_PTR_AUTH)
	return address & ~ptrauth_user_pac_mask();
#else
	return address;
#endif
}

/*
 * Reads memory of the interrupted program, from an interrupt or NMI. Returns
 * false if the memory cannot be read. During the copy the kernel increments a
 * word of the task by plain accesses, while the interrupted code may be
 * changing the same word. The increment is undone before that code continues;
 * therefore the race is allowed (data_race()).
 */
static inline bool compat_read_user_nmi(void *to, unsigned long from, size_t bytes)
{
	return !data_race(copy_from_user_nofault(to, (const void __user *)from, bytes));
}

/*
 * Returns the return address of the interrupted function, on the condition that
 * the function has no frame. If it has a frame, the result is arbitrary. regs must be registers
 * of a program. Callable from NMI.
 */
static inline unsigned long compat_link(struct pt_regs *regs)
{
#ifdef CONFIG_X86
	unsigned long link;

	return compat_read_user_nmi(&link, regs->sp, sizeof(link)) ? link : 0;
#else
	return procedure_link_pointer(regs);
#endif
}

/* ---- files ---- */

static inline s64 compat_inode_mtime_ns(const struct inode *inode)
{
#if COMPAT_HAS_INODE_GET_MTIME
	struct timespec64 mtime = inode_get_mtime(inode);
#else
	struct timespec64 mtime = inode->i_mtime;
#endif

	return timespec64_to_ns(&mtime);
}

/*
 * Returns the path by which the program opened the file. On overlayfs, this is
 * not the path of `file`.
 */
static inline const struct path *compat_file_user_path(struct file *file)
{
#if COMPAT_HAS_FILE_USER_PATH
	return file_user_path(file);
#else
	return &file->f_path;
#endif
}

/* Returns the program of an address space, with a reference, or NULL. */
static inline struct file *compat_exe_file(struct mm_struct *mm)
{
	struct file *file;

	rcu_read_lock();
#if COMPAT_HAS_GET_FILE_RCU_POINTER
	file = get_file_rcu(&mm->exe_file);
#else
	file = rcu_dereference(mm->exe_file);
	if (file && !get_file_rcu(file))
		file = NULL;
#endif
	rcu_read_unlock();
	return file;
}

/* ---- modules ---- */

static inline unsigned long compat_module_text(const struct module *module, unsigned long *bytes)
{
#if COMPAT_HAS_MODULE_MEMORY
	*bytes = module->mem[MOD_TEXT].size;
	return (unsigned long)module->mem[MOD_TEXT].base;
#else
	*bytes = module->core_layout.text_size;
	return (unsigned long)module->core_layout.base;
#endif
}

/* ---- clocks ---- */

/* Returns the frequency of the counter that get_cycles() reads. */
static inline u64 compat_counter_hz(void)
{
#ifdef CONFIG_X86
	return 1000ull * tsc_khz;
#else
	return read_sysreg(cntfrq_el0);
#endif
}

/* ---- mappings ---- */

/* Clears flags of a mapping that is being created. */
static inline void compat_vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
#if COMPAT_HAS_VM_FLAGS_CLEAR
	vm_flags_clear(vma, flags);
#else
	vma->vm_flags &= ~flags;
#endif
}

/* ---- addresses ---- */

/*
 * Returns whether address is in the page at which x86 emulates old system
 * calls. This page is not among the mappings of any address space.
 */
static inline bool compat_is_vsyscall(unsigned long address)
{
#ifdef CONFIG_X86_VSYSCALL_EMULATION
	return (address & PAGE_MASK) == VSYSCALL_ADDR;
#else
	return false;
#endif
}

#endif
