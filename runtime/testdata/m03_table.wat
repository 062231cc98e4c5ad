;; M3: a table that would take a gigabyte.
(module
  (memory (export "memory") 1)
  (table 134217728 funcref)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param i32 i32) (result i64) (i64.const 0)))
