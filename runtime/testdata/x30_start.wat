;; X30: a start that is cheap for one that happens once, of a module that starts anew for every batch because it changes its table.
(module
  (memory (export "memory") 256)
  (table $t 1 funcref)
  (func (export "_initialize") (local $i i32)
    (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x1000000))
    (local.set $i (i32.const 3000000)) ;; some 30 million units of fuel
    (loop $again
      (local.set $i (i32.sub (local.get $i) (i32.const 1)))
      (br_if $again (i32.ne (local.get $i) (i32.const 0)))))
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param i32 i32) (result i64)
    (table.set $t (i32.const 0) (ref.null func))
    (i64.const 0)))
