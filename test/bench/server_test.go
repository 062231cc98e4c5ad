package bench

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
	"github.com/crosswalk-gateway/crosswalk/test/internal/judge"
)

// serveVariable makes the test binary a server: it names the handler. The certificate's files are
// in the other two.
const (
	serveVariable       = "CROSSWALK_BENCH_SERVE"
	certificateVariable = "CROSSWALK_BENCH_CERTIFICATE"
	keyVariable         = "CROSSWALK_BENCH_KEY"
)

// serveHandler serves a handler over TLS on a free port, which it prints, until its standard input
// ends, which happens when its parent ends.
func serveHandler(name string) error {
	handlers := map[string]func() http.Handler{"B1": typedHandler, "B2": mapsHandler, "echo": echoHandler}
	handler, ok := handlers[name]
	if !ok {
		return fmt.Errorf("%s: there is no handler %q", serveVariable, name)
	}
	pair, err := tls.LoadX509KeyPair(os.Getenv(certificateVariable), os.Getenv(keyVariable))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	server := &http.Server{Handler: handler(), TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}}
	go func() { // ends with its parent
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	// API servers use HTTP/1.1 for Services, and the gateway offers nothing else.
	if err := server.Serve(tls.NewListener(listener, server.TLSConfig)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// echoHandler is the floor: it reads a review and writes an answer, and does nothing between but to
// put the review's uid into an answer that it has from before. It knows a review again by the hash
// of all that comes after the uid.
func echoHandler() http.Handler {
	type answer struct{ head, tail []byte } // around the uid
	var answers sync.Map                    // hash → *answer
	seed := maphash.MakeSeed()
	var spare sync.Pool // of *bytes.Buffer
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buffer, _ := spare.Get().(*bytes.Buffer)
		if buffer == nil {
			buffer = &bytes.Buffer{}
		}
		defer spare.Put(buffer)
		buffer.Reset()
		if _, err := buffer.ReadFrom(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, uid, rest, ok := cutUID(buffer.Bytes(), `"request":{"uid":"`)
		if !ok {
			http.Error(w, "the request has no uid where API servers put it", http.StatusBadRequest)
			return
		}
		hash := maphash.Bytes(seed, rest)
		found, ok := answers.Load(hash)
		if !ok {
			text, err := ofHandler("B2", mapsHandler()).review(buffer.Bytes())
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			head, _, tail, _ := cutUID(text, `"response":{"uid":"`)
			found = &answer{bytes.Clone(head), bytes.Clone(tail)}
			answers.Store(hash, found)
		}
		known := found.(*answer)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(known.head)+len(uid)+len(known.tail)))
		for _, part := range [][]byte{known.head, uid, known.tail} {
			_, _ = w.Write(part) // the client has gone
		}
	})
}

// cutUID cuts a review around the uid that follows a text.
func cutUID(review []byte, opening string) (head, uid, tail []byte, ok bool) {
	at := bytes.Index(review, []byte(opening))
	if at < 0 {
		return nil, nil, nil, false
	}
	at += len(opening)
	length := bytes.IndexByte(review[at:], '"')
	if length < 0 {
		return nil, nil, nil, false
	}
	return review[:at], review[at : at+length], review[at+length:], true
}

// startServer starts the test binary as a server. It ends with the benchmark.
func startServer(tb testing.TB, name string, authority *certs.Authority) (address string, pid int) {
	tb.Helper()
	certificate, key, err := authority.WriteFiles(tb.TempDir(), judge.ServiceHost, "127.0.0.1")
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(os.Environ(), serveVariable+"="+name, certificateVariable+"="+certificate, keyVariable+"="+key)
	command.Stderr, command.WaitDelay = os.Stderr, 10*time.Second
	stdin, err := command.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := command.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = stdin.Close() // tells it to end
		time.AfterFunc(10*time.Second, cancel)
		if err := command.Wait(); err != nil {
			tb.Errorf("the server %s: %v", name, err)
		}
		cancel()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		tb.Fatalf("the server %s did not say where it listens: %v", name, err)
	}
	return strings.TrimSpace(line), command.Process.Pid
}
