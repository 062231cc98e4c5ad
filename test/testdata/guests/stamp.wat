;; Answers every object with the same content, which says which module made it: a test changes the four digits in the binary, and has
;; a new module of the same size.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "{\"spec\":{\"generation\":\"0000\"}}") ;; 30 bytes
  (func (export "crosswalk_abi_v1"))
  ;; The request at 1024, the response behind it: 38 bytes for each object, which has more than that in the request.
  (func (export "crosswalk_alloc") (param $n i32) (result i32)
    (local $missing i32)
    (local.set $missing (i32.sub (i32.add (i32.const 8192) (i32.mul (local.get $n) (i32.const 2)))
                                 (i32.mul (memory.size) (i32.const 65536))))
    (if (i32.gt_s (local.get $missing) (i32.const 0))
      (then
        (if (i32.eq (i32.const -1) (memory.grow (i32.add (i32.const 1) (i32.shr_u (local.get $missing) (i32.const 16)))))
          (then (return (i32.const 0))))))
    (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (local $count i32) (local $out i32) (local $start i32)
    (local.set $count (i32.load (local.get $at)))
    (local.set $start (i32.add (local.get $at) (local.get $len)))
    (local.set $out (local.get $start))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (i32.store (local.get $out) (i32.const 0))
        (i32.store offset=4 (local.get $out) (i32.const 30))
        (memory.copy (i32.add (local.get $out) (i32.const 8)) (i32.const 16) (i32.const 30))
        (local.set $out (i32.add (local.get $out) (i32.const 38)))
        (br $next)))
    (i64.or (i64.shl (i64.extend_i32_u (local.get $start)) (i64.const 32))
            (i64.extend_i32_u (i32.sub (local.get $out) (local.get $start))))))
