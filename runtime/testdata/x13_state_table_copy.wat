;; X13: remembers by table.copy.
(module
  (memory (export "memory") 1)
  (table $t 2 funcref)
  (elem (i32.const 1) $f)
  (func $f)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (if (i32.eqz (ref.is_null (table.get $t (i32.const 0)))) (then (unreachable)))
    (table.copy $t $t (i32.const 0) (i32.const 1) (i32.const 1))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (i32.const 2))
    (i32.store16 (i32.const 8) (i32.const 0x7d7b))
    (i64.const 10)))
