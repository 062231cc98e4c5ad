;; Valid WebAssembly that exports nothing, so that it converts nothing.
(module)
