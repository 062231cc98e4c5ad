;; Answers each batch of one object like one.wat, after 100 million instructions: an honest module that is slow.
;; Reviews of it need objects of some 30 KB, whose fuel suffices for that.
(module
  (memory (export "memory") 4)
  ;; status 0, length 25, the object
  (data (i32.const 16) "\00\00\00\00\19\00\00\00{\"spec\":{\"module\":\"one\"}}")
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param i32 i32) (result i64)
    (local $left i32)
    ;; An empty batch, as a load begins with, has an empty answer.
    (if (i32.eqz (i32.load (local.get 0))) (then (return (i64.const 0x1000000000))))
    (local.set $left (i32.const 20000000))
    (loop $again
      (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i64.const 0x1000000021))) ;; 16 << 32 | 8 + 25
