;; X13: does as the numbers in its request say: 8 bytes at its object are a seed. It first looks for anything that an
;; earlier batch left, at random places or everywhere, and then leaves traces by every way there is to write.
;; Answers {} if all is as at first, [] if not.
(module
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $args (param i32 i32) (result i32)))
  (memory (export "memory") 12)
  (global $seed (mut i64) (i64.const 0))
  (global $traces (mut i32) (i32.const 0))
  (func (export "_initialize") (local $at i32)
    (local.set $at (i32.const 0x8000))
    (loop $next ;; the image ends in the middle of memory; pages 0x20000 to 0x40000 are zero
      (if (i32.or (i32.lt_u (local.get $at) (i32.const 0x20000)) (i32.ge_u (local.get $at) (i32.const 0x40000)))
        (then (i32.store (local.get $at) (call $initial (local.get $at)))))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (i32.const 0x60000)))))
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func $initial (param $at i32) (result i32)
    (if (i32.lt_u (local.get $at) (i32.const 0x8000)) (then (return (i32.const 0))))
    (if (i32.ge_u (local.get $at) (i32.const 0x60000)) (then (return (i32.const 0))))
    (if (i32.and (i32.ge_u (local.get $at) (i32.const 0x20000)) (i32.lt_u (local.get $at) (i32.const 0x40000)))
      (then (return (i32.const 0))))
    (i32.or (i32.mul (local.get $at) (i32.const 0x9e3779b1)) (i32.const 1)))
  (func $pick (param $below i32) (result i32) ;; a random number
    (global.set $seed (i64.add (i64.mul (global.get $seed) (i64.const 6364136223846793005)) (i64.const 1442695040888963407)))
    (i32.rem_u (i32.wrap_i64 (i64.shr_u (global.get $seed) (i64.const 33))) (local.get $below)))
  (func $bytes (result i32) (i32.shl (memory.size) (i32.const 16)))
  (func $place (result i32) ;; a word behind the request
    (i32.and (i32.add (i32.const 0x4000) (call $pick (i32.sub (call $bytes) (i32.const 0x4010)))) (i32.const -4)))
  (func $wrong (param $at i32) (result i32)
    (i32.ne (i32.load (local.get $at)) (call $initial (local.get $at))))
  (func $look (result i32) (local $n i32) (local $at i32)
    (if (global.get $traces) (then (return (i32.const 1))))
    (if (i32.ne (memory.size) (i32.const 12)) (then (return (i32.const 1))))
    (if (i32.eqz (call $pick (i32.const 3))) (then (drop (memory.grow (call $pick (i32.const 30))))))
    (if (i32.eqz (call $pick (i32.const 8))) (then ;; everywhere
      (local.set $at (i32.const 0x4000))
      (loop $next
        (if (call $wrong (local.get $at)) (then (return (i32.const 1))))
        (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (call $bytes))))))
    (local.set $n (call $pick (i32.const 200)))
    (loop $next
      (if (call $wrong (call $place)) (then (return (i32.const 1))))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br_if $next (i32.gt_s (local.get $n) (i32.const 0))))
    (i32.const 0))
  (func $trace (local $at i32) (local $way i32) (local $n i32)
    (local.set $at (call $place))
    (local.set $way (call $pick (i32.const 15)))
    (if (i32.le_u (local.get $way) (i32.const 4)) (then (i32.store (local.get $at) (i32.const 0x5ec12e7))))
    (if (i32.eq (local.get $way) (i32.const 5)) (then (drop (memory.grow (call $pick (i32.const 8))))))
    (if (i32.eq (local.get $way) (i32.const 6)) (then (drop (call $clock (i32.const 0) (i64.const 0) (i32.and (local.get $at) (i32.const -8))))))
    (if (i32.eq (local.get $way) (i32.const 7)) (then (drop (call $random (local.get $at) (i32.const 16)))))
    (if (i32.eq (local.get $way) (i32.const 8)) (then (drop (call $args (local.get $at) (call $place)))))
    (if (i32.eq (local.get $way) (i32.const 9)) (then ;; across pages
      (memory.fill (local.get $at) (i32.const 0x5e) (i32.and (call $pick (i32.sub (call $bytes) (local.get $at))) (i32.const 0x1ffff)))))
    (if (i32.eq (local.get $way) (i32.const 10)) (then
      (local.set $n (call $place))
      (memory.copy (local.get $at) (local.get $n)
        (i32.and (i32.const 0x1ffff)
          (call $pick (i32.sub (call $bytes) (select (local.get $n) (local.get $at) (i32.gt_u (local.get $n) (local.get $at)))))))))
    (if (i32.eq (local.get $way) (i32.const 11)) (then ;; the last word, and the first
      (i32.store (i32.sub (call $bytes) (i32.const 4)) (i32.const 0x5ec12e7))
      (i32.store (i32.const 0x4000) (i32.const 0x5ec12e7))))
    (if (i32.eq (local.get $way) (i32.const 12)) (then ;; a page becomes private without a change
      (i32.store (local.get $at) (i32.load (local.get $at)))))
    (if (i32.eq (local.get $way) (i32.const 13)) (then (i32.store8 offset=2 (local.get $at) (i32.const 1))))
    (if (i32.eq (local.get $way) (i32.const 14)) (then ;; seldom: yields, and writes behind them
      (if (i32.eqz (call $pick (i32.const 40))) (then
        (local.set $n (i32.const 1000000))
        (loop $next (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
        (i32.store (local.get $at) (i32.const 0x5ec12e7)))))))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64) (local $n i32) (local $left i32)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (global.set $seed (i64.load (i32.add (local.get $at) (i32.sub (local.get $len) (i32.const 10)))))
    (drop (call $pick (i32.const 9)))
    (local.set $left (call $look))
    (local.set $n (i32.and (i32.add (i32.add (local.get $at) (local.get $len)) (i32.const 3)) (i32.const -4)))
    (loop $next ;; what requests that were longer had
      (if (i32.load (local.get $n)) (then (local.set $left (i32.const 1))))
      (br_if $next (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 4))) (i32.const 0x4000))))
    (local.set $n (call $pick (i32.shl (i32.const 1) (call $pick (i32.const 6)))))
    (if (local.get $n) (then
      (global.set $traces (i32.const 1))
      (loop $next
        (call $trace)
        (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))
    (if (i32.eqz (call $pick (i32.const 50))) (then (unreachable)))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (i32.const 2))
    (i32.store16 (i32.const 8) (i32.const 0x7d7b))
    (if (local.get $left) (then (i32.store16 (i32.const 8) (i32.const 0x5d5b))))
    (i64.const 10)))
