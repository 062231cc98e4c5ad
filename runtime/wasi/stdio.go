package wasi

import "encoding/binary"

// vectorBytes is the size of an iovec: a pointer and a length.
const vectorBytes = 8

// vectors returns a list of iovecs as the guest's memory has it. The list has been charged for.
func (c caller) vectors(at, count uint32) ([]byte, errno) {
	if count > maxVectors {
		return nil, inval
	}
	c.charge(int64(count) * entryFuel)
	list, ok := c.memory.Read(at, count*vectorBytes)
	if !ok {
		return nil, fault
	}
	return list, success
}

// buffer returns the memory that the first iovec of a list names, and the rest of the list.
func (c caller) buffer(list []byte) (buf, rest []byte, ok bool) {
	le := binary.LittleEndian
	buf, ok = c.memory.Read(le.Uint32(list), le.Uint32(list[4:]))
	return buf, list[vectorBytes:], ok
}

// fdWrite writes to stdout or stderr. All buffers are looked at before the first is written, so a
// call that fails has written nothing.
func fdWrite(c caller, params []uint64) errno {
	fd := uint32(params[0])
	if fd != 1 && fd != 2 {
		return badf
	}
	list, e := c.vectors(uint32(params[1]), uint32(params[2]))
	if e != success {
		return e
	}
	total := 0
	for rest := list; len(rest) > 0; {
		var buf []byte
		var ok bool
		if buf, rest, ok = c.buffer(rest); !ok {
			return fault
		}
		if total += len(buf); total > maxTransfer {
			return inval
		}
	}
	for len(list) > 0 {
		var buf []byte
		for buf, list, _ = c.buffer(list); len(buf) > 0; {
			n := min(len(buf), chunk)
			c.charge(priceOf(n))
			c.host.WriteStdio(c.guest, fd, buf[:n])
			buf = buf[n:]
		}
	}
	if !c.memory.WriteUint32Le(uint32(params[3]), uint32(total)) {
		return fault
	}
	return success
}

// fdRead reads from stdin until the buffers are full or the input ends. It looks at an iovec only
// after filling the ones before, because these may overlap the list.
func fdRead(c caller, params []uint64) errno {
	if uint32(params[0]) != 0 {
		return badf
	}
	list, e := c.vectors(uint32(params[1]), uint32(params[2]))
	if e != success {
		return e
	}
	total, ended := 0, false
	for len(list) > 0 && !ended {
		var buf []byte
		var ok bool
		if binary.LittleEndian.Uint32(list[4:]) == 0 { // may point anywhere
			list = list[vectorBytes:]
			continue
		}
		if buf, list, ok = c.buffer(list); !ok {
			return fault
		}
		for len(buf) > 0 && !ended {
			n := min(len(buf), chunk)
			c.charge(priceOf(n))
			got := c.host.ReadStdin(buf[:n])
			total += got // as much as stdin has at most
			ended = got < n
			buf = buf[got:]
		}
	}
	if !c.memory.WriteUint32Le(uint32(params[3]), uint32(total)) {
		return fault
	}
	return success
}

// fd_fdstat_get and fd_filestat_get say that descriptors 0 to 2 are a block device, because
// programs take a character device for a terminal and write to it line by line, with the rights to
// read, write, poll and so on that wazero's WASI gives.
const (
	fileTypeBlockDevice = 1
	stdioRights         = 1<<9 - 1 | // datasync, read, seek, fdstat_set_flags, sync, tell, write, advise, allocate
		1<<21 | 1<<22 | 1<<23 | // filestat_get, filestat_set_size, filestat_set_times
		1<<27 // poll_fd_readwrite
)

func fdstatGet(c caller, params []uint64) errno {
	stat, failed := statOf(c, params, 24)
	if stat == nil {
		return failed
	}
	stat[0] = fileTypeBlockDevice
	binary.LittleEndian.PutUint64(stat[8:], stdioRights)
	return success
}

func filestatGet(c caller, params []uint64) errno {
	stat, failed := statOf(c, params, 64)
	if stat == nil {
		return failed
	}
	stat[16] = fileTypeBlockDevice
	stat[24] = 1 // links
	return success
}

// statOf returns the cleared buffer for what a call asks about a descriptor, params[0]; nil and the
// error if the buffer, at params[1], is outside memory or the descriptor is not open.
func statOf(c caller, params []uint64, size uint32) ([]byte, errno) {
	stat, ok := c.memory.Read(uint32(params[1]), size)
	switch {
	case !ok:
		return nil, fault
	case uint32(params[0]) >= stdio:
		return nil, badf
	}
	clear(stat)
	return stat, success
}
