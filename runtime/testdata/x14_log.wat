;; X14: floods the log, and points outside memory; then answers {}.
(module
  (import "crosswalk_v1" "log" (func $log (param i32 i32 i32)))
  (memory (export "memory") 1)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (local $i i32)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (loop $more
      (call $log (i32.const 1) (i32.const 0x4000) (i32.const 0x4000))
      (call $log (i32.const 99) (i32.const 0xfffffff0) (i32.const 0xffffffff))
      (br_if $more (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000))))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (i32.const 2))
    (i32.store16 (i32.const 8) (i32.const 0x7d7b))
    (i64.const 10)))
