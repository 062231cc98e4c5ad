;; A9: a label that no API server takes.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\00\00\00\00#\00\00\00{\22metadata\22:{\22labels\22:{\22a b\22:\22c\22}}}")
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (i64.const 0x100000002b))) ;; 43 bytes at 16
