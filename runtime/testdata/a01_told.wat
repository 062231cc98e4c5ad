;; A1, A5: says of its buffer and its response whatever it has been told, for FuzzRegions.
(module
  (memory (export "memory") 1)
  (global (export "buffer") (mut i32) (i32.const 1024))
  (global (export "response") (mut i64) (i64.const 0))
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (global.get 0))
  (func (export "crosswalk_convert") (param i32 i32) (result i64) (global.get 1)))
