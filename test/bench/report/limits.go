package main

// What limits figures, by CPU profiles of the same workloads and of the gateway's process under BenchmarkTLS. To be looked at again when
// the code or the figures have changed.
const (
	scanLimit        = "With C, half is scanning JSON: 26 % on the way in, 25 % to check the answer. The guest is 25 %, copying 9 %."
	guestLimit       = "With Go the guest is half of it or more, scanning in the host a fifth, copying a tenth."
	encodingLimit    = "encoding/json in the sandbox: nearly all is the guest, whose decoding by reflection takes three to four times what the same code takes natively."
	projectedLimit   = "With C, the one pass over what comes in, which nothing can spare, is half of it, the guest a third, checking its answer a tenth."
	shareLimit       = "The rest is the guest, a quarter with C, and what is read of each object besides: metadata, labels, the contract, and where things are."
	aloneLimit       = "Putting the instance back, and the memory that it then touches anew."
	allocationLimit  = "What a module answers is copied out of its memory for each review."
	commandLimit     = "Nim is a program without an SDK: it starts anew for every batch, in memory of its own, and makes a tree of what it reads. Three quarters of a review are the guest."
	largeLimit       = "Copying takes 30 % instead of 10 % once objects outgrow the caches and go to memory that is touched anew after each reset."
	batchLimit       = "Bodies of a megabyte and more outgrow the caches; runs differ by as much."
	coreLimit        = "Reading, converting, checking and writing the answer are each all cores' work. What is left is that one core waits for the other at the end of each, and that other work on the machine has its part of the second core."
	floorLimit       = "A sixth is the conversion with its checks, at twice the time that it takes when the caches are warm. Of what a server does besides, half is system calls and the waking of threads; the timers of the deadlines, which the echo has not, are a tenth."
	resetLimit       = "With Go the guest is two fifths of a review of one object, and putting its instance back a quarter, most of which is asking the kernel for the pages it wrote."
	interpreterLimit = "JavaScript is interpreted: the guest is two thirds of a review of one object, putting its instance back a tenth."
	listLimit        = "An API server asks for one object at a time and waits for it: what an object takes over TLS is added up."
	cacheLimit       = "The strict pass over the review, which a hit does not spare, the comparison with the key, and writing the answer."
	meterLimit       = "A charge at each turn of a loop and each call of a function; that it may call the host keeps values from living in registers alone."
	compiledLimit    = "Compiled code."
	vettingLimit     = "Each is compiled twice, once in a process of its own."
	sealLimit        = "Each is read, checked against its seal, and started."
)
