;; Answers what the object itself says, so that a test can make a module answer anything. The object holds, anywhere in it, the string
;;
;;   "answer":"<op><hex>"      op and hexadecimal digits, in lower case, without spaces
;;
;;   0 … 9  answers with this status and the bytes that the hex says: 0 a converted object, 1 a refusal, the others are not defined
;;   b      turns a loop as often as the hex says, then echoes
;;   n      gives no answer for this object, so that there are too few
;;   d      gives its echo twice, so that there are too many
;;   o      returns a response that lies outside its memory
;;   t      traps
;;   s      spins for ever
;;   r      calls itself for ever
;;
;; An object without such a string is echoed with the desired apiVersion in it, if that is as long as the one it has. Echoing is what
;; upstream's tests of conversion webhooks call the no-op converter.
(module
  (memory (export "memory") 1)
  (func (export "crosswalk_abi_v1"))

  ;; The request at 1024, the response behind it: an answer has at most eight bytes more than its object twice.
  (func (export "crosswalk_alloc") (param $n i32) (result i32)
    (local $missing i32)
    (local.set $missing (i32.sub (i32.add (i32.const 8192) (i32.mul (local.get $n) (i32.const 8)))
                                 (i32.mul (memory.size) (i32.const 65536))))
    (if (i32.gt_s (local.get $missing) (i32.const 0))
      (then
        (if (i32.eq (i32.const -1) (memory.grow (i32.add (i32.const 1) (i32.shr_u (local.get $missing) (i32.const 16)))))
          (then (return (i32.const 0))))))
    (i32.const 1024))

  ;; find returns where behind eight and then two bytes of the object at $at it goes on, or 0.
  (func $find (param $at i32) (param $len i32) (param $eight i64) (param $two i32) (result i32)
    (local $end i32)
    (local.set $end (i32.sub (i32.add (local.get $at) (local.get $len)) (i32.const 10)))
    (loop $next
      (if (i32.gt_s (local.get $at) (local.get $end)) (then (return (i32.const 0))))
      (if (i64.eq (i64.load align=1 (local.get $at)) (local.get $eight))
        (then
          (if (i32.eq (i32.load16_u offset=8 align=1 (local.get $at)) (local.get $two))
            (then (return (i32.add (local.get $at) (i32.const 10)))))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br $next))
    (i32.const 0))

  ;; digit returns the value of a hexadecimal digit, or -1.
  (func $digit (param $c i32) (result i32)
    (if (i32.lt_u (i32.sub (local.get $c) (i32.const 48)) (i32.const 10))
      (then (return (i32.sub (local.get $c) (i32.const 48)))))
    (if (i32.lt_u (i32.sub (local.get $c) (i32.const 97)) (i32.const 6))
      (then (return (i32.sub (local.get $c) (i32.const 87)))))
    (i32.const -1))

  ;; decode writes the bytes that the hex at $at says to $out and returns how many.
  (func $decode (param $at i32) (param $out i32) (result i32)
    (local $high i32) (local $low i32) (local $n i32)
    (loop $next
      (local.set $high (call $digit (i32.load8_u (local.get $at))))
      (if (i32.ge_s (local.get $high) (i32.const 0))
        (then
          (local.set $low (call $digit (i32.load8_u offset=1 (local.get $at))))
          (i32.store8 (i32.add (local.get $out) (local.get $n))
            (i32.or (i32.shl (local.get $high) (i32.const 4)) (local.get $low)))
          (local.set $n (i32.add (local.get $n) (i32.const 1)))
          (local.set $at (i32.add (local.get $at) (i32.const 2)))
          (br $next))))
    (local.get $n))

  ;; burn turns a loop as often as the hex at $at says.
  (func $burn (param $at i32)
    (local $turns i64) (local $d i32)
    (loop $next
      (local.set $d (call $digit (i32.load8_u (local.get $at))))
      (if (i32.ge_s (local.get $d) (i32.const 0))
        (then
          (local.set $turns (i64.or (i64.shl (local.get $turns) (i64.const 4)) (i64.extend_i32_u (local.get $d))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next))))
    (loop $turn
      (if (i64.gt_s (local.get $turns) (i64.const 0))
        (then
          (local.set $turns (i64.sub (local.get $turns) (i64.const 1)))
          (br $turn)))))

  (func $recurse (param $n i32) (result i32)
    (i32.add (i32.const 1) (call $recurse (i32.add (local.get $n) (i32.const 1)))))

  ;; echo answers at $out with the object as it is, in the desired version, and returns where the answer ends.
  (func $echo (param $object i32) (param $len i32) (param $out i32) (param $desired i32) (param $desired_len i32) (result i32)
    (local $version i32)
    (i32.store (local.get $out) (i32.const 0))
    (i32.store offset=4 (local.get $out) (local.get $len))
    (local.set $out (i32.add (local.get $out) (i32.const 8)))
    (memory.copy (local.get $out) (local.get $object) (local.get $len))
    ;; "apiVers and io of "apiVersion":"
    (local.set $version (call $find (local.get $out) (local.get $len) (i64.const 0x7372655669706122) (i32.const 0x6f69)))
    (if (local.get $version)
      (then
        (local.set $version (i32.add (local.get $version) (i32.const 4)))
        (if (i32.eq (i32.load8_u (i32.add (local.get $version) (local.get $desired_len))) (i32.const 34))
          (then (memory.copy (local.get $version) (local.get $desired) (local.get $desired_len))))))
    (i32.add (local.get $out) (local.get $len)))

  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (local $count i32) (local $desired_len i32) (local $in i32) (local $out i32) (local $start i32) (local $n i32)
    (local $op i32) (local $c i32)
    (local.set $count (i32.load (local.get $at)))
    (local.set $desired_len (i32.load offset=4 (local.get $at)))
    (local.set $in (i32.add (i32.add (local.get $at) (i32.const 8)) (local.get $desired_len)))
    (local.set $start (i32.add (local.get $at) (local.get $len)))
    (local.set $out (local.get $start))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (local.set $n (i32.load (local.get $in)))
        (local.set $in (i32.add (local.get $in) (i32.const 4)))
        ;; "answer" and :"
        (local.set $op (call $find (local.get $in) (local.get $n) (i64.const 0x22726577736e6122) (i32.const 0x223a)))
        (local.set $c (i32.const 0))
        (if (local.get $op)
          (then
            (local.set $c (i32.load8_u (local.get $op)))
            (local.set $op (i32.add (local.get $op) (i32.const 1)))))
        (block $answered
          (if (i32.lt_u (i32.sub (local.get $c) (i32.const 48)) (i32.const 10))
            (then
              (i32.store (local.get $out) (i32.sub (local.get $c) (i32.const 48)))
              (i32.store offset=4 (local.get $out) (call $decode (local.get $op) (i32.add (local.get $out) (i32.const 8))))
              (local.set $out (i32.add (i32.add (local.get $out) (i32.const 8)) (i32.load offset=4 (local.get $out))))
              (br $answered)))
          (br_if $answered (i32.eq (local.get $c) (i32.const 110)))                                          ;; n
          (if (i32.eq (local.get $c) (i32.const 111)) (then (return (i64.const 0x7fffffff00000400))))         ;; o
          (if (i32.eq (local.get $c) (i32.const 116)) (then (unreachable)))                                   ;; t
          (if (i32.eq (local.get $c) (i32.const 115)) (then (loop $spin (br $spin))))                         ;; s
          (if (i32.eq (local.get $c) (i32.const 114)) (then (drop (call $recurse (i32.const 0)))))            ;; r
          (if (i32.eq (local.get $c) (i32.const 98)) (then (call $burn (local.get $op))))                     ;; b
          (if (i32.eq (local.get $c) (i32.const 100))                                                         ;; d
            (then (local.set $out (call $echo (local.get $in) (local.get $n) (local.get $out)
                                              (i32.add (local.get $at) (i32.const 8)) (local.get $desired_len)))))
          (local.set $out (call $echo (local.get $in) (local.get $n) (local.get $out)
                                      (i32.add (local.get $at) (i32.const 8)) (local.get $desired_len))))
        (local.set $in (i32.add (local.get $in) (local.get $n)))
        (br $next)))
    (i64.or (i64.shl (i64.extend_i32_u (local.get $start)) (i64.const 32))
            (i64.extend_i32_u (i32.sub (local.get $out) (local.get $start))))))
