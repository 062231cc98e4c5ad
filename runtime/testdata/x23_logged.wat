;; X23: logs why, at level error, and traps.
(module
  (import "crosswalk_v1" "log" (func $log (param i32 i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 512) "an earlier errorpanicked at src/lib.rs:7:5:\nno such field")
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (call $log (i32.const 3) (i32.const 512) (i32.const 16))
    (call $log (i32.const 3) (i32.const 528) (i32.const 41))
    (call $log (i32.const 2) (i32.const 512) (i32.const 16))
    unreachable))
