;; Every object comes back as the module was shown it, and it declares what it wants to be shown.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "{\"name\":\"declares\",\"fields\":{\"v1\":[\"spec.a\",\"metadata.annotations[\'x\']\"],\"v2\":[\"spec.b\"]}}")
  (func (export "crosswalk_describe") (result i64) (i64.const 68719476826)) ;; 90 bytes at 16
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param $n i32) (result i32)
    (local $need i32)
    ;; the request at 1024, the response behind it, which has at most four bytes more for each object
    (local.set $need (i32.add (i32.const 2048) (i32.mul (local.get $n) (i32.const 3))))
    (if (i32.gt_u (local.get $need) (i32.mul (memory.size) (i32.const 65536)))
      (then
        (if (i32.eq (i32.const -1) (memory.grow
              (i32.add (i32.const 1) (i32.shr_u (i32.sub (local.get $need) (i32.mul (memory.size) (i32.const 65536))) (i32.const 16)))))
          (then (return (i32.const 0))))))
    (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (local $count i32) (local $in i32) (local $out i32) (local $start i32) (local $n i32)
    (local.set $count (i32.load (local.get $at)))
    (local.set $in (i32.add (i32.add (local.get $at) (i32.const 8)) (i32.load offset=4 (local.get $at))))
    (local.set $start (i32.add (local.get $at) (local.get $len)))
    (local.set $out (local.get $start))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $n (i32.load (local.get $in)))
        (i32.store (local.get $out) (i32.const 0))
        (i32.store offset=4 (local.get $out) (local.get $n))
        (memory.copy (i32.add (local.get $out) (i32.const 8)) (i32.add (local.get $in) (i32.const 4)) (local.get $n))
        (local.set $in (i32.add (local.get $in) (i32.add (i32.const 4) (local.get $n))))
        (local.set $out (i32.add (local.get $out) (i32.add (i32.const 8) (local.get $n))))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (i64.or (i64.shl (i64.extend_i32_u (local.get $start)) (i64.const 32))
            (i64.extend_i32_u (i32.sub (local.get $out) (local.get $start))))))
