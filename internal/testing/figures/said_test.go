package figures

// row is a sentence of a page with the constants of its figures.
type row struct {
	page    string   // below docs
	words   string   // with %s for each figure
	figures []string // "unit package.constant", see written; * multiplies constants
}

// said returns the figures in pages that constants decide.
func said() []row {
	const (
		gateway, schemas        = "cmd/gateway.", "cmd/gateway/schemas."
		definition, serve, load = "host/schema/internal/definition.", "host/serve.", "runtime/load."
		artifact, module, meter = "runtime/artifact.", "runtime/module.", "runtime/meter."
		oci, tool               = "cmd/crosswalk/oci.", "cmd/crosswalk/"
		rules                   = "cmd/crosswalk/rules/"
		threats, faults, tasks  = "spec/threat-model.md", "spec/faults.md", "use/tasks.md"
	)
	all := func(figures ...string) []string { return figures }
	return []row{
		{threats, "**the module directory**: %s names, %s files, %s in all", all("number runtime/watch.maxNames", "number runtime.scanFiles", "bytes "+module+"directoryBytes")},
		{threats, "%s links, %s attempts; only regular files that have not changed for %s", all("number runtime/watch.maxLinks", "number runtime/watch.maxTries", "time "+gateway+"settleTime")},
		{threats, "**SHA256SUMS, its signature and bundle**: %s, %s, %s;", all("bytes runtime/sums.maxList", "bytes runtime/sums.maxSignature", "bytes runtime/sums.maxBundle")},
		{threats, "a window of %s or the largest module", all("bytes " + artifact + "leastWindow")},
		{threats, "**the child's output and its code**: %s of lines", all("bytes " + load + "maxVetReply")},
		{threats, "**the compile cache**: %s, in a directory", all("bytes " + gateway + "codeBytes*" + module + "directoryBytes")},
		{threats, "**sidecars and golden cases**: %s, %s values, %s levels, %s cases; %s paths",
			all("bytes "+artifact+"MaxSidecar", "Ki "+artifact+"maxSidecarNodes", "number "+artifact+"maxSidecarDepth", "number "+artifact+"maxCases", "number internal/projection.maxPaths")},
		{threats, "**definitions**: %s, %s values, %s levels, no aliases; in a child with at most %s of memory",
			all("bytes "+definition+"maxFile", "Ki "+definition+"maxValues", "number "+definition+"maxLevels", "bytes "+schemas+"childMemory")},
		{threats, "of processor time and %s; `--max-definition-bytes` for all; API groups take turns, and readiness waits %s for all",
			all("time "+schemas+"childWait", "time "+schemas+"readPatience")},
		{threats, "%s instructions for a pattern, %s for a definition", all("number "+definition+"maxPatternSize", "number "+definition+"maxPatternSizes")},
		{threats, "%s layers, %s files at the root, %s packed and unpacked, a manifest of %s, a zstd window of %s",
			all("number "+oci+"maxLayers", "number "+oci+"maxFiles", "bytes "+oci+"maxTotal", "bytes "+oci+"maxManifest", "bytes "+oci+"maxWindow")},
		{threats, "%s versions for a file, %s for the files of a kind", all("number "+artifact+"maxVersions", "number runtime.maxVersions")},
		{threats, "each later one %s times as much", all("word " + load + "tryGrowth")},
		{threats, "charged before: %s fuel, %s for an element, %s for a segment, global or export",
			all("number "+meter+"perInstance", "number "+meter+"perElement", "number "+meter+"perSegment")},
		{threats, "**bulk operations**: chunks of %s", all("bytes " + meter + "chunkBytes")},
		{threats, "%s lines a second for a module", all("number " + module + "logPerSecond")},
		{threats, "copied %s at a time", all("bytes " + module + "copyBytes")},
		{threats, "**texts of refusals and crashes**: %s shown", all("bytes " + module + "maxRefusal")},
		{threats, "%s of call stack for each of two functions", all("bytes " + module + "keepStack")},
		{threats, "%s remembered inputs for a module, %s for the object that it is tried with", all("number "+module+"maxFailed", "bytes "+module+"maxWitness")},
		{threats, "examined once a second; after %s the module goes out of service", all("time " + module + "OverrunLooks*" + module + "OverrunPeriod")},
		{threats, "and %s on the admin port", all("number " + serve + "adminConnections")},
		{threats, "charged as bytes arrive beyond %s, with a share for each kind", all("bytes " + serve + "smallMessage")},
		{threats, "**the JSON of a review**: one pass; %s levels, %s objects", all("number "+gateway+"maxDepth", "number "+gateway+"maxObjects")},
		{threats, "beyond %s objects of `--max-object-bytes`", all("word host.freeObjects")},
		{threats, "**declared fields**: %s matches in a batch", all("number host.maxParts")},
		{threats, "%s schemas in a definition", all("number " + definition + "maxNodes")},
		{threats, "about 1 ns, and %s for each byte", all("number host/schema.workOfByte")},
		{threats, "**whose review it is**: the first %s of the body", all("bytes host.accountBytes")},
		{threats, "with %s bytes for each entry; a quarter of a shard for one entry; whole reviews of up to %s", all("number host.cacheOverhead", "bytes host.reviewBytes")},
		{threats, "%s pairs of versions in metrics; one request a connection, %s to read it", all("number "+serve+"maxPairs", "time "+serve+"adminTime")},
		{threats, "for all readers, who have %s for it", all("time " + serve + "pageTime")},
		{faults, "refused, with the line: %s, 256 Ki values", all("bytes " + rules + "syntax.MaxFile")},
		{faults, "no aliases, %s versions, %s operations in a list, %s declared fields",
			all("number "+rules+"syntax.MaxVersions", "number "+rules+"program.MaxOperations", "number "+rules+"program.MaxFields")},
		{faults, "packed in a sandbox: %s, 64 MiB of memory, %s for a file, %s files, no access", all("time "+tool+"script.timeout", "bytes "+tool+"write.maxSource", "number "+tool+"script.maxSources")},
		{faults, "refused or skipped: %s, %s documents, %s levels, a definition of %s of JSON, no aliases; patterns of %s, strings of %s made from them, %s findings",
			all("bytes "+tool+"definition.maxFile", "number "+tool+"definition.maxDocuments", "number "+tool+"definition.maxLevels", "bytes "+tool+"definition.maxRequest",
				"bytes "+tool+"fuzz/generate.maxPattern", "bytes "+tool+"fuzz/generate.maxMade", "number "+tool+"fuzz.maxFindings")},
		{faults, "all sources %s, an object %s, 10 million values, %s levels, no aliases", all("bytes "+tool+"input.maxBytes", "bytes "+tool+"input.maxObject", "number "+tool+"input.maxDepth")},
		{faults, "a record of at most %s deleted definitions", all("number cmd/crosswalk/controller.mostGone")},
		{faults, "%s an answer, %s of headers, %s endpoints, 30 s a call, 5 minutes in all; %s of its text shown", all("bytes cmd/crosswalk/attach.maxAnswer", "bytes cmd/crosswalk/attach.maxHeaders", "number cmd/crosswalk/attach.maxEndpoints", "bytes cmd/crosswalk/attach.maxText")},
		{faults, "%s values, texts, defaults and branches of unions for an object", all("number " + tool + "fuzz/generate.maxWork")},
		{faults, "%s fields, %s levels and paths of %s are compared, %s differences are paired",
			all("number "+tool+"scaffold.mostField", "number "+tool+"scaffold.depth", "bytes host/schema.maxPath", "number "+tool+"propose.maxCompared")},
		{faults, "%s a manifest, 2 Mi values, %s levels, no aliases", all("bytes "+tool+"manifest.maxManifest", "number "+tool+"manifest.maxDepth")},

		{tasks, "loaded once it has not changed for %s", all("time " + gateway + "settleTime")},
		{tasks, "tries the same content again after %s, then 2 s, up to every %s", all("time runtime.retryFirst", "time runtime.retryMax")},
		{tasks, "attempt for a file has %s of processor time plus %s per MiB, and at most %s", all("time "+load+"firstBase", "time "+load+"tryPerMiB", "time "+gateway+"startGrace")},
		{tasks, "each further attempt has %s times the time, up to %s", all("word "+load+"tryGrowth", "time "+module+"compileTime")},
		{tasks, "Reviews that need it are rejected with 503 for up to %s", all("time " + gateway + "startGrace")},
		{tasks, "A call ran for %s past its deadline", all("time " + module + "OverrunLooks*" + module + "OverrunPeriod")},
		{tasks, "more than %s instructions (%s for all patterns of a definition)", all("number "+definition+"maxPatternSize", "number "+definition+"maxPatternSizes")},
		{tasks, "until the gateway is ready, for at most %s", all("time " + gateway + "startGrace")},
		{tasks, "still being written (it waits at most %s), and the definitions are read (at most %s", all("time runtime.startPatience", "time "+schemas+"readPatience")},
		{tasks, "The cache holds up to %s", all("bytes " + gateway + "codeBytes*" + module + "directoryBytes")},
		{tasks, "%s slots for reviews per CPU", all("word " + gateway + "inFlightPerCPU")},
		{tasks, "one more for each %s beyond the first", all("bytes " + serve + "largeMessage")},
		{tasks, "`--max-definition-bytes`, %s at most", all("bytes " + schemas + "childMemory")},
		{tasks, "(at least %s files)", all("number runtime.ownerFiles")},

		{"author/rules.md", "A rules file has at most %s, %s versions and %s declared fields; a pair of versions has rules about %s fields, a list of rules %s rules and %s operations, a table of `translate` %s pairs, and a string %s parts",
			all("bytes "+rules+"syntax.MaxFile", "number "+rules+"syntax.MaxVersions", "number "+rules+"program.MaxFields", "number "+rules+"lowering.maxClaims", "number "+rules+"lowering.maxRules",
				"number "+rules+"program.MaxOperations", "number "+rules+"verbs.maxPairs", "number "+rules+"program.MaxParts")},
		{"author/sidecar.md", "A sidecar has at most %s and %s cases", all("bytes "+artifact+"MaxSidecar", "number "+artifact+"maxCases")},
		{"spec/abi.md", "at most %s paths, each of at most %s bytes and %s steps", all("number internal/projection.maxPaths", "number internal/projection.maxPath", "number internal/projection.maxSteps")},
		{"use/registry.md", "%s files at the root of the image, %s together, also of sparse files; %s layers",
			all("number "+oci+"maxFiles", "bytes "+oci+"maxTotal", "number "+oci+"maxLayers")},
		{"use/registry.md", "a window of at most %s (`zstd -19`); a manifest of %s", all("bytes "+oci+"maxWindow", "bytes "+oci+"maxManifest")},
	}
}
