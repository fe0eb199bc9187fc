#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""litmus.py [WORD]: the ring's hand-overs between threads, where memory is weakly ordered.

A hand-over is two or three threads, each a few accesses to shared memory in program order, and a
forbidden outcome. All executions are tried: each read sees any write of its word, and the
writes of a word come in any order. Of those that the memory model allows, none may have the
outcome; with any one of the named orders left out, one must have it. Only hand-overs with WORD in
their name are checked. Exits 1 if one is not as it must be.

The model is that of arm64, aarch64.cat of the herd tools, with some of its order left out. So it
allows all that arm64 allows, and more.

  - Between threads (obs): a read is after the write it sees, a write after those that it follows
    in its word and after the reads that saw one of these. In a thread (bob): all after an acquire,
    all before a release, what is on both sides of a full barrier, and an atomic's read before its
    write. These relations together have no cycle.
  - Each word is coherent: program order on one word has no cycle with the same relations. No write
    comes between the read and the write of an atomic.
  - Left out: dependencies (dob), as C promises none; the order of a release before a later acquire,
    as compilers may use ldapr for an acquire; that of two writes of one thread to one word; that of
    an atomic's write that the same thread reads; and the full order of single-instruction atomics
    that have acquire and release.

Sizes of accesses are left out, too. It needs none: each byte of a record is written and read as the
word "data" is here, before the same release and after the same acquire, whichever instructions
access it.
"""

import itertools
import pathlib
import re
import sys


class Access:
    """One event: a read or a write of a word. An atomic is one of each."""

    def __init__(self, thread, is_write, word, name, acquire, release):
        self.thread, self.is_write, self.word, self.name = thread, is_write, word, name
        self.acquire, self.release = acquire, release


# What threads consist of. acquire, release and barriers are named by the code that has them: these
# are the orders that are left out in turn.


def read(word, name=None, acquire=None):
    return ("read", word, name, acquire, None)


def write(word, name, release=None):
    return ("write", word, name, None, release)


def atomic(word, name, acquire=None, release=None):
    return ("atomic", word, name, acquire, release)


def barrier(order):
    return ("barrier", None, None, order, order)


class Program:
    """The events of some threads, without the order left_out, and what the program orders."""

    def __init__(self, threads, left_out):
        self.events, self.atomics = [], []
        self.before = set()  # pairs in the order of the program
        self.ordered = set()  # of these, what other threads see in order
        for number, thread in enumerate(threads):
            self.add_thread(number, thread, left_out)

    def add_thread(self, number, thread, left_out):
        mine, barriers = [], []
        for kind, word, name, acquire, release in thread:
            if kind == "barrier":
                if acquire != left_out:
                    barriers.append(len(mine))
                continue
            if kind != "write":
                has_order = acquire is not None and acquire != left_out
                mine.append(self.add(Access(number, False, word, name, has_order, False)))
            if kind != "read":
                has_order = release is not None and release != left_out
                mine.append(self.add(Access(number, True, word, name, False, has_order)))
            if kind == "atomic":
                self.atomics.append((mine[-2], mine[-1]))
        for i, j in itertools.combinations(range(len(mine)), 2):
            a, b = mine[i], mine[j]
            self.before.add((a, b))
            if (self.events[a].acquire or self.events[b].release or
                    any(i < at <= j for at in barriers)):
                self.ordered.add((a, b))
        self.ordered |= set(self.atomics)

    def add(self, event):
        self.events.append(event)
        return len(self.events) - 1


def has_circle(pairs, number):
    behind = [[] for _ in range(number)]
    nr_before = [0] * number
    for a, b in pairs:
        behind[a].append(b)
        nr_before[b] += 1
    ready = [i for i in range(number) if not nr_before[i]]
    seen = 0
    while ready:
        seen += 1
        for b in behind[ready.pop()]:
            nr_before[b] -= 1
            if not nr_before[b]:
                ready.append(b)
    return seen < number


def is_allowed(program, rank, source):
    """rank: of each write in its word. source: the write a read sees; None: the first value."""
    events, number = program.events, len(program.events)
    writes = list(rank)

    def pairs_of(condition):
        return {(a, b) for a in writes for b in writes if events[a].word == events[b].word and
                condition(a, b)}

    if any(rank[w] != (0 if source[r] is None else rank[source[r]] + 1)
           for r, w in program.atomics):
        return False
    reads_from = {(w, r) for r, w in source.items() if w is not None}
    coherence = pairs_of(lambda a, b: rank[a] < rank[b])
    from_read = {(r, w) for r in source for w in writes if events[w].word == events[r].word and
                 (source[r] is None or rank[w] > rank[source[r]])}
    seen = reads_from | coherence | from_read
    one_word = {(a, b) for a, b in program.before if events[a].word == events[b].word}
    if has_circle(one_word | seen, number):
        return False
    between_threads = {(a, b) for a, b in seen if events[a].thread != events[b].thread}
    return not has_circle(between_threads | program.ordered, number)


def executions(threads, left_out=None):
    """Those that are allowed, each as {name of a read or an atomic: name of the write it sees}."""
    program = Program(threads, left_out)
    events = program.events
    writes = {}
    for i, event in enumerate(events):
        if event.is_write:
            writes.setdefault(event.word, []).append(i)
    reads = [i for i, event in enumerate(events) if not event.is_write]
    for order in itertools.product(*[itertools.permutations(w) for w in writes.values()]):
        rank = {w: i for of_word in order for i, w in enumerate(of_word)}
        for seen in itertools.product(*[[None] + writes.get(events[r].word, []) for r in reads]):
            source = dict(zip(reads, seen))
            if is_allowed(program, rank, source):
                yield {events[r].name: None if w is None else events[w].name
                       for r, w in source.items()}


# ---- the hand-overs ----
#
# Each function returns the threads and the outcome that must not be. An access without acquire or
# release may have one in the code: the hand-over then holds without it. "Kernel" and "user space"
# are the ports that need it (ring/port_kernel.h, ring/port_user.h). Atomics of "both ports" are
# relaxed, as the kernel's own are.


def delivered_packet_is_whole():
    """Both ports, discard mode: a reader that sees a packet delivered reads all of it."""
    writer = [
        write("data", "record"),  # between ring_reserve() and ring_commit()
        atomic("committed", "add"),  # ring_add_committed()
        write("header", "header"),  # write_packet_header()
        write("delivered", "next lap", release="ring_deliver()"),
    ]
    reader = [
        read("delivered", "delivered", acquire="get_discard()"),
        read("data", "data"),
        read("header", "packet"),
    ]
    return [writer, reader], lambda x: x["delivered"] and not (x["data"] and x["packet"])


def packet_taken_by_its_id_is_whole():
    """Both ports, overwrite mode: a reader that takes a packet by its id reads all of it."""
    writer = [
        write("data", "record"),
        atomic("committed", "add"),
        write("header", "header"),
        write("id", "packet", release="set_id_delivered()"),
    ]
    reader = [
        read("id", "look"),  # get_overwrite()
        atomic("id", "take", acquire="cmpxchg of get_overwrite()"),
        read("data", "data"),
        read("header", "packet"),
    ]
    return [writer, reader], lambda x: (x["look"] == x["take"] == "packet" and
                                        not (x["data"] and x["packet"]))


def flusher_delivers_what_the_writer_wrote():
    """User space: the flusher's add fills the packet; it, and the reader, see the record."""
    writer = [
        write("begin_time", "time"),  # open_and_close()
        write("data", "record"),
        atomic("committed", "writer", release="ring_commit()"),
    ]
    flusher = [
        atomic("committed", "flusher", acquire="close_packet()"),
        read("begin_time", "begin"),  # write_packet_header()
        write("header", "header"),
        write("delivered", "next lap", release="ring_deliver()"),
    ]
    reader = [
        read("delivered", "delivered", acquire="get_discard()"),
        read("data", "data"),
        read("header", "packet"),
    ]
    return [writer, flusher, reader], lambda x: x["flusher"] == "writer" and (
        not x["begin"] or x["delivered"] and not (x["data"] and x["packet"]))


def writer_delivers_what_a_flusher_closed():
    """User space: the writer's add fills the packet; it reads where the flusher closed it."""
    writer = [
        atomic("committed", "writer", acquire="ring_commit()"),
        read("closed_at", "closed"),  # write_packet_header(); end_time and lost_by as well
    ]
    flusher = [
        write("closed_at", "end"),  # set_closed()
        atomic("committed", "flusher", release="close_packet()"),
    ]
    return [writer, flusher], lambda x: x["writer"] == "flusher" and not x["closed"]


def flusher_writes_the_header_when_it_is_read():
    """User space, overwrite mode: a flusher writes the header into memory that the writer took."""
    reader = [
        read("data", "data"),  # of a packet before
        atomic("id", "exchange", release="get_overwrite()"),
    ]
    writer = [
        atomic("id", "clear"),  # ring_memory(); the commit orders it for the flusher
        atomic("committed", "writer", release="ring_commit()"),
    ]
    flusher = [
        atomic("committed", "flusher", acquire="close_packet()"),
        read("id", "index"),  # ring_memory() in ring_deliver()
        write("data", "new"),  # write_packet_header()
    ]
    return [reader, writer, flusher], lambda x: (
        x["flusher"] == "writer" and x["clear"] == "exchange" and
        (x["index"] != "clear" or x["data"] == "new"))


def place_is_entered_when_it_is_read():
    """Both ports, discard mode: nobody writes to what the reader still reads."""
    reader = [
        read("data", "data"),  # between ring_next() and ring_put()
        write("consumed", "next", release="consume()"),
    ]
    writer = [
        read("consumed", "consumed", acquire="may_enter()"),
        atomic("reserved", "slot"),  # ring_take()
        write("data", "new"),
    ]
    return [reader, writer], lambda x: x["consumed"] and x["data"] == "new"


def place_is_closed_when_it_is_read():
    """User space, discard mode: a flusher writes the header of a writer's packet over no other.

    In the writer, each of two orders is enough.
    """
    reader = [
        read("header", "header"),  # of the packet of the lap before
        write("consumed", "next", release="consume()"),
    ]
    writer = [
        read("consumed", "consumed", acquire="may_enter() or ring_take()"),
        atomic("reserved", "slot", release="may_enter() or ring_take()"),
    ]
    flusher = [
        read("reserved", "old", acquire="close_open()"),
        write("header", "new"),  # write_packet_header()
    ]
    return [reader, writer, flusher], lambda x: (x["consumed"] and x["old"] == "slot" and
                                                 x["header"] == "new")


def memory_is_written_when_it_is_read():
    """User space, overwrite mode: the memory that the reader gives for a packet is read."""
    reader = [
        read("data", "data"),  # of a packet before
        atomic("id", "exchange", release="get_overwrite()"),  # or ring_put_keep()
    ]
    writer = [
        read("id"),  # ring_memory()
        atomic("id", "clear", acquire="ring_shared_clear()"),
        read("id", "index"),
        write("data", "new"),
    ]
    return [reader, writer], lambda x: x["clear"] == "exchange" and x["data"] == "new"


def memory_is_written_when_it_is_read_kernel():
    """Kernel, overwrite mode: the same, where the clear is a relaxed atomic between barriers."""
    reader = [
        read("data", "data"),
        atomic("id", "exchange", release="cmpxchg() of get_overwrite()"),
    ]
    writer = [
        read("id"),
        atomic("id", "clear"),
        barrier("smp_mb__after_atomic() of ring_shared_clear()"),
        read("id", "index"),
        write("data", "new"),
    ]
    return [reader, writer], lambda x: x["clear"] == "exchange" and x["data"] == "new"


def place_is_entered_when_all_of_it_is_set():
    """User space: who enters what a flusher delivered finds committed 0 and the id set."""
    flusher = [
        write("committed", "zero"),  # ring_deliver()
        write("id", "packet"),  # set_id_delivered()
        write("delivered", "next lap", release="ring_deliver()"),
    ]
    writer = [
        read("delivered", "delivered", acquire="may_enter()"),
        read("id", "id"),  # ring_memory()
        atomic("committed", "add"),  # ring_commit()
    ]
    return [flusher, writer], lambda x: x["delivered"] and (x["add"] != "zero" or not x["id"])


def stamps_are_behind_the_flush():
    """User space: who opens the packet behind a flush sees the time of the flush."""
    flusher = [
        write("flush_time", "time"),  # flush_stamp()
        atomic("reserved", "flush", release="cmpxchg of close_open()"),
    ]
    writer = [
        read("reserved", "old", acquire="plan_reserve()"),
        read("flush_time", "flushed"),  # slow_stamp()
    ]
    return [flusher, writer], lambda x: x["old"] == "flush" and not x["flushed"]


def flusher_finds_the_place_as_the_writer_left_it():
    """User space: a flusher closes a packet in a place whose last packet a writer delivered."""
    writer = [
        read("closed_at", "closed"),  # write_packet_header(), of the lap before
        write("committed", "zero"),  # ring_deliver()
        write("delivered", "packet"),  # the same
        atomic("reserved", "slot", release="cmpxchg of ring_take()"),
    ]
    flusher = [
        read("reserved", "old", acquire="close_open()"),
        write("closed_at", "end"),  # set_closed()
        atomic("committed", "add"),  # close_packet()
        read("delivered", "packet"),  # ring_deliver()
    ]
    return [writer, flusher], lambda x: x["old"] == "slot" and (
        x["closed"] == "end" or x["add"] != "zero" or not x["packet"])


def attached_ring_is_whole():
    """User space: who finds the magic of a ring finds the ring."""
    maker = [
        write("words", "first"),
        write("magic", "ring", release="ring_init()"),
    ]
    other = [
        read("magic", "magic", acquire="ring_attach()"),
        read("words", "words"),
    ]
    return [maker, other], lambda x: x["magic"] and not x["words"]


HAND_OVERS = (
    delivered_packet_is_whole,
    packet_taken_by_its_id_is_whole,
    flusher_delivers_what_the_writer_wrote,
    writer_delivers_what_a_flusher_closed,
    place_is_entered_when_it_is_read,
    place_is_closed_when_it_is_read,
    memory_is_written_when_it_is_read,
    memory_is_written_when_it_is_read_kernel,
    flusher_writes_the_header_when_it_is_read,
    place_is_entered_when_all_of_it_is_set,
    stamps_are_behind_the_flush,
    flusher_finds_the_place_as_the_writer_left_it,
    attached_ring_is_whole,
)


# ---- the model, held against outcomes that are known ----


def known_outcomes():
    """(name, threads, outcome, is it allowed): textbook tests, which show that the model works."""
    def both(x):
        return not x["a"] and not x["b"]

    def late(x):
        return x["flag"] and not x["value"]

    def full():
        return barrier("full")

    buffering = [[write("x", "1"), read("y", "a")], [write("y", "1"), read("x", "b")]]
    fenced = [[write("x", "1"), full(), read("y", "a")], [write("y", "1"), full(), read("x", "b")]]
    acquired = [[write("x", "1", "r"), read("y", "a", "a")],
                [write("y", "1", "r"), read("x", "b", "a")]]
    plain = [[write("x", "1"), write("y", "1")], [read("y", "flag"), read("x", "value")]]
    passed = [[write("x", "1"), write("y", "1", "r")], [read("y", "flag", "a"), read("x", "value")]]
    load = [[read("x", "a"), write("y", "1")], [read("y", "b"), write("x", "1")]]
    same = [[write("x", "1")], [read("x", "a"), read("x", "b")]]
    adds = [[atomic("x", "a")], [atomic("x", "b")]]
    wide = [[write("x", "1")], [write("y", "1")],
            [read("x", "p", "a"), read("y", "a")], [read("y", "q", "a"), read("x", "b")]]
    return (
        ("store buffering", buffering, both, True),
        ("store buffering, full barriers", fenced, both, False),
        ("store buffering, release and acquire (ldapr)", acquired, both, True),
        ("message passing", plain, late, True),
        ("message passing, release and acquire", passed, late, False),
        ("load buffering", load, lambda x: x["a"] and x["b"], True),
        ("two reads of a word go back", same, lambda x: x["a"] and not x["b"], False),
        ("two atomics see the same", adds, both, False),
        ("two readers see writes in two orders", wide,
         lambda x: x["p"] and x["q"] and both(x), False),
    )


def is_found(threads, outcome, left_out=None):
    return any(outcome(x) for x in executions(threads, left_out))


def report(name, good, what):
    print("%-46s %s%s" % (name, "" if good else "WRONG: ", what))
    return good


def check_model():
    good = True
    for name, threads, outcome, allowed in known_outcomes():
        found = is_found(threads, outcome)
        good &= report("model: " + name, found == allowed, "found" if found else "never")
    return good


def orders_of(threads):
    """Their names, each once."""
    orders = [order for thread in threads for access in thread for order in access[3:]]
    return sorted({order for order in orders if order})


def check_names(orders):
    """The functions that orders are named after are the ring's, or its port's."""
    folder = pathlib.Path(__file__).resolve().parent.parent / "ring"
    text = "".join(path.read_text() for path in folder.glob("*.[ch]"))
    names = {name for order in orders for name in re.findall(r"(\w+)\(\)", order)}
    return all([report("ring/ has " + name + "()", False, "not found")
                for name in sorted(names) if not re.search(r"\b" + name + r"\(", text)])


def check_hand_over(hand_over):
    threads, outcome = hand_over()
    name = hand_over.__name__
    found = is_found(threads, outcome)
    good = report(name, not found, "fails" if found else "holds")
    for order in orders_of(threads):
        found = is_found(threads, outcome, order)
        good &= report("  without " + order, found, "fails, as it must" if found else "holds")
    return good


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [hand_over for hand_over in HAND_OVERS if word in hand_over.__name__]
    if not chosen:
        sys.exit("litmus.py: no hand-over has %s in its name" % word)
    good = check_model()
    for hand_over in chosen:
        good &= check_hand_over(hand_over)
        good &= check_names(orders_of(hand_over()[0]))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
