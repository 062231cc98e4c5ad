;; A2: the response lies over the request: allowed, for it is copied out first; answers {}.
(module
  (memory (export "memory") 1)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (i32.store (i32.const 1024) (i32.const 0))
    (i32.store (i32.const 1028) (i32.const 2))
    (i32.store16 (i32.const 1032) (i32.const 0x7d7b))
    (i64.const 0x000004000000000a)))
