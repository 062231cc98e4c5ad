;; X30: a start section that costs some 30 million units of fuel each time an instance is made.
(module
  (memory (export "memory") 1)
  (func $work (local $i i32)
    (local.set $i (i32.const 3000000))
    (loop $again
      (local.set $i (i32.sub (local.get $i) (i32.const 1)))
      (br_if $again (i32.ne (local.get $i) (i32.const 0)))))
  (start $work)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param i32 i32) (result i64) (i64.const 0)))
