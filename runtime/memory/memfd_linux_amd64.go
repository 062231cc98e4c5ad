package memory

// memfdCreate is the number of the system call memfd_create(2), which package syscall lacks.
const memfdCreate = 319
