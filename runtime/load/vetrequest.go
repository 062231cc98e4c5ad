package load

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// vetRequest goes to the child as four bytes of length, JSON, and then the module's file.
type vetRequest struct {
	Name    string
	Limits  module.Limits
	Sidecar *vetSidecar // nil if there is none
	Memory  int         // limit of the child's memory, in bytes
	Handed  bool        // whether descriptor 3 is a file for the compiled code
}

type vetSidecar struct {
	Name    string
	Content []byte
}

func readVetRequest(in io.Reader) (request vetRequest, content []byte, err error) {
	var n [4]byte
	if _, err := io.ReadFull(in, n[:]); err != nil {
		return request, nil, fmt.Errorf("reading the request: %w", err)
	}
	header := make([]byte, binary.LittleEndian.Uint32(n[:]))
	if _, err := io.ReadFull(in, header); err != nil {
		return request, nil, fmt.Errorf("reading the request: %w", err)
	}
	if err := json.Unmarshal(header, &request); err != nil {
		return request, nil, fmt.Errorf("reading the request: %w", err)
	}
	if content, err = io.ReadAll(in); err != nil {
		return request, nil, fmt.Errorf("reading the module: %w", err)
	}
	return request, content, nil
}
