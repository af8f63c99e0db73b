package doctor

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// remote are the file systems whose files live on another machine, by the magic
// number that the kernel gives.
var remote = map[uint32]string{
	unix.NFS_SUPER_MAGIC:  "NFS",
	unix.SMB_SUPER_MAGIC:  "SMB",
	unix.SMB2_SUPER_MAGIC: "SMB",
	unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.AFS_SUPER_MAGIC:  "AFS",
	unix.AFS_FS_MAGIC:     "AFS",
	unix.CODA_SUPER_MAGIC: "Coda",
	unix.CEPH_SUPER_MAGIC: "Ceph",
	unix.NCP_SUPER_MAGIC:  "NCP",
	unix.V9FS_MAGIC:       "9P",
	0x00bd00d0:            "Lustre",
	0x47504653:            "GPFS",
	0x013661636:           "OCFS2",
}

// NetworkFileSystem names the network file system that a path is on, or would be
// made on.
func NetworkFileSystem(path string) (name string, yes bool) {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			break
		}
		path = filepath.Dir(path)
	}
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return "", false
	}
	name, yes = remote[uint32(s.Type)]
	return name, yes
}

// FreeBytes is how much room the path's file system has for us.
func FreeBytes(path string) (int64, bool) {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
