;; A14: the answer to an object is its place in the batch, {"n":0} to {"n":9}: it depends on its neighbours.
(module
  (memory (export "memory") 1)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (local $i i32) (local $count i32) (local $out i32)
    (local.set $count (i32.load (local.get $at)))
    (local.set $out (i32.const 0x4000))
    (block $done
      (loop $next
        (br_if $done (i32.eq (local.get $i) (local.get $count)))
        (i32.store (local.get $out) (i32.const 0))
        (i32.store offset=4 (local.get $out) (i32.const 7))
        (i64.store offset=8 (local.get $out) (i64.const 0x7d303a226e227b)) ;; {"n":0}
        (i32.store8 offset=13 (local.get $out) (i32.add (i32.const 0x30) (i32.rem_u (local.get $i) (i32.const 10))))
        (local.set $out (i32.add (local.get $out) (i32.const 15)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (i64.or (i64.const 0x400000000000) (i64.extend_i32_u (i32.mul (local.get $count) (i32.const 15))))))
