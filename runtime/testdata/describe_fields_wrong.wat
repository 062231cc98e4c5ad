;; crosswalk_describe declares a field by what is no path.
(module
  (memory (export "memory") 1)
  (data (i32.const 0) "{\"fields\":{\"v1\":[\"spec..a\"],\"v2\":[]}}")
  (func (export "crosswalk_abi_v1"))
  (func (export "crosswalk_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "crosswalk_convert") (param i32 i32) (result i64) (i64.const 0))
  (func (export "crosswalk_describe") (result i64) (i64.const 37)))
