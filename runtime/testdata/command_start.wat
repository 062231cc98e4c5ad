;; X29: a command whose start section takes all the memory there is, and traps.
(module
  (memory (export "memory") 1)
  (func $fill
    (drop (memory.grow (i32.const 255)))
    (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x1000000))
    (unreachable))
  (start $fill)
  (func (export "_start")))
