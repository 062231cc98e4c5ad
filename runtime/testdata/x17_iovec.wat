;; X17: writes with absurd vectors and to files it does not have; none of it may cost anything; then answers {}.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (i32.store (i32.const 2048) (i32.const 0))
    (i32.store (i32.const 2052) (i32.const 0xffffffff))
    (if (i32.eqz (call $write (i32.const 1) (i32.const 2048) (i32.const 1) (i32.const 2056))) (then (unreachable)))
    (drop (call $write (i32.const 1) (i32.const 2048) (i32.const 0x80000000) (i32.const 2056))) ;; 2^31 vectors are 0 bytes of them, modulo 2^32
    (if (i32.eqz (call $write (i32.const 3) (i32.const 2048) (i32.const 0) (i32.const 2056))) (then (unreachable)))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (i32.const 2))
    (i32.store16 (i32.const 8) (i32.const 0x7d7b))
    (i64.const 10)))
