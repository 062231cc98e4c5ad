;; X13: remembers in a global of 128 bits, which the host cannot set, and in one that refers to a function.
(module
  (memory (export "memory") 1)
  (global $seen (export "seen") (mut v128) (v128.const i64x2 0 0))
  (global $ref (export "ref") (mut funcref) (ref.null func))
  (func $f (export "f"))
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (if (v128.any_true (global.get $seen)) (then (unreachable)))
    (if (i32.eqz (ref.is_null (global.get $ref))) (then (unreachable)))
    (global.set $seen (v128.const i64x2 1 1))
    (global.set $ref (ref.func $f))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (i32.const 2))
    (i32.store16 (i32.const 8) (i32.const 0x7d7b))
    (i64.const 10)))
