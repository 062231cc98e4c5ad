package projection

import "github.com/crosswalk-gateway/crosswalk/internal/rawjson"

// Spliced is an object with an answer in it, as a list of pieces: most of it is the object as it
// was, which is not copied before the whole is written where it has to be. It refers to the
// object's bytes and to the room that Splice was given.
type Spliced struct {
	Size int // bytes of the whole

	// The place of metadata in the whole object, and the parts of it that the answer set; zero if
	// it has no metadata. Set says that the answer has metadata; otherwise the object's metadata
	// stays as it is.
	Metadata, Labels, Annotations rawjson.Span
	Set                           bool

	pieces []Piece
	added  []byte // bytes that are not in the object
}

// Piece is a run of bytes, of the object or of the added bytes.
type Piece struct {
	start, end int32 // of the object; of the added bytes, as ^start, if start is negative
}

// Room provides the slices that a Spliced is appended to. Their content stays as it is.
type Room struct {
	Pieces []Piece
	Added  []byte
}

// RoomFor returns how many pieces and bytes a Spliced has at most, given the number of parts of
// object and answer, and their lengths.
func RoomFor(parts, answered, answer, apiVersion int) (pieces, added int) {
	return 2*(parts+answered) + 2, answer + apiVersion + len(",{}")*(answered+1)
}

// spliced returns an empty Spliced.
func (r *Room) spliced() Spliced {
	return Spliced{pieces: r.Pieces[len(r.Pieces):], added: r.Added[len(r.Added):]}
}

// Used returns the pieces and the bytes that were made, for who keeps account of the room.
func (s *Spliced) Used() Room { return Room{s.pieces, s.added} }

// Keep moves the pieces to the end of others, which it returns with them, so that the caller can
// reuse the room for them.
func (s *Spliced) Keep(pieces []Piece) []Piece {
	n := len(pieces)
	pieces = append(pieces, s.pieces...)
	s.pieces = pieces[n:len(pieces):len(pieces)]
	return pieces
}

// IsZero reports that there is no object.
func (s *Spliced) IsZero() bool { return s.Size == 0 }

// Append appends the bytes between two offsets of the whole object. doc is the object into which
// the answer was put.
func (s *Spliced) Append(dst, doc []byte, from, to int) []byte {
	at := 0 // where in the whole the piece begins
	for _, p := range s.pieces {
		b := s.bytes(doc, p)
		if next := at + len(b); next > from {
			if at >= to {
				break
			}
			dst = append(dst, b[max(from-at, 0):min(to-at, len(b))]...)
		}
		at += len(b)
	}
	return dst
}

// Doc appends the whole.
func (s *Spliced) Doc(dst, doc []byte) []byte { return s.Append(dst, doc, 0, s.Size) }

// One returns the bytes of a span if they are in one piece.
func (s *Spliced) One(doc []byte, span rawjson.Span) (b []byte, ok bool) {
	at := 0
	for _, p := range s.pieces {
		b := s.bytes(doc, p)
		if span.Start >= at && span.End <= at+len(b) {
			return b[span.Start-at : span.End-at : span.End-at], true
		}
		at += len(b)
	}
	return nil, false
}

func (s *Spliced) bytes(doc []byte, p Piece) []byte {
	if p.start < 0 {
		return s.added[^p.start:p.end]
	}
	return doc[p.start:p.end]
}
