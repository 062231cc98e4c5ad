;; X16: sleeps for a year by poll_oneoff; then answers {}.
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (i32.store8 offset=8 (i32.const 2048) (i32.const 0)) ;; a clock subscription
    (i32.store offset=16 (i32.const 2048) (i32.const 1)) ;; monotonic
    (i64.store offset=24 (i32.const 2048) (i64.const 31536000000000000))
    (drop (call $poll (i32.const 2048) (i32.const 3072) (i32.const 1) (i32.const 4088)))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (i32.const 2))
    (i32.store16 (i32.const 8) (i32.const 0x7d7b))
    (i64.const 10)))
