;; A8: metadata that is not a conversion's business.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\00\00\00\00i\00\00\00{\22metadata\22:{\22resourceVersion\22:\22666\22,\22finalizers\22:[\22a/b\22],\22ownerReferences\22:[],\22deletionTimestamp\22:null}}")
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (i64.const 0x1000000071))) ;; 113 bytes at 16
