;; A command that fills its memory with random bytes, again and again.
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (memory (export "memory") 16)
  (func (export "_start")
    (loop $more
      (drop (call $random (i32.const 0) (i32.const 1048576)))
      (br $more))))
