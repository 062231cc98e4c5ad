;; X15: answers what the outside world looks like: a JSON string of 64 letters made of the clocks and random bytes. It must
;; be the same at every call of every instance.
(module
  (import "wasi_snapshot_preview1" "clock_time_get" (func $time (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (local $i i32)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (drop (call $time (i32.const 0) (i64.const 0) (i32.const 2048)))
    (drop (call $time (i32.const 1) (i64.const 0) (i32.const 2056)))
    (drop (call $random (i32.const 2064) (i32.const 8)))
    (drop (call $time (i32.const 2) (i64.const 0) (i32.const 2072)))
    (i32.store8 (i32.const 8) (i32.const 0x22))
    (loop $more ;; two letters a byte
      (i32.store8 (i32.add (i32.const 9) (i32.mul (local.get $i) (i32.const 2)))
        (i32.add (i32.const 0x61) (i32.and (i32.load8_u (i32.add (i32.const 2048) (local.get $i))) (i32.const 15))))
      (i32.store8 (i32.add (i32.const 10) (i32.mul (local.get $i) (i32.const 2)))
        (i32.add (i32.const 0x61) (i32.shr_u (i32.load8_u (i32.add (i32.const 2048) (local.get $i))) (i32.const 4))))
      (br_if $more (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 32))))
    (i32.store8 (i32.const 73) (i32.const 0x22))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (i32.const 66))
    (i64.const 74)))
