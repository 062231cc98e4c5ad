;; Read-only files and arguments for a WASI command, which crosswalk compile links into it.
;;
;; Files lie in a passive data segment, and the state of open files in globals: memory belongs to the
;; command alone, whatever allocator it has. Calls for standard input, output and error go on to the host.
;;
;; The segment, in words of 8 bytes (cmd/crosswalk/bundle/volume.go writes it):
;;   0   nodes, root       how many files and directories there are; the number of the root
;;   8   arguments, bytes  how many arguments there are; their length, NULs included
;;   16  arguments         the offset of the arguments
;;   24  nodes, sorted by hash, 32 bytes each:
;;         0  hash of the path
;;         8  offset, size of the content
;;        16  offset, length of the name
;;        24  parent, type (WASI's: 3 directory, 4 file)
;;   The segment ends with 8 bytes that nothing uses.
(module
  (import "wasi_snapshot_preview1" "fd_close" (func $host_fd_close (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_advise" (func $host_fd_advise (param i32 i64 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_fdstat_get" (func $host_fd_fdstat_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_fdstat_set_flags" (func $host_fd_fdstat_set_flags (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_filestat_get" (func $host_fd_filestat_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_pread" (func $host_fd_pread (param i32 i32 i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $host_fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_readdir" (func $host_fd_readdir (param i32 i32 i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_seek" (func $host_fd_seek (param i32 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_tell" (func $host_fd_tell (param i32 i32) (result i32)))

  (memory 1)
  (data $files "replaced by crosswalk bundle")

  ;; Whether an error is on its way to the function that catches it (throw.go). It must be the first global.
  (global $thrown (mut i32) (i32.const 0))
  (func (export "throw") (result i32)
    (global.set $thrown (i32.const 1))
    (i32.const 0))
  (func (export "caught") (result i32)
    (global.get $thrown)
    (global.set $thrown (i32.const 0)))

  ;; An open file: its node + 1 in the lower half, the position in the upper. 0 is no file.
  (global $slot0 (mut i64) (i64.const 0))
  (global $slot1 (mut i64) (i64.const 0))
  (global $slot2 (mut i64) (i64.const 0))
  (global $slot3 (mut i64) (i64.const 0))
  (global $slot4 (mut i64) (i64.const 0))
  (global $slot5 (mut i64) (i64.const 0))
  (global $slot6 (mut i64) (i64.const 0))
  (global $slot7 (mut i64) (i64.const 0))
  (global $slot8 (mut i64) (i64.const 0))
  (global $slot9 (mut i64) (i64.const 0))
  (global $slot10 (mut i64) (i64.const 0))
  (global $slot11 (mut i64) (i64.const 0))
  (global $slot12 (mut i64) (i64.const 0))
  (global $slot13 (mut i64) (i64.const 0))
  (global $slot14 (mut i64) (i64.const 0))
  (global $slot15 (mut i64) (i64.const 0))

  ;; word reads 8 bytes of the segment by way of address 0, whose content it puts back.
  (func $word (param $at i32) (result i64) (local $kept i64) (local $word i64)
    (local.set $kept (i64.load (i32.const 0)))
    (memory.init $files (i32.const 0) (local.get $at) (i32.const 8))
    (local.set $word (i64.load (i32.const 0)))
    (i64.store (i32.const 0) (local.get $kept))
    (local.get $word))
  (func $low (param $at i32) (result i32) (i32.wrap_i64 (call $word (local.get $at))))
  (func $high (param $at i32) (result i32) (i32.wrap_i64 (i64.shr_u (call $word (local.get $at)) (i64.const 32))))

  ;; at returns the offset of a field of a node.
  (func $at (param $node i32) (param $field i32) (result i32)
    (i32.add (i32.add (i32.const 24) (i32.mul (local.get $node) (i32.const 32))) (local.get $field)))
  (func $hash (param $node i32) (result i64) (call $word (call $at (local.get $node) (i32.const 0))))
  (func $content (param $node i32) (result i32) (call $low (call $at (local.get $node) (i32.const 8))))
  (func $size (param $node i32) (result i32) (call $high (call $at (local.get $node) (i32.const 8))))
  (func $name (param $node i32) (result i32) (call $low (call $at (local.get $node) (i32.const 16))))
  (func $name_size (param $node i32) (result i32) (call $high (call $at (local.get $node) (i32.const 16))))
  (func $parent (param $node i32) (result i32) (call $low (call $at (local.get $node) (i32.const 24))))
  (func $type (param $node i32) (result i32) (call $high (call $at (local.get $node) (i32.const 24))))
  (func $nodes (result i32) (call $low (i32.const 0)))
  (func $root (result i32) (call $high (i32.const 0)))

  ;; slot and set_slot read and write the state of an open file.
  (func $slot (param $i i32) (result i64)
    (block (block (block (block (block (block (block (block (block (block (block (block (block (block (block (block
      (br_table 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 (local.get $i)))
    (return (global.get $slot0)))
    (return (global.get $slot1)))
    (return (global.get $slot2)))
    (return (global.get $slot3)))
    (return (global.get $slot4)))
    (return (global.get $slot5)))
    (return (global.get $slot6)))
    (return (global.get $slot7)))
    (return (global.get $slot8)))
    (return (global.get $slot9)))
    (return (global.get $slot10)))
    (return (global.get $slot11)))
    (return (global.get $slot12)))
    (return (global.get $slot13)))
    (return (global.get $slot14)))
    (return (global.get $slot15)))
  (func $set_slot (param $i i32) (param $to i64)
    (block (block (block (block (block (block (block (block (block (block (block (block (block (block (block (block
      (br_table 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 (local.get $i)))
    (global.set $slot0 (local.get $to)) (return))
    (global.set $slot1 (local.get $to)) (return))
    (global.set $slot2 (local.get $to)) (return))
    (global.set $slot3 (local.get $to)) (return))
    (global.set $slot4 (local.get $to)) (return))
    (global.set $slot5 (local.get $to)) (return))
    (global.set $slot6 (local.get $to)) (return))
    (global.set $slot7 (local.get $to)) (return))
    (global.set $slot8 (local.get $to)) (return))
    (global.set $slot9 (local.get $to)) (return))
    (global.set $slot10 (local.get $to)) (return))
    (global.set $slot11 (local.get $to)) (return))
    (global.set $slot12 (local.get $to)) (return))
    (global.set $slot13 (local.get $to)) (return))
    (global.set $slot14 (local.get $to)) (return))
    (global.set $slot15 (local.get $to)) (return))

  ;; node returns the node of a descriptor, or -1. Descriptor 3 is the root; slots begin at 4.
  (func $node (param $fd i32) (result i32)
    (if (i32.eq (local.get $fd) (i32.const 3)) (then (return (call $root))))
    (local.set $fd (i32.sub (local.get $fd) (i32.const 4)))
    (if (i32.ge_u (local.get $fd) (i32.const 16)) (then (return (i32.const -1))))
    (i32.sub (i32.wrap_i64 (call $slot (local.get $fd))) (i32.const 1)))
  (func $position (param $fd i32) (result i32)
    (if (i32.eq (local.get $fd) (i32.const 3)) (then (return (i32.const 0))))
    (i32.wrap_i64 (i64.shr_u (call $slot (i32.sub (local.get $fd) (i32.const 4))) (i64.const 32))))
  (func $move (param $fd i32) (param $position i32) (local $slot i32)
    (local.set $slot (i32.sub (local.get $fd) (i32.const 4)))
    (call $set_slot (local.get $slot) (i64.or
      (i64.and (call $slot (local.get $slot)) (i64.const 0xffffffff))
      (i64.shl (i64.extend_i32_u (local.get $position)) (i64.const 32)))))

  ;; add continues a hash (FNV-1a) by a byte.
  (func $add (param $hash i64) (param $byte i32) (result i64)
    (i64.mul (i64.xor (local.get $hash) (i64.extend_i32_u (local.get $byte))) (i64.const 0x100000001b3)))

  ;; find returns the node of a hash, or -1.
  (func $find (param $hash i64) (result i32) (local $from i32) (local $to i32) (local $middle i32) (local $have i64)
    (local.set $to (call $nodes))
    (loop $halve
      (if (i32.lt_u (local.get $from) (local.get $to)) (then
        (local.set $middle (i32.shr_u (i32.add (local.get $from) (local.get $to)) (i32.const 1)))
        (local.set $have (call $hash (local.get $middle)))
        (if (i64.eq (local.get $have) (local.get $hash)) (then (return (local.get $middle))))
        (if (i64.lt_u (local.get $have) (local.get $hash))
          (then (local.set $from (i32.add (local.get $middle) (i32.const 1))))
          (else (local.set $to (local.get $middle))))
        (br $halve))))
    (i32.const -1))

  ;; child returns the node that a part of a path, from address $from to $end, names in a directory, or -1.
  (func $child (param $directory i32) (param $from i32) (param $end i32) (result i32) (local $hash i64) (local $size i32)
    (local.set $size (i32.sub (local.get $end) (local.get $from)))
    (if (i32.eqz (local.get $size)) (then (return (local.get $directory))))
    (if (i32.eq (i32.load8_u (local.get $from)) (i32.const 0x2e)) (then ;; "." and ".."
      (if (i32.eq (local.get $size) (i32.const 1)) (then (return (local.get $directory))))
      (if (i32.and (i32.eq (local.get $size) (i32.const 2)) (i32.eq (i32.load8_u offset=1 (local.get $from)) (i32.const 0x2e)))
        (then (return (call $parent (local.get $directory)))))))
    (local.set $hash (call $add (call $hash (local.get $directory)) (i32.const 0x2f)))
    (loop $bytes
      (local.set $hash (call $add (local.get $hash) (i32.load8_u (local.get $from))))
      (br_if $bytes (i32.lt_u (local.tee $from (i32.add (local.get $from) (i32.const 1))) (local.get $end))))
    (call $find (local.get $hash)))

  ;; walk returns the node of a path, or -1.
  (func $walk (param $fd i32) (param $path i32) (param $size i32) (result i32) (local $node i32) (local $from i32) (local $end i32)
    (local.set $node (call $node (local.get $fd)))
    (local.set $from (local.get $path))
    (local.set $end (i32.add (local.get $path) (local.get $size)))
    (loop $bytes
      (if (i32.eq (local.get $node) (i32.const -1)) (then (return (local.get $node))))
      (if (i32.eq (local.get $path) (local.get $end)) (then (return (call $child (local.get $node) (local.get $from) (local.get $end)))))
      (if (i32.eq (i32.load8_u (local.get $path)) (i32.const 0x2f)) (then
        (local.set $node (call $child (local.get $node) (local.get $from) (local.get $path)))
        (local.set $from (i32.add (local.get $path) (i32.const 1)))))
      (local.set $path (i32.add (local.get $path) (i32.const 1)))
      (br $bytes))
    (unreachable))

  ;; stat writes the 64 bytes of a filestat.
  (func $stat (param $node i32) (param $to i32)
    (memory.fill (local.get $to) (i32.const 0) (i32.const 64))
    (i64.store offset=8 (local.get $to) (i64.extend_i32_u (i32.add (local.get $node) (i32.const 1))))
    (i32.store8 offset=16 (local.get $to) (call $type (local.get $node)))
    (i64.store offset=24 (local.get $to) (i64.const 1))
    (i64.store offset=32 (local.get $to) (i64.extend_i32_u (call $size (local.get $node)))))

  ;; scatter copies content from a position to a list of buffers, and returns how many bytes.
  (func $scatter (param $node i32) (param $position i32) (param $list i32) (param $count i32) (result i32)
    (local $left i32) (local $from i32) (local $part i32) (local $all i32)
    (local.set $left (call $size (local.get $node)))
    (if (i32.ge_u (local.get $position) (local.get $left)) (then (return (i32.const 0))))
    (local.set $left (i32.sub (local.get $left) (local.get $position)))
    (local.set $from (i32.add (call $content (local.get $node)) (local.get $position)))
    (block $done (loop $buffers
      (br_if $done (i32.or (i32.eqz (local.get $count)) (i32.eqz (local.get $left))))
      (local.set $part (i32.load offset=4 (local.get $list)))
      (if (i32.gt_u (local.get $part) (local.get $left)) (then (local.set $part (local.get $left))))
      (memory.init $files (i32.load (local.get $list)) (local.get $from) (local.get $part))
      (local.set $from (i32.add (local.get $from) (local.get $part)))
      (local.set $left (i32.sub (local.get $left) (local.get $part)))
      (local.set $all (i32.add (local.get $all) (local.get $part)))
      (local.set $list (i32.add (local.get $list) (i32.const 8)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $buffers)))
    (local.get $all))

  (func (export "args_sizes_get") (param $count i32) (param $bytes i32) (result i32)
    (i32.store (local.get $count) (call $low (i32.const 8)))
    (i32.store (local.get $bytes) (call $high (i32.const 8)))
    (i32.const 0))

  (func (export "args_get") (param $list i32) (param $bytes i32) (result i32) (local $left i32)
    (memory.init $files (local.get $bytes) (call $low (i32.const 16)) (call $high (i32.const 8)))
    (local.set $left (call $low (i32.const 8)))
    (loop $arguments
      (if (local.get $left) (then
        (i32.store (local.get $list) (local.get $bytes))
        (loop $bytes
          (local.set $bytes (i32.add (local.get $bytes) (i32.const 1)))
          (br_if $bytes (i32.load8_u (i32.sub (local.get $bytes) (i32.const 1)))))
        (local.set $list (i32.add (local.get $list) (i32.const 4)))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br $arguments))))
    (i32.const 0))

  (func (export "fd_prestat_get") (param $fd i32) (param $to i32) (result i32)
    (if (i32.ne (local.get $fd) (i32.const 3)) (then (return (i32.const 8)))) ;; EBADF
    (i64.store (local.get $to) (i64.const 0x100000000)) ;; a directory, whose name has one byte
    (i32.const 0))

  (func (export "fd_prestat_dir_name") (param $fd i32) (param $to i32) (param $size i32) (result i32)
    (if (i32.ne (local.get $fd) (i32.const 3)) (then (return (i32.const 8))))
    (if (i32.eqz (local.get $size)) (then (return (i32.const 37)))) ;; ENAMETOOLONG
    (i32.store8 (local.get $to) (i32.const 0x2f))
    (i32.const 0))

  (func (export "path_open") (param $fd i32) (param $follow i32) (param $path i32) (param $size i32) (param $flags i32)
    (param $rights i64) (param $inherited i64) (param $mode i32) (param $opened i32) (result i32) (local $node i32) (local $slot i32)
    (local.set $node (call $walk (local.get $fd) (local.get $path) (local.get $size)))
    (if (i32.eq (local.get $node) (i32.const -1))
      (then (return (select (i32.const 69) (i32.const 44) (i32.and (local.get $flags) (i32.const 1)))))) ;; EROFS to create, ENOENT
    (if (i32.eq (i32.and (local.get $flags) (i32.const 5)) (i32.const 5)) (then (return (i32.const 20)))) ;; EEXIST
    (if (i32.eq (call $type (local.get $node)) (i32.const 2)) (then ;; /dev/stdin: the descriptor that the program begins with
      (i32.store (local.get $opened) (i32.const 0))
      (return (i32.const 0))))
    (if (i32.or (i32.and (local.get $flags) (i32.const 8)) (i32.wrap_i64 (i64.and (local.get $rights) (i64.const 64))))
      (then (return (i32.const 69)))) ;; to truncate or write: EROFS
    (if (i32.and (i32.and (local.get $flags) (i32.const 2)) (i32.ne (call $type (local.get $node)) (i32.const 3)))
      (then (return (i32.const 54)))) ;; ENOTDIR
    (loop $slots
      (if (i64.eqz (call $slot (local.get $slot))) (then
        (call $set_slot (local.get $slot) (i64.extend_i32_u (i32.add (local.get $node) (i32.const 1))))
        (i32.store (local.get $opened) (i32.add (local.get $slot) (i32.const 4)))
        (return (i32.const 0))))
      (br_if $slots (i32.lt_u (local.tee $slot (i32.add (local.get $slot) (i32.const 1))) (i32.const 16))))
    (i32.const 33)) ;; EMFILE

  (func (export "path_filestat_get") (param $fd i32) (param $follow i32) (param $path i32) (param $size i32) (param $to i32) (result i32) (local $node i32)
    (local.set $node (call $walk (local.get $fd) (local.get $path) (local.get $size)))
    (if (i32.eq (local.get $node) (i32.const -1)) (then (return (i32.const 44))))
    (call $stat (local.get $node) (local.get $to))
    (i32.const 0))

  (func (export "path_readlink") (param $fd i32) (param $path i32) (param $size i32) (param $to i32) (param $most i32) (param $used i32) (result i32)
    (select (i32.const 44) (i32.const 28) (i32.eq (call $walk (local.get $fd) (local.get $path) (local.get $size)) (i32.const -1)))) ;; EINVAL: not a link

  (func (export "fd_close") (param $fd i32) (result i32)
    (if (i32.lt_u (local.get $fd) (i32.const 3)) (then (return (call $host_fd_close (local.get $fd)))))
    (if (i32.eq (call $node (local.get $fd)) (i32.const -1)) (then (return (i32.const 8))))
    (if (i32.ne (local.get $fd) (i32.const 3)) (then (call $set_slot (i32.sub (local.get $fd) (i32.const 4)) (i64.const 0))))
    (i32.const 0))

  (func (export "fd_advise") (param $fd i32) (param $from i64) (param $size i64) (param $advice i32) (result i32)
    (if (i32.lt_u (local.get $fd) (i32.const 3))
      (then (return (call $host_fd_advise (local.get $fd) (local.get $from) (local.get $size) (local.get $advice)))))
    (select (i32.const 8) (i32.const 0) (i32.eq (call $node (local.get $fd)) (i32.const -1))))

  (func (export "fd_fdstat_get") (param $fd i32) (param $to i32) (result i32) (local $node i32)
    (if (i32.lt_u (local.get $fd) (i32.const 3)) (then (return (call $host_fd_fdstat_get (local.get $fd) (local.get $to)))))
    (local.set $node (call $node (local.get $fd)))
    (if (i32.eq (local.get $node) (i32.const -1)) (then (return (i32.const 8))))
    (i64.store (local.get $to) (i64.extend_i32_u (call $type (local.get $node))))
    ;; The rights to read, seek, tell, advise, open, list and stat, and no right to write.
    (i64.store offset=8 (local.get $to) (i64.const 0x824e0ae))
    (i64.store offset=16 (local.get $to) (i64.const 0x824e0ae))
    (i32.const 0))

  (func (export "fd_fdstat_set_flags") (param $fd i32) (param $flags i32) (result i32)
    (if (i32.lt_u (local.get $fd) (i32.const 3)) (then (return (call $host_fd_fdstat_set_flags (local.get $fd) (local.get $flags)))))
    (select (i32.const 8) (i32.const 0) (i32.eq (call $node (local.get $fd)) (i32.const -1))))

  (func (export "fd_filestat_get") (param $fd i32) (param $to i32) (result i32) (local $node i32)
    (if (i32.lt_u (local.get $fd) (i32.const 3)) (then (return (call $host_fd_filestat_get (local.get $fd) (local.get $to)))))
    (local.set $node (call $node (local.get $fd)))
    (if (i32.eq (local.get $node) (i32.const -1)) (then (return (i32.const 8))))
    (call $stat (local.get $node) (local.get $to))
    (i32.const 0))

  (func (export "fd_read") (param $fd i32) (param $list i32) (param $count i32) (param $read i32) (result i32) (local $node i32) (local $bytes i32)
    (if (i32.lt_u (local.get $fd) (i32.const 3))
      (then (return (call $host_fd_read (local.get $fd) (local.get $list) (local.get $count) (local.get $read)))))
    (local.set $node (call $node (local.get $fd)))
    (if (i32.eq (local.get $node) (i32.const -1)) (then (return (i32.const 8))))
    (if (i32.eq (call $type (local.get $node)) (i32.const 3)) (then (return (i32.const 31)))) ;; EISDIR
    (local.set $bytes (call $scatter (local.get $node) (call $position (local.get $fd)) (local.get $list) (local.get $count)))
    (call $move (local.get $fd) (i32.add (call $position (local.get $fd)) (local.get $bytes)))
    (i32.store (local.get $read) (local.get $bytes))
    (i32.const 0))

  (func (export "fd_pread") (param $fd i32) (param $list i32) (param $count i32) (param $from i64) (param $read i32) (result i32) (local $node i32)
    (if (i32.lt_u (local.get $fd) (i32.const 3))
      (then (return (call $host_fd_pread (local.get $fd) (local.get $list) (local.get $count) (local.get $from) (local.get $read)))))
    (local.set $node (call $node (local.get $fd)))
    (if (i32.eq (local.get $node) (i32.const -1)) (then (return (i32.const 8))))
    (if (i32.eq (call $type (local.get $node)) (i32.const 3)) (then (return (i32.const 31))))
    (if (i64.gt_u (local.get $from) (i64.const 0x7fffffff)) (then (local.set $from (i64.const 0x7fffffff)))) ;; behind the end
    (i32.store (local.get $read)
      (call $scatter (local.get $node) (i32.wrap_i64 (local.get $from)) (local.get $list) (local.get $count)))
    (i32.const 0))

  (func (export "fd_seek") (param $fd i32) (param $by i64) (param $whence i32) (param $to i32) (result i32) (local $node i32)
    (if (i32.lt_u (local.get $fd) (i32.const 3))
      (then (return (call $host_fd_seek (local.get $fd) (local.get $by) (local.get $whence) (local.get $to)))))
    (local.set $node (call $node (local.get $fd)))
    (if (i32.eq (local.get $node) (i32.const -1)) (then (return (i32.const 8))))
    (if (i32.eq (call $type (local.get $node)) (i32.const 3)) (then (return (i32.const 31))))
    (if (i32.gt_u (local.get $whence) (i32.const 2)) (then (return (i32.const 28))))
    (if (i32.eq (local.get $whence) (i32.const 1))
      (then (local.set $by (i64.add (local.get $by) (i64.extend_i32_u (call $position (local.get $fd)))))))
    (if (i32.eq (local.get $whence) (i32.const 2))
      (then (local.set $by (i64.add (local.get $by) (i64.extend_i32_u (call $size (local.get $node)))))))
    (if (i64.gt_u (local.get $by) (i64.const 0x7fffffff)) (then (return (i32.const 28)))) ;; before the start, or far behind the end
    (call $move (local.get $fd) (i32.wrap_i64 (local.get $by)))
    (i64.store (local.get $to) (local.get $by))
    (i32.const 0))

  (func (export "fd_tell") (param $fd i32) (param $to i32) (result i32)
    (if (i32.lt_u (local.get $fd) (i32.const 3)) (then (return (call $host_fd_tell (local.get $fd) (local.get $to)))))
    (if (i32.eq (call $node (local.get $fd)) (i32.const -1)) (then (return (i32.const 8))))
    (i64.store (local.get $to) (i64.extend_i32_u (call $position (local.get $fd))))
    (i32.const 0))

  ;; fd_readdir writes the nodes of a directory from number $next on, each as 24 bytes and its name.
  (func (export "fd_readdir") (param $fd i32) (param $to i32) (param $left i32) (param $next i64) (param $used i32) (result i32)
    (local $directory i32) (local $node i32) (local $size i32)
    (if (i32.lt_u (local.get $fd) (i32.const 3))
      (then (return (call $host_fd_readdir (local.get $fd) (local.get $to) (local.get $left) (local.get $next) (local.get $used)))))
    (local.set $directory (call $node (local.get $fd)))
    (if (i32.eq (local.get $directory) (i32.const -1)) (then (return (i32.const 8))))
    (if (i32.ne (call $type (local.get $directory)) (i32.const 3)) (then (return (i32.const 54))))
    (i32.store (local.get $used) (i32.const 0))
    (local.set $node (i32.wrap_i64 (local.get $next)))
    (block $done (loop $entries
      (br_if $done (i32.ge_u (local.get $node) (call $nodes)))
      (if (i32.and (i32.eq (call $parent (local.get $node)) (local.get $directory)) (i32.ne (local.get $node) (call $root))) (then
        (local.set $size (call $name_size (local.get $node)))
        (if (i32.lt_u (local.get $left) (i32.add (local.get $size) (i32.const 24))) (then ;; a full buffer tells the caller to ask for more
          (memory.fill (local.get $to) (i32.const 0) (local.get $left))
          (i32.store (local.get $used) (i32.add (i32.load (local.get $used)) (local.get $left)))
          (return (i32.const 0))))
        (i64.store (local.get $to) (i64.extend_i32_u (i32.add (local.get $node) (i32.const 1))))
        (i64.store offset=8 (local.get $to) (i64.extend_i32_u (i32.add (local.get $node) (i32.const 1))))
        (i32.store offset=16 (local.get $to) (local.get $size))
        (i32.store offset=20 (local.get $to) (call $type (local.get $node)))
        (memory.init $files (i32.add (local.get $to) (i32.const 24)) (call $name (local.get $node)) (local.get $size))
        (local.set $size (i32.add (local.get $size) (i32.const 24)))
        (local.set $to (i32.add (local.get $to) (local.get $size)))
        (local.set $left (i32.sub (local.get $left) (local.get $size)))
        (i32.store (local.get $used) (i32.add (i32.load (local.get $used)) (local.get $size)))))
      (local.set $node (i32.add (local.get $node) (i32.const 1)))
      (br $entries)))
    (i32.const 0))
)
