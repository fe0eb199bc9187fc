// SPDX-License-Identifier: GPL-2.0-only
/* Probes of timers, page faults, block requests and network packets. */
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ptrace.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>
#include <trace/events/timer.h>

#include "kmod/compat.h"
#include "kmod/trace/trace_write.h"

/* ---- timers ---- */

static __always_inline void fill_timer_start(struct oprof_ktrace_payload_timer_start *payload,
					     const struct timer_list *timer)
{
	payload->f_timer = (unsigned long)timer;
	payload->f_function = (unsigned long)timer->function;
	payload->f_expires = timer->expires;
	payload->f_now = jiffies;
	payload->f_flags = data_race(READ_ONCE(timer->flags));
}

TRACE_PROBE(timer_start, (COMPAT_TIMER_START_ARGUMENTS), current, NULL, NULL,
	    fill_timer_start(payload, timer));

static __always_inline void fill_timer_expire(
	struct oprof_ktrace_payload_timer_expire_entry *payload, const struct timer_list *timer,
	unsigned long clk)
{
	payload->f_timer = (unsigned long)timer;
	payload->f_now = jiffies;
	payload->f_function = (unsigned long)timer->function;
	payload->f_baseclk = clk;
}

TRACE_PROBE(timer_expire_entry, (void *data, struct timer_list *timer, unsigned long clk), current,
	    NULL, NULL, fill_timer_expire(payload, timer, clk));
/*
 * The timers of these two events may have been freed: their addresses are
 * recorded, but not dereferenced.
 */
TRACE_PROBE(timer_expire_exit, (void *data, struct timer_list *timer), current, NULL, NULL,
	    payload->f_timer = (unsigned long)timer);
TRACE_PROBE(timer_cancel, (void *data, struct timer_list *timer), current, NULL, NULL,
	    payload->f_timer = (unsigned long)timer);

static __always_inline u64 function_of(struct hrtimer *timer)
{
	return (unsigned long)ACCESS_PRIVATE(timer, function);
}

static __always_inline void fill_hrtimer_start(struct oprof_ktrace_payload_hrtimer_start *payload,
					       struct hrtimer *timer, u32 mode)
{
	payload->f_hrtimer = (unsigned long)timer;
	payload->f_function = function_of(timer);
	payload->f_expires = hrtimer_get_expires(timer);
	payload->f_softexpires = hrtimer_get_softexpires(timer);
	payload->f_mode = mode;
}

TRACE_PROBE(hrtimer_start, (COMPAT_HRTIMER_START_ARGUMENTS), current, NULL, NULL,
	    fill_hrtimer_start(payload, timer, (u32)mode));

static __always_inline void fill_hrtimer_expire(
	struct oprof_ktrace_payload_hrtimer_expire_entry *payload, struct hrtimer *timer, s64 now)
{
	payload->f_hrtimer = (unsigned long)timer;
	payload->f_now = now;
	payload->f_function = function_of(timer);
}

TRACE_PROBE(hrtimer_expire_entry, (COMPAT_HRTIMER_EXPIRE_ARGUMENTS), current, NULL, NULL,
	    fill_hrtimer_expire(payload, timer, compat_hrtimer_expire_now()));
TRACE_PROBE(hrtimer_expire_exit, (void *data, struct hrtimer *timer), current, NULL, NULL,
	    payload->f_hrtimer = (unsigned long)timer);
TRACE_PROBE(hrtimer_cancel, (void *data, struct hrtimer *timer), current, NULL, NULL,
	    payload->f_hrtimer = (unsigned long)timer);

/* ---- page faults ---- */

#if COMPAT_HAS_EXCEPTIONS_GENERIC || defined(CONFIG_X86)
#if COMPAT_HAS_EXCEPTIONS_GENERIC
#include <trace/events/exceptions.h>
#else
#include <asm/trace/exceptions.h>
#endif

static __always_inline void fill_fault(struct oprof_ktrace_payload_page_fault_user *payload,
				       unsigned long address, struct pt_regs *regs,
				       unsigned long code)
{
	payload->f_address = address;
	payload->f_ip = instruction_pointer(regs);
	payload->f_error_code = code;
}

TRACE_PROBE(page_fault_user,
	    (void *data, unsigned long address, struct pt_regs *regs, unsigned long code), current,
	    NULL, NULL, fill_fault(payload, address, regs, code));
TRACE_PROBE(page_fault_kernel,
	    (void *data, unsigned long address, struct pt_regs *regs, unsigned long code), current,
	    NULL, NULL, fill_fault((void *)payload, address, regs, code));
#else
TRACE_NO_PROBE(page_fault_user);
TRACE_NO_PROBE(page_fault_kernel);
#endif

/* ---- block ---- */

#if IS_ENABLED(CONFIG_BLOCK) && IS_ENABLED(CONFIG_EVENT_TRACING)
#include <linux/blk-mq.h>
#include <linux/blktrace_api.h>
#include <trace/events/block.h>

static_assert(sizeof_field(struct oprof_ktrace_payload_block_rq_issue, f_rwbs) >= RWBS_LEN,
	      "room for the kernel's");

static __always_inline u32 disk_of(const struct request *request)
{
	return request->q->disk ? disk_devt(request->q->disk) : 0;
}

static void fill_rwbs(char *rwbs, const struct request *request)
{
	memset(rwbs, 0, sizeof_field(struct oprof_ktrace_payload_block_rq_issue, f_rwbs));
	blk_fill_rwbs(rwbs, request->cmd_flags);
}

static void fill_request(struct oprof_ktrace_payload_block_rq_insert *payload,
			 struct request *request)
{
	payload->f_dev = disk_of(request);
	payload->f_sector = blk_rq_trace_sector(request);
	payload->f_nr_sector = blk_rq_trace_nr_sectors(request);
	payload->f_bytes = blk_rq_bytes(request);
	fill_rwbs(payload->f_rwbs, request);
	trace_copy_comm(payload->f_comm, current);
}

TRACE_PROBE(block_rq_insert, (void *data, struct request *request), current, NULL, NULL,
	    fill_request(payload, request));
TRACE_PROBE(block_rq_issue, (void *data, struct request *request), current, NULL, NULL,
	    fill_request((void *)payload, request));

static void fill_complete(struct oprof_ktrace_payload_block_rq_complete *payload,
			  struct request *request, blk_status_t status, unsigned int bytes)
{
	payload->f_dev = disk_of(request);
	payload->f_sector = blk_rq_pos(request);
	payload->f_nr_sector = bytes >> 9;
	payload->f_error = blk_status_to_errno(status);
	fill_rwbs(payload->f_rwbs, request);
}

TRACE_PROBE(block_rq_complete,
	    (void *data, struct request *request, blk_status_t status, unsigned int bytes), current,
	    NULL, NULL, fill_complete(payload, request, status, bytes));
#else
TRACE_NO_PROBE(block_rq_insert);
TRACE_NO_PROBE(block_rq_issue);
TRACE_NO_PROBE(block_rq_complete);
#endif

/* ---- network ---- */

#if IS_ENABLED(CONFIG_NET)
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <trace/events/net.h>

static __always_inline void fill_packet(struct oprof_ktrace_payload_net_dev_queue *payload,
					const struct sk_buff *packet)
{
	payload->f_skbaddr = (unsigned long)packet;
	payload->f_len = packet->len;
}

TRACE_PROBE(net_dev_queue, (void *data, struct sk_buff *packet), current, NULL, packet->dev->name,
	    fill_packet(payload, packet));
TRACE_PROBE(netif_receive_skb, (void *data, struct sk_buff *packet), current, NULL,
	    packet->dev->name, fill_packet((void *)payload, packet));

static __always_inline void fill_xmit(struct oprof_ktrace_payload_net_dev_xmit *payload,
				      const struct sk_buff *packet, int rc, unsigned int bytes)
{
	/* Only the address is recorded, since the packet may have been freed. */
	payload->f_skbaddr = (unsigned long)packet;
	payload->f_len = bytes;
	payload->f_rc = rc;
}

TRACE_PROBE(net_dev_xmit,
	    (void *data, struct sk_buff *packet, int rc, struct net_device *device,
	     unsigned int bytes),
	    current, NULL, device->name, fill_xmit(payload, packet, rc, bytes));
#else
TRACE_NO_PROBE(net_dev_queue);
TRACE_NO_PROBE(net_dev_xmit);
TRACE_NO_PROBE(netif_receive_skb);
#endif
