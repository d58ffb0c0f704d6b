// Swift's Glibc module lacks statfs.
#include "CKernels.h"
#include <errno.h>
#include <linux/magic.h>
#include <sys/vfs.h>

/// From the file systems' own headers; linux/magic.h lacks them.
#define LUSTRE 0x0bd00bd0
#define GPFS 0x47504653
#define BEEGFS 0x19830326

int ck_is_remote(const char *folder) {
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
