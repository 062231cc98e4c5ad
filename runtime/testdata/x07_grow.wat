;; X7: grows until memory.grow fails, and fills every page; then answers {}.
(module
  (memory (export "memory") 1)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (local $p i32)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (block $full
      (loop $more
        (local.set $p (memory.grow (i32.const 1)))
        (br_if $full (i32.eq (local.get $p) (i32.const -1)))
        (memory.fill (i32.shl (local.get $p) (i32.const 16)) (i32.const 1) (i32.const 0x10000))
        (br $more)))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (i32.const 2))
    (i32.store16 (i32.const 8) (i32.const 0x7d7b))
    (i64.const 10)))
