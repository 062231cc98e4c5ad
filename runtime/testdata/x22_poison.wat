;; X22: traps at objects whose last value is a number, and converts all others.
(module
  (memory (export "memory") 1)
  (data (i32.const 512) "\00\00\00\00\02\00\00\00{}")
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    ;; the request ends with the last object, that object with the value and two braces
    (if (i32.le_u
          (i32.sub (i32.load8_u (i32.sub (i32.add (local.get $at) (local.get $len)) (i32.const 3))) (i32.const 48))
          (i32.const 9))
      (then (unreachable)))
    (i64.or (i64.shl (i64.const 512) (i64.const 32)) (i64.const 10))))
