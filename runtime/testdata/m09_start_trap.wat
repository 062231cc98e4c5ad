;; M9: the start section traps.
(module
  (memory (export "memory") 1)
  
  (func $begin (unreachable))
  (start $begin)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param i32 i32) (result i64) (i64.const 0)))
