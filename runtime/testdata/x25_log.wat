;; X25: writes a log line, again and again, after its share of the log is used up, too.
(module
  (import "crosswalk_v1" "log" (func $log (param i32 i32 i32)))
  (memory (export "memory") 1)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (local $i i32)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (loop $more
      (i32.store (i32.const 8) (i32.add (i32.load (i32.const 8)) (i32.const 1))) ;; the number of calls
      (call $log (i32.const 1) (i32.const 4096) (i32.const 32768))
      (br $more))
    (i64.const 0)))
