;; M26: 200 bytes whose instances all begin with 16 MiB that are not zero; answers {}.
(module
  (memory (export "memory") 256)
  (func (export "_initialize") (memory.fill (i32.const 65536) (i32.const 1) (i32.const 16711680)))
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 4096))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (i32.store (i32.const 1024) (i32.const 0))
    (i32.store (i32.const 1028) (i32.const 2))
    (i32.store16 (i32.const 1032) (i32.const 0x7d7b))
    (i64.const 0x000004000000000a)))
