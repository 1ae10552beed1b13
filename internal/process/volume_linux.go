package process

import "golang.org/x/sys/unix"

// volumeKind names the file systems that matter here by their number.
func volumeKind(st *unix.Statfs_t) (kind string, remote bool) {
	switch uint32(st.Type) { //nolint:gosec // magic numbers are of 32 bits
	case unix.EXT4_SUPER_MAGIC:
		return "ext4", false
	case unix.XFS_SUPER_MAGIC:
		return "xfs", false
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs", false
	case unix.TMPFS_MAGIC:
		return "tmpfs", false
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlay", false
	case 0x2fc12fc1:
		return "zfs", false
	case unix.NFS_SUPER_MAGIC:
		return "nfs", true
	case unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "smb", true
	case unix.V9FS_MAGIC:
		return "9p", true
	case unix.FUSE_SUPER_MAGIC:
		return "fuse", false
	}
	return "", false
}
