;; A11: a string that is not UTF-8.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\00\00\00\00\0c\00\00\00{\22spec\22:\22\ff\22}")
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (i64.const 0x1000000014))) ;; 20 bytes at 16
