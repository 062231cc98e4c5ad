package attach

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// evil sets a terminal's title and clears it, in one-byte and two-byte control characters.
const evil = "EVIL\x1b]0;t\a\u009b2J"

// shows fails if a text is long, or can control a terminal.
func shows(t *testing.T, text string) {
	t.Helper()
	if len(text) > maxText+100 { // the words before it
		t.Errorf("it shows %d bytes: %.200q", len(text), text)
	}
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			t.Errorf("it shows %U: %.200q", r, text)
			return
		}
	}
}

// forever writes a text until that fails.
func forever(w io.Writer, text string) {
	for _, err := io.WriteString(w, text); err == nil; _, err = io.WriteString(w, text) {
	}
}

// raw writes bytes in the place of an HTTP response.
func raw(t *testing.T, w http.ResponseWriter, write func(net.Conn)) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	write(conn)
}

// TestHostileWebhookT9 has a webhook answer in ways that no gateway does. Each ends with an error that
// is short and clean.
func TestHostileWebhookT9(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	review := func(uid, rest string) string {
		return `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"` + uid + `",` + rest + `}}`
	}
	long := strings.Repeat("x", 1<<20)
	for _, tc := range []struct {
		name, want string
		answer     func(w http.ResponseWriter, r *http.Request, uid string)
	}{
		{"a status line without end", "headers exceeded", func(w http.ResponseWriter, _ *http.Request, _ string) {
			raw(t, w, func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 "); forever(c, evil) })
		}},
		{"a long status line of something else", "malformed HTTP response", func(w http.ResponseWriter, _ *http.Request, _ string) {
			raw(t, w, func(c net.Conn) { _, _ = io.WriteString(c, strings.Repeat(evil, 2000)+"\r\n\r\n") })
		}},
		{"a reason", "HTTP status 500: \n", func(w http.ResponseWriter, _ *http.Request, _ string) {
			raw(t, w, func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 500 "+evil+"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			})
		}},
		{"headers without end", "headers exceeded", func(w http.ResponseWriter, _ *http.Request, _ string) {
			raw(t, w, func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n"); forever(c, "A: b\r\n") })
		}},
		{"a redirection", "HTTP status 302: ", func(w http.ResponseWriter, r *http.Request, _ string) {
			http.Redirect(w, r, other.URL, http.StatusFound)
		}},
		{"a redirection to a long URL that is none", "failed to parse Location header", func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Location", "http://["+long[:30<<10])
			w.WriteHeader(http.StatusTemporaryRedirect)
		}},
		{"an error page", "HTTP status 500: EVIL]0;t2J", func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, strings.Repeat(evil, 10_000))
		}},
		{"a body without end", "the answer has more than 16777216 bytes", func(w http.ResponseWriter, _ *http.Request, _ string) {
			forever(w, long)
		}},
		{"a body that never goes on", "deadline exceeded", func(w http.ResponseWriter, r *http.Request, _ string) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		}},
		{"a number of a million digits", "the answer is not a ConversionReview: ", func(w http.ResponseWriter, _ *http.Request, _ string) {
			_, _ = io.WriteString(w, `{"response":{"result":{"code":`+strings.Repeat("1", 1<<20)+`}}}`)
		}},
		{"another kind", "the answer is a ", func(w http.ResponseWriter, _ *http.Request, _ string) {
			_ = json.NewEncoder(w).Encode(map[string]string{"kind": evil + long, "apiVersion": evil})
		}},
		{"objects in the place of a list", "convertedObjects is not a list", func(w http.ResponseWriter, _ *http.Request, uid string) {
			_, _ = io.WriteString(w, review(uid, `"convertedObjects":{},"result":{"status":"Success"}`))
		}},
		{"no objects", "the answer has no object", func(w http.ResponseWriter, _ *http.Request, uid string) {
			_, _ = io.WriteString(w, review(uid, `"convertedObjects":null,"result":{"status":"Success"}`))
		}},
		{"millions of objects", "the answer has several objects", func(w http.ResponseWriter, _ *http.Request, uid string) {
			_, _ = io.WriteString(w, review(uid, `"convertedObjects":[0`+strings.Repeat(",0", 4<<20)+`],"result":{"status":"Success"}`))
		}},
		{"an object without a kind", "the answer's object cannot be read: ", func(w http.ResponseWriter, _ *http.Request, uid string) {
			_, _ = io.WriteString(w, review(uid, `"convertedObjects":[{"a":"\u009b`+long+`"}],"result":{"status":"Success"}`))
		}},
		{"another object", "is another one or has the wrong apiVersion", func(w http.ResponseWriter, _ *http.Request, uid string) {
			_, _ = io.WriteString(w, review(uid, `"convertedObjects":[{"kind":"K","apiVersion":"\u009b`+long+`"}],"result":{"status":"Success"}`))
		}},
		{"a long message", "EVIL]0;t2J", func(w http.ResponseWriter, _ *http.Request, uid string) {
			message, _ := json.Marshal(strings.Repeat(evil, 10_000))
			_, _ = io.WriteString(w, review(uid, `"result":{"status":"Failure","message":`+string(message)+`}`))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var asked struct{ Request struct{ UID string } }
				if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
					t.Error(err)
				}
				tc.answer(w, r, asked.Request.UID)
			}))
			defer server.Close()
			url := "https://example.com/convert" // a name in the server's certificate
			client := &apiextensions.WebhookClientConfig{URL: &url, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})}
			e := endpoint{"server", func(ctx context.Context) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
			}}
			var checks Checks
			p := newProbe(t.Context(), e, client, "v1", &checks)
			if p == nil {
				t.Fatalf("%+v", checks)
			}
			defer p.close()
			ctx := t.Context()
			if tc.want == "deadline exceeded" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Second) // ends it; another limit is the minute of the package
				defer cancel()
			}
			object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "g/v1", "kind": "K"}}
			_, err := p.convert(ctx, object, "g/v2")
			if err == nil || !strings.Contains(err.Error()+"\n", tc.want) {
				t.Fatalf("%.500v, want %q", err, tc.want)
			}
			shows(t, err.Error())
			if tc.want == "deadline exceeded" && !errors.Is(err, context.DeadlineExceeded) {
				t.Error("callers cannot tell that the time was up")
			}
		})
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d requests went where the webhook wanted", n)
	}
}

// TestHostileCertificatesT9: names in certificates, and messages about them, are short and clean.
func TestHostileCertificatesT9(t *testing.T) {
	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprint(evil, i)
	}
	certificate := &x509.Certificate{DNSNames: many, Issuer: pkix.Name{CommonName: strings.Repeat(evil, 1000)}, Raw: []byte("x")}
	for _, err := range []error{
		x509.HostnameError{Certificate: certificate, Host: "h"},
		x509.UnknownAuthorityError{Cert: certificate},
		x509.CertificateInvalidError{Cert: certificate, Reason: x509.CANotAuthorizedForThisName, Detail: strings.Repeat(evil, 10_000)},
		errors.New(strings.Repeat(evil, 10_000)),
	} {
		text, _ := explainTLS(err, "h")
		shows(t, text)
	}
}

// TestTestOfSlowWebhookEnds: a test ends with its time, after the conversion that it ended, not after
// one failure for each pair of versions.
func TestTestOfSlowWebhookEnds(t *testing.T) {
	crd := &apiextensions.CustomResourceDefinition{}
	for _, v := range []string{"v1", "v2", "v3", "v4"} {
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensions.CustomResourceDefinitionVersion{Name: v, Served: true})
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer server.Close()
	url := "https://example.com/convert"
	client := &apiextensions.WebhookClientConfig{URL: &url, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})}
	var checks Checks
	p := newProbe(t.Context(), endpoint{"server", dialer("127.0.0.1", int32(server.Listener.Addr().(*net.TCPAddr).Port))}, client, "v1", &checks)
	if p == nil {
		t.Fatalf("%+v", checks)
	}
	defer p.close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	p.pairs(ctx, "server", crd, nil, &checks)
	if failed := checks.Failures(); len(failed) != 1 || !strings.Contains(failed[0].Text, "deadline exceeded") {
		t.Errorf("%d failures: %+v", len(failed), failed)
	}
}
