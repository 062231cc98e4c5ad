package module

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// commandUID is the uid of every review that a command gets. It is not the request's, so that equal
// conversions are equal bytes.
const commandUID = "00000000-0000-4000-8000-000000000000"

// commandDepth is the maximum nesting of a review that a program writes: three levels around
// objects as deep as API servers read. The caller checks the depth of the objects, as with other
// modules.
const commandDepth = 10_000 + 3

const (
	// leastMember is the fewest bytes that a member of an object takes: "":0 and a comma.
	leastMember = 5
	// envelopeMembers is the most members of a review that a program writes around an object; an
	// API server's has ten.
	envelopeMembers = 64
)

// commandRequest returns the review that a program reads.
func commandRequest(to string, objects [][]byte) []byte {
	b := []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"` + commandUID + `","desiredAPIVersion":`)
	b = rawjson.Quote(b, to)
	b = append(b, `,"objects":[`...)
	for i, o := range objects {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, o...)
	}
	return append(b, `]}}`...)
}

// readCommandResponse takes the converted objects out of the ConversionReview that a program wrote.
func readCommandResponse(doc []byte, count int, limit func(int) int, objects [][]byte) (converted [][]byte, refusal string, fault *FaultError) {
	var (
		s            rawjson.Scanner
		uid, status  string
		message      string
		seenResponse bool
		returned     int // of converted, which keeps no more than were asked for: a program may write 60 million
	)
	s.Reset(doc, commandDepth)
	largest := 0
	for _, o := range objects {
		largest = max(largest, limit(len(o)))
	}
	s.LimitMembers(largest/leastMember + envelopeMembers)
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		if string(m.Key) != "response" || s.Peek() != rawjson.Object {
			s.Skip()
			continue
		}
		seenResponse = true
		s.Object()
		for m, ok := s.Member(); ok; m, ok = s.Member() {
			switch key := string(m.Key); {
			case key == "uid" && s.Peek() == rawjson.String:
				_, value := s.String()
				uid = string(value)
			case key == "result" && s.Peek() == rawjson.Object:
				s.Object()
				for m, ok := s.Member(); ok; m, ok = s.Member() {
					key := string(m.Key)
					if (key != "status" && key != "message") || s.Peek() != rawjson.String {
						s.Skip()
						continue
					}
					_, value := s.String()
					if key == "status" {
						status = string(value)
					} else {
						message = foreign.Clean(value, maxRefusal)
					}
				}
			case key == "convertedObjects" && s.Peek() == rawjson.Array:
				s.Array()
				for s.Element() {
					object := s.Skip().Of(doc)
					if returned++; returned <= count {
						converted = append(converted, object)
					}
				}
			default:
				s.Skip()
			}
		}
	}
	if !s.End() {
		return nil, "", faultf(faults.ABI, "the program's stdout is not a ConversionReview: %v", s.Err())
	}
	switch {
	case !seenResponse:
		return nil, "", faultf(faults.ABI, "the ConversionReview that the program wrote has no response")
	case uid != commandUID:
		return nil, "", faultf(faults.ABI, "the program answered with response.uid %q; it was asked with %q", foreign.Clean(uid, maxRefusal), commandUID)
	case status != "Success":
		if message == "" {
			message = fmt.Sprintf("the program answered with status %q and no message", foreign.Clean(status, maxRefusal))
		}
		return nil, message, nil
	case returned != count:
		return nil, "", faultf(faults.ABI, "the program returned %d objects for %d", returned, count)
	}
	for i, o := range converted {
		if most := limit(len(objects[i])); len(o) > most {
			return nil, "", faultf(faults.Output, "the program's answer for object %d has %d bytes; %d are allowed", i, len(o), most)
		}
	}
	return converted, "", nil
}
