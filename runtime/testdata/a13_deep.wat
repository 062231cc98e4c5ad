;; A13: brackets within brackets, 2,000 deep.
(module
  (memory (export "memory") 1)
  (data (i32.const 8192) "\00\00\00\00\a6\0f\00\00{\"a\":") ;; 4,006 bytes
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (memory.fill (i32.const 8205) (i32.const 0x5b) (i32.const 2000))
    (memory.fill (i32.const 10205) (i32.const 0x5d) (i32.const 2000))
    (i32.store8 (i32.const 12205) (i32.const 0x7d))
    (i64.const 0x200000000fae)))
