;; X26: takes a reference to a function over and over, each of which the engine would keep for as long as the instance lives.
(module
  (memory (export "memory") 1)
  (data (i32.const 2048) "\00\00\00\00\02\00\00\00{}")
  (func $f)
  (elem declare func $f)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64) (local $i i32)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (local.set $i (i32.const 1000000))
    (loop $again
      (drop (ref.func $f))
      (local.set $i (i32.sub (local.get $i) (i32.const 1)))
      (br_if $again (i32.ne (local.get $i) (i32.const 0))))
    (i64.const 0x000008000000000a)))
