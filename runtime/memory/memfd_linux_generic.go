//go:build linux && (arm64 || riscv64 || loong64)

package memory

// memfdCreate is the number of the system call memfd_create(2) in the table that these
// architectures share.
const memfdCreate = 279
