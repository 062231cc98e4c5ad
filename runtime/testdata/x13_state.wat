;; X13: tries to remember: answers {} when memory, a global, the size of memory and what is beyond are as they were
;; at first, traps when anything is left of a batch before. Then leaves traces in all of them.
(module
  (memory (export "memory") 1)
  (global $seen (mut i32) (i32.const 0))
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (if (i32.load (i32.const 4096)) (then (unreachable)))
    (if (global.get $seen) (then (unreachable)))
    (if (i32.ne (memory.size) (i32.const 1)) (then (unreachable)))
    (i32.store (i32.const 4096) (i32.const 0x5ec12e7))
    (global.set $seen (i32.const 1))
    (drop (memory.grow (i32.const 2)))
    (if (i32.load (i32.const 0x1fff0)) (then (unreachable)))
    (i32.store (i32.const 0x1fff0) (i32.const 0x5ec12e7))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (i32.const 2))
    (i32.store16 (i32.const 8) (i32.const 0x7d7b))
    (i64.const 10)))
