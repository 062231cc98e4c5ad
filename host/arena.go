package host

// arena allocates byte slices that stay valid until it is reset. It grows by new blocks and never
// moves or overwrites earlier slices: a module may answer with the very slices it was given, and
// labels of one answer live on in the next.
type arena struct {
	block []byte
	w     writer // here, and not in write, as it would be allocated there
}

// arenaBlock is the least size of a block: room for the view of a common object. arenaKeep is the largest block that reset keeps.
const (
	arenaBlock = 16 << 10
	arenaKeep  = 1 << 20
)

// write returns a slice with the bytes that f writes. It calls f twice, first to count; f must
// write the same both times.
func (a *arena) write(f func(w *writer)) []byte {
	w := &a.w
	*w = writer{counting: true}
	f(w)
	if cap(a.block)-len(a.block) < w.n {
		a.block = make([]byte, 0, max(w.n, min(2*cap(a.block), arenaKeep), arenaBlock))
	}
	start := len(a.block)
	w.counting, w.dst = false, a.block
	f(w)
	a.block, w.dst = w.dst, nil
	return a.block[start:len(a.block):len(a.block)]
}

// build returns the slice that f appends to an empty slice with room for n bytes. If n is too small,
// the result is allocated outside the arena.
func (a *arena) build(n int, f func(dst []byte) []byte) []byte {
	if cap(a.block)-len(a.block) < n {
		a.block = make([]byte, 0, max(n, min(2*cap(a.block), arenaKeep), arenaBlock))
	}
	start := len(a.block)
	out := f(a.block[start:start])
	if len(out) <= cap(a.block)-start {
		a.block = a.block[:start+len(out)]
	}
	return out[:len(out):len(out)]
}

// reset empties the arena. Its slices must not be used any more.
func (a *arena) reset() {
	if cap(a.block) > arenaKeep {
		a.block = nil
	}
	a.block = a.block[:0]
}
