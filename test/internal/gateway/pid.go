package gateway

// Pid returns the process ID, for queries to the operating system.
func (p *Process) Pid() int { return p.cmd.Process.Pid }
