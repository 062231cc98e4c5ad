package main

// The limits of missed targets, from CPU profiles of the same workloads and of the gateway's
// process under BenchmarkTLS. Profile again when the code or the figures change.
const (
	scanLimit        = "With C, scanning JSON is half of the time: 26 % for the request, 25 % to check the answer. The guest takes 25 %, copying 9 %."
	guestLimit       = "With Go the guest takes at least half of the time, scanning in the host a fifth, copying a tenth."
	encodingLimit    = "encoding/json in the sandbox: nearly all of the time is the guest. Its decoding by reflection takes three to four times the native time."
	projectedLimit   = "With C, the one unavoidable pass over the request takes half of the time, the guest a third, checking the answer a tenth."
	shareLimit       = "The guest takes a quarter of the time with C. The rest is reading metadata and labels, the contract, and the positions of values."
	oneLimit         = "With C, reading the request takes 30 % of the time, the guest, checking its answer and entering it 17 % each, resetting its instance 8 %."
	aloneLimit       = "Entering the guest, counting its page faults, and resetting its written pages."
	allocationLimit  = "The gateway copies each answer out of the module's memory."
	commandLimit     = "Nim is a command without an SDK: each batch starts a new instance with new memory, and the program builds a tree of the review. The guest takes three quarters of a review."
	largeLimit       = "Copying takes 30 % instead of 10 % once objects exceed the processor's caches and go to memory that faults again after each reset."
	batchLimit       = "Bodies of a megabyte and more exceed the processor's caches; runs differ by as much."
	coreLimit        = "One goroutine reads the body. The workers convert and check, and at the end one core waits for the other. Other work on the machine uses part of the second core."
	floorLimit       = "The conversion and its checks take a sixth of the time, twice as long as with warm caches. Of the server's other work, half is system calls and waking threads. The timers of the deadlines, which the echo server does not have, take a tenth."
	resetLimit       = "With Go the guest takes more than half of a review of one object in process, and with cold caches a quarter of the server's time over TLS. Resetting its instance takes a twentieth."
	interpreterLimit = "JavaScript is interpreted: the guest takes two thirds of a review of one object, resetting its instance a tenth."
	listLimit        = "An API server requests one object at a time and waits for it, so the times over TLS add up."
	cacheLimit       = "Comparing the body with that of an earlier review, and copying the answer."
	meterLimit       = "A charge for each loop iteration and function call: a load, a store and a branch."
	compiledLimit    = "Compiled code."
	vettingLimit     = "Each module is vetted in a child process."
	sealLimit        = "The gateway reads each entry, checks its seal, and starts the module."
)
