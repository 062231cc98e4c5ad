;; X13: like x13_state, with an initial state of 1 MiB, so that the image is one that is mapped and not copied.
(module
  (memory (export "memory") 20)
  (global $seen (mut i64) (i64.const 0))
  (func (export "_initialize") (memory.fill (i32.const 0x8000) (i32.const 0xab) (i32.const 0x100000)))
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (if (i64.ne (global.get $seen) (i64.const 0)) (then (unreachable)))
    (if (i32.ne (memory.size) (i32.const 20)) (then (unreachable)))
    (if (i32.ne (i32.load (i32.const 0x80000)) (i32.const 0xabababab)) (then (unreachable))) ;; of the image
    (if (i32.load (i32.const 0x120000)) (then (unreachable))) ;; behind the image
    (memory.fill (i32.const 0x4000) (i32.const 0x5e) (i32.const 0x13bff0)) ;; everything
    (global.set $seen (i64.const 1))
    (drop (memory.grow (i32.const 100)))
    (if (i32.load (i32.const 0x500000)) (then (unreachable)))
    (i32.store (i32.const 0x500000) (i32.const 0x5ec12e7))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (i32.const 2))
    (i32.store16 (i32.const 8) (i32.const 0x7d7b))
    (i64.const 10)))
