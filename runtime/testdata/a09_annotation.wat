;; A9: an annotation that is no string.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\00\00\00\00'\00\00\00{\22metadata\22:{\22annotations\22:{\22a\22:null}}}")
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (i64.const 0x100000002f))) ;; 47 bytes at 16
