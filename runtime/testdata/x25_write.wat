;; X25: writes the same MiB in as many vectors as it may, again and again.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 17)
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param $at i32) (param $len i32) (result i64)
    (local $i i32)
    (if (i32.eqz (i32.load (local.get $at))) (then (return (i64.const 0)))) ;; an empty batch
    (loop $fill
      (i32.store offset=4100 (i32.mul (local.get $i) (i32.const 8)) (i32.const 1048576))
      (br_if $fill (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1024))))
    (loop $more
      (i32.store (i32.const 8) (i32.add (i32.load (i32.const 8)) (i32.const 1))) ;; the number of calls
      (drop (call $write (i32.const 1) (i32.const 4096) (i32.const 1024) (i32.const 16)))
      (br $more))
    (i64.const 0)))
