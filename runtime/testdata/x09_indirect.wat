;; X9: calls a table entry that is null.
(module
  (memory (export "memory") 1)
  (table 1 funcref)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (call_indirect (i32.const 0))
    (i64.const 0)))
