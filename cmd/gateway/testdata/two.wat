;; Answers each batch of one object with a constant: {"spec":{"module":"two"}}. Its sibling one.wat differs in the word.
(module
  (memory (export "memory") 1)
  ;; status 0, length 25, the object
  (data (i32.const 16) "\00\00\00\00\19\00\00\00{\"spec\":{\"module\":\"two\"}}")
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param i32 i32) (result i64)
    ;; An empty batch, as a load begins with, has an empty answer.
    (if (i32.eqz (i32.load (local.get 0))) (then (return (i64.const 0x1000000000))))
    (i64.const 0x1000000021))) ;; 16 << 32 | 8 + 25
