;; M5: asks for more memory than an instance may have (1 GiB).
(module (memory (export "memory") 16384)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param i32 i32) (result i64) (i64.const 0)))
