;; X23: converts its first object and reports a crash (status 2) at the second; an only object is the second.
(module
  (memory (export "memory") 1)
  (data (i32.const 512) "index out of range\n [5] with length 0")
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (local $to i32)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (if (i32.gt_u (i32.load (local.get $at)) (i32.const 1))
      (then
        (i32.store (i32.const 0) (i32.const 0))
        (i32.store (i32.const 4) (i32.const 2))
        (i32.store16 (i32.const 8) (i32.const 0x7d7b))
        (local.set $to (i32.const 10))))
    (i32.store (local.get $to) (i32.const 2))
    (i32.store offset=4 (local.get $to) (i32.const 37))
    (memory.copy (i32.add (local.get $to) (i32.const 8)) (i32.const 512) (i32.const 37))
    (i64.extend_i32_u (i32.add (local.get $to) (i32.const 45)))))
