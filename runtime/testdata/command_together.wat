;; A command that says no to more than 250 bytes, and answers one object otherwise: it refuses objects
;; together that it converts alone.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"ConversionReview\",\"response\":{\"uid\":\"00000000-0000-4000-8000-000000000000\",\"result\":{\"status\":\"Success\"},\"convertedObjects\":[{\"apiVersion\":\"g/v2\",\"kind\":\"K\"}]}}")
  (data (i32.const 1536) "too much\n")
  (func (export "_start")
    (i32.store (i32.const 0) (i32.const 2048))
    (i32.store (i32.const 4) (i32.const 4096))
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (if (i32.gt_u (i32.load (i32.const 8)) (i32.const 250))
      (then
        (i32.store (i32.const 0) (i32.const 1536))
        (i32.store (i32.const 4) (i32.const 9))
        (drop (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))
        (call $exit (i32.const 1))))
    (i32.store (i32.const 0) (i32.const 1024))
    (i32.store (i32.const 4) (i32.const 208))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))
