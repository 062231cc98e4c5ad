;; X25: writes a log line, upon which the test gives the call up, and then has 63 MiB filled with random bytes.
(module
  (import "crosswalk_v1" "log" (func $log (param i32 i32 i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (memory (export "memory") 1024)
  (data (i32.const 16) "now")
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (call $log (i32.const 1) (i32.const 16) (i32.const 3))
    (drop (call $random (i32.const 1048576) (i32.const 66060288)))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (i32.const 2))
    (i32.store16 (i32.const 8) (i32.const 0x7d7b))
    (i64.const 10)))
