// System calls that Swift's Glibc module lacks.
#define _GNU_SOURCE
#include "CSystemCalls.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <unistd.h>

/// From the file systems' own headers; linux/magic.h lacks them.
#define LUSTRE 0x0bd00bd0
#define GPFS 0x47504653
#define BEEGFS 0x19830326

int cs_is_remote(const char *folder) {
    struct statfs facts;
    int code;
    do code = statfs(folder, &facts);
    while (code != 0 && errno == EINTR);
    if (code != 0) return -1;
    switch ((unsigned long)facts.f_type & 0xffffffff) {
    case NFS_SUPER_MAGIC: case SMB_SUPER_MAGIC: case CIFS_SUPER_MAGIC: case SMB2_SUPER_MAGIC: case CEPH_SUPER_MAGIC:
    case AFS_SUPER_MAGIC: case AFS_FS_MAGIC: case CODA_SUPER_MAGIC: case V9FS_MAGIC: case LUSTRE: case GPFS:
    case BEEGFS: case FUSE_SUPER_MAGIC: return 1;
    default: return 0;
    }
}

/// A real-time signal: SIGIO is for programs that watch other descriptors.
#define LEASE_BREAK (SIGRTMIN + 6)

int cs_take_lease(int descriptor, int thread) {
    struct f_owner_ex owner = {F_OWNER_TID, thread};
    if (fcntl(descriptor, F_SETOWN_EX, &owner) != 0 || fcntl(descriptor, F_SETSIG, LEASE_BREAK) != 0) return -1;
    return fcntl(descriptor, F_SETLEASE, F_RDLCK);
}

int cs_release_lease(int descriptor) { return fcntl(descriptor, F_SETLEASE, F_UNLCK); }

static sigset_t lease_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, LEASE_BREAK);
    return set;
}

int cs_start_lease_watch(void) {
    sigset_t set = lease_signals();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return gettid();
}

void cs_wait_for_lease_break(void) {
    sigset_t set = lease_signals();
    int number;
    sigwait(&set, &number);
}

// During a break this is the type that the lease must be changed to.
int cs_has_lease(int descriptor) { return fcntl(descriptor, F_GETLEASE) == F_RDLCK; }

int cs_move_pages(void *from, void *to, size_t count) {
    return mremap(from, count, count, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to ? 0 : -1;
}

void cs_adopt_orphans(int adopts) { prctl(PR_SET_CHILD_SUBREAPER, adopts, 0, 0, 0); }
