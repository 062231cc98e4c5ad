package gateway

// Pid is the process's number, for what the operating system knows of it.
func (p *Process) Pid() int { return p.cmd.Process.Pid }
