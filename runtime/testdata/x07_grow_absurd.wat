;; X7: asks for more memory than there can be, a hundred times; traps unless it is told no each time, then answers {}.
(module
  (memory (export "memory") 1)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (local $i i32)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (loop $more
      (if (i32.ne (memory.grow (i32.sub (i32.const -1) (local.get $i))) (i32.const -1)) (then (unreachable)))
      (br_if $more (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 100))))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (i32.const 2))
    (i32.store16 (i32.const 8) (i32.const 0x7d7b))
    (i64.const 10)))
