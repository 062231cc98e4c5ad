;; A command that writes to stdout for ever.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  
  (func (export "_start")
    (i32.store (i32.const 4) (i32.const 65536))
    (loop (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (i32.store (i32.const 0) (i32.const 0)) (i32.store (i32.const 4) (i32.const 65536)) (br 0))))
