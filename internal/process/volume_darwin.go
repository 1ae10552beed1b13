package process

import "golang.org/x/sys/unix"

// volumeKind is the name that the system gives.
func volumeKind(st *unix.Statfs_t) (kind string, remote bool) {
	kind = unix.ByteSliceToString(st.Fstypename[:])
	return kind, kind == "nfs" || kind == "smbfs" || kind == "webdav"
}
