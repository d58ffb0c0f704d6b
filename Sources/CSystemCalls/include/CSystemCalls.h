#ifndef CSYSTEMCALLS_H
#define CSYSTEMCALLS_H

#include <stddef.h>

/// Whether a folder is on a file server or in a file system that another program provides (FUSE); -1 with errno if unknown.
int cs_is_remote(const char *folder);

/// Takes a read lease on a file: before a program opens it for writing or truncates it, the kernel signals a thread, and
/// that program waits until the lease is released, or for 45 seconds (/proc/sys/fs/lease-break-time). -1 with errno on
/// failure: EAGAIN if a program has the file open for writing.
int cs_take_lease(int descriptor, int thread);
int cs_release_lease(int descriptor);
/// Lets the calling thread be signalled for leases; returns its number.
int cs_start_lease_watch(void);
/// Waits for a signal on that thread.
void cs_wait_for_lease_break(void);
/// Whether the lease is held and no program waits for its release.
int cs_has_lease(int descriptor);

/// Replaces the pages at `to` by those at `from`, which are unmapped there, while other threads read them.
int cs_move_pages(void *from, void *to, size_t count);

/// Whether processes whose parents have ended become children of this one, instead of those of the first process.
void cs_adopt_orphans(int adopts);

#endif
