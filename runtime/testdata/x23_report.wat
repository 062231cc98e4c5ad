;; X23: writes a crash report like Go's to stderr, in pieces, and exits with code 2.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 512) "a warning\npanic: assignment to nil map\n\ngoroutine 1 [running]:\nmain.main()\n\t/main.go:50 +0xcc\n")
  (func $print (param $at i32) (param $n i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $n))
    (drop (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (call $print (i32.const 512) (i32.const 20))
    (call $print (i32.const 532) (i32.const 74))
    (call $exit (i32.const 2))
    unreachable))
