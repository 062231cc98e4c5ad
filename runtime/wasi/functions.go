package wasi

import "github.com/tetratelabs/wazero/api"

// Function is one function of WASI preview 1.
type Function struct {
	Name            string
	Params, Results []api.ValueType
	work            func(c caller, params []uint64) errno
}

// stdio is the number of open file descriptors: 0, 1 and 2.
const stdio = 3

// constant makes a function that returns one error number and does nothing.
func constant(e errno) func(caller, []uint64) errno {
	return func(caller, []uint64) errno { return e }
}

// onStdio makes a function whose first parameter is a file descriptor. It returns an error number
// for descriptors 0 to 2 and badf for others, and does nothing.
func onStdio(e errno) func(caller, []uint64) errno {
	return func(_ caller, params []uint64) errno {
		if uint32(params[0]) < stdio {
			return e
		}
		return badf
	}
}

// Functions returns the functions of WASI preview 1, all of them, in the order of the
// specification. The error numbers are those of wazero's own WASI for a guest without files, which
// language runtimes are built to meet.
func Functions() []Function {
	const i, l = api.ValueTypeI32, api.ValueTypeI64
	type types = []api.ValueType
	returnsErrno := types{i}
	return []Function{
		{"args_get", types{i, i}, returnsErrno, argsGet},
		{"args_sizes_get", types{i, i}, returnsErrno, argsSizesGet},
		{"environ_get", types{i, i}, returnsErrno, constant(success)},
		{"environ_sizes_get", types{i, i}, returnsErrno, environSizesGet},
		{"clock_res_get", types{i, i}, returnsErrno, clockResGet},
		{"clock_time_get", types{i, l, i}, returnsErrno, clockTimeGet},
		{"fd_advise", types{i, l, l, i}, returnsErrno, onStdio(success)},
		{"fd_allocate", types{i, l, l}, returnsErrno, onStdio(nosys)},
		{"fd_close", types{i}, returnsErrno, onStdio(success)},
		{"fd_datasync", types{i}, returnsErrno, onStdio(success)},
		{"fd_fdstat_get", types{i, i}, returnsErrno, fdstatGet},
		{"fd_fdstat_set_flags", types{i, i}, returnsErrno, onStdio(success)},
		{"fd_fdstat_set_rights", types{i, l, l}, returnsErrno, constant(nosys)},
		{"fd_filestat_get", types{i, i}, returnsErrno, filestatGet},
		{"fd_filestat_set_size", types{i, l}, returnsErrno, onStdio(nosys)},
		{"fd_filestat_set_times", types{i, l, l, i}, returnsErrno, onStdio(nosys)},
		{"fd_pread", types{i, i, i, l, i}, returnsErrno, constant(badf)},
		{"fd_prestat_get", types{i, i}, returnsErrno, constant(badf)},
		{"fd_prestat_dir_name", types{i, i, i}, returnsErrno, constant(badf)},
		{"fd_pwrite", types{i, i, i, l, i}, returnsErrno, constant(badf)},
		{"fd_read", types{i, i, i, i}, returnsErrno, fdRead},
		{"fd_readdir", types{i, i, i, l, i}, returnsErrno, constant(badf)},
		{"fd_renumber", types{i, i}, returnsErrno, onStdio(notsup)},
		{"fd_seek", types{i, l, i, i}, returnsErrno, onStdio(nosys)},
		{"fd_sync", types{i}, returnsErrno, onStdio(success)},
		{"fd_tell", types{i, i}, returnsErrno, onStdio(nosys)},
		{"fd_write", types{i, i, i, i}, returnsErrno, fdWrite},
		{"path_create_directory", types{i, i, i}, returnsErrno, constant(badf)},
		{"path_filestat_get", types{i, i, i, i, i}, returnsErrno, constant(badf)},
		{"path_filestat_set_times", types{i, i, i, i, l, l, i}, returnsErrno, constant(badf)},
		{"path_link", types{i, i, i, i, i, i, i}, returnsErrno, constant(badf)},
		{"path_open", types{i, i, i, i, i, l, l, i, i}, returnsErrno, constant(badf)},
		{"path_readlink", types{i, i, i, i, i, i}, returnsErrno, constant(badf)},
		{"path_remove_directory", types{i, i, i}, returnsErrno, constant(badf)},
		{"path_rename", types{i, i, i, i, i, i}, returnsErrno, constant(badf)},
		{"path_symlink", types{i, i, i, i, i}, returnsErrno, constant(badf)},
		{"path_unlink_file", types{i, i, i}, returnsErrno, constant(badf)},
		{"poll_oneoff", types{i, i, i, i}, returnsErrno, pollOneoff},
		{"proc_exit", types{i}, nil, procExit},
		{"proc_raise", types{i}, returnsErrno, constant(nosys)},
		{"sched_yield", nil, returnsErrno, constant(success)},
		{"random_get", types{i, i}, returnsErrno, randomGet},
		{"sock_accept", types{i, i, i}, returnsErrno, constant(badf)},
		{"sock_recv", types{i, i, i, i, i, i}, returnsErrno, constant(badf)},
		{"sock_send", types{i, i, i, i, i}, returnsErrno, constant(badf)},
		{"sock_shutdown", types{i, i}, returnsErrno, constant(badf)},
	}
}
