;; M9: its start section fills its memory with random bytes, again and again.
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (memory (export "memory") 16)
  (func $start
    (loop $more
      (drop (call $random (i32.const 0) (i32.const 1048576)))
      (br $more)))
  (start $start)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param i32 i32) (result i64) (i64.const 0)))
