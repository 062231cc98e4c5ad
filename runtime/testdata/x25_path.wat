;; X25: opens a file whose path has 64 MiB, again and again.
(module
  (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (memory (export "memory") 1024)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (local $i i32)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (loop $more
      (i32.store (i32.const 8) (i32.add (i32.load (i32.const 8)) (i32.const 1))) ;; the number of calls
      (drop (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 67108864) (i32.const 0) (i64.const 0) (i64.const 0) (i32.const 0) (i32.const 16)))
      (br $more))
    (i64.const 0)))
