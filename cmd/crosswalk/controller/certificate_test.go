package main

import (
	"bytes"
	"crypto/x509"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
)

// verifies reports whether a client that trusts the bundle accepts the certificate.
func verifies(t *testing.T, p *pair, bundle []byte, name string, now time.Time) bool {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(bundle)
	leaf := p.leaf(certificateKey)
	if leaf == nil {
		t.Fatal("no certificate")
	}
	_, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name, CurrentTime: now})
	return err == nil
}

// TestRenewalOverlaps goes through a year: at every moment, a client with the present or the
// previous bundle accepts the present and the previous certificate.
func TestRenewalOverlaps(t *testing.T) {
	const name = "crosswalk.gateways.svc"
	p := &pair{secret: &core.Secret{Data: map[string][]byte{}}, names: []string{name}}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	end := now.AddDate(1, 0, 0)
	renewals := 0
	for ; now.Before(end); now = now.Add(6 * time.Hour) {
		for {
			previous := map[string][]byte{}
			for key, value := range p.secret.Data {
				previous[key] = bytes.Clone(value)
			}
			changed, err := p.step(now, true)
			if err != nil {
				t.Fatal(err)
			}
			if !changed {
				break
			}
			if len(previous) > 0 && !bytes.Equal(previous[certificateKey], p.secret.Data[certificateKey]) {
				renewals++
				if !verifies(t, p, previous[caKey], name, now) {
					t.Fatalf("%s: a definition that is not updated yet rejects the new certificate", now)
				}
			}
			if len(previous) > 0 {
				old := &pair{secret: &core.Secret{Data: previous}, names: p.names}
				if !verifies(t, old, p.secret.Data[caKey], name, now) {
					t.Fatalf("%s: an updated definition rejects the certificate that is in use", now)
				}
			}
			if p.secret.Annotations[sinceAnnotation] == now.Format(time.RFC3339) {
				break // the next stage has to wait
			}
		}
		if !verifies(t, p, p.secret.Data[caKey], name, now) {
			t.Fatalf("%s: the certificate is not valid", now)
		}
	}
	if renewals < 4 {
		t.Errorf("%d renewals in a year", renewals)
	}
	if n := bytes.Count(p.secret.Data[caKey], []byte("BEGIN")); n > 2 {
		t.Errorf("%d CAs are trusted", n)
	}
}

// TestNextPairWaitsForTrust: a pair is not used while a definition does not trust it.
func TestNextPairWaitsForTrust(t *testing.T) {
	p := &pair{secret: &core.Secret{Data: map[string][]byte{}}, names: []string{"a.b.svc"}}
	now := time.Now()
	if changed, err := p.step(now, false); err != nil || !changed {
		t.Fatal(changed, err)
	}
	used := bytes.Clone(p.secret.Data[certificateKey])
	p.names = []string{"c.b.svc"} // the Service has another name
	for range 10 {
		now = now.Add(time.Hour)
		if _, err := p.step(now, false); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(p.secret.Data[certificateKey], used) || p.secret.Data[nextCertificateKey] == nil {
		t.Error("the next pair is missing, or in use without trust")
	}
	for range 3 {
		now = now.Add(time.Hour)
		if _, err := p.step(now, true); err != nil {
			t.Fatal(err)
		}
	}
	if leaf := p.leaf(certificateKey); leaf.VerifyHostname("c.b.svc") != nil {
		t.Error("the next pair is not in use")
	}
}

// TestNextPairIsUsedBeforeExpiry: a definition that never trusts the next pair, because it cannot
// be read, does not make the certificate expire for all others.
func TestNextPairIsUsedBeforeExpiry(t *testing.T) {
	p := &pair{secret: &core.Secret{Data: map[string][]byte{}}, names: []string{"a.b.svc"}}
	now := time.Now()
	if _, err := p.step(now, false); err != nil {
		t.Fatal(err)
	}
	first, bundle := bytes.Clone(p.secret.Data[certificateKey]), bytes.Clone(p.secret.Data[caKey])
	for end := now.Add(2 * lifetime); now.Before(end); now = now.Add(6 * time.Hour) {
		if !verifies(t, p, bundle, "a.b.svc", now) {
			t.Fatalf("%s: a definition with the bundle of %s before rejects the certificate", now, 6*time.Hour)
		}
		bundle = bytes.Clone(p.secret.Data[caKey])
		if _, err := p.step(now, false); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p.secret.Data[certificateKey], first) && now.Before(end.Add(-lifetime-forceBefore)) {
			t.Fatalf("%s: the next pair is used without trust and without need", now)
		}
	}
}

// TestCertificateOfAClockThatIsAhead: a certificate that was issued while this clock was a day ahead
// serves when the clock is right again.
func TestCertificateOfAClockThatIsAhead(t *testing.T) {
	p := &pair{secret: &core.Secret{Data: map[string][]byte{}}, names: []string{"a.b.svc"}}
	now := time.Now()
	if _, err := p.step(now.Add(24*time.Hour), false); err != nil {
		t.Fatal(err)
	}
	if !verifies(t, p, p.secret.Data[caKey], "a.b.svc", now) {
		t.Error("API servers refuse the certificate")
	}
}

// TestStagesIgnoreTheWallClock: a clock that is set by a day neither ends a stage before its time nor
// keeps it from ending. The keeper measures it from when it found the stage.
func TestStagesIgnoreTheWallClock(t *testing.T) {
	now := time.Now()
	for _, tc := range []struct {
		name  string
		since time.Time // as the clock was then
		began time.Time
		want  bool
	}{
		{"the clock was set to a day later", now.Add(-24 * time.Hour), now.Add(-time.Second), false},
		{"the clock was set to a day earlier", now.Add(24 * time.Hour), now.Add(-2 * retireTime), true},
	} {
		p := &pair{secret: &core.Secret{Data: map[string][]byte{}}, names: []string{"a.b.svc"}}
		for range 2 { // the second is the next pair, for another name
			if _, err := p.step(now, true); err != nil {
				t.Fatal(err)
			}
			p.names = []string{"c.b.svc"}
		}
		for _, stage := range []string{"the trust in the next pair", "the use of the next pair"} {
			p.secret.Annotations = map[string]string{sinceAnnotation: tc.since.UTC().Format(time.RFC3339)}
			p.began = tc.began
			if changed, err := p.step(now, true); err != nil || changed != tc.want {
				t.Errorf("%s: %s ended: %v, want %v; error %v", tc.name, stage, changed, tc.want, err)
			}
		}
	}
	w := newWorld(t, nil)
	w.secret, w.service = "tls", "gateway"
	var began []time.Time
	for range 3 { // the first makes the Secret, and the second finds it
		p, err := w.readPair(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		began = append(began, p.began)
	}
	if began[1] != began[2] || began[1] == began[1].Round(0) { // which removes the monotonic reading
		t.Errorf("the keeper found the stage at %v, and then at %v", began[1], began[2])
	}
}

// TestReadingKeepsTheStage: the Secret is read often while definitions learn to trust the next pair.
// A read that began that stage anew would delay the renewal until the certificate expires.
func TestReadingKeepsTheStage(t *testing.T) {
	w := newWorld(t, nil)
	w.secret, w.service = "tls", "gateway"
	p, err := w.readPair(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.secret.Data[nextCertificateKey], p.secret.Data[nextPrivateKey] = p.secret.Data[certificateKey], p.secret.Data[privateKey]
	const since = "2026-01-01T00:00:00Z"
	p.secret.Annotations[sinceAnnotation] = since
	if err := w.client.Update(t.Context(), p.secret); err != nil {
		t.Fatal(err)
	}
	if p, err = w.readPair(t.Context()); err != nil || p.secret.Annotations[sinceAnnotation] != since {
		t.Errorf("the stage began at %q, and a read made it %q; error %v", since, p.secret.Annotations[sinceAnnotation], err)
	}
}

// TestStages goes through the stages of a pair at the ends of their times.
func TestStages(t *testing.T) {
	p := &pair{secret: &core.Secret{Data: map[string][]byte{}}, names: []string{"a.b.svc"}}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	step := func(after time.Duration, trusted, want bool, what string) {
		t.Helper()
		now = now.Add(after)
		if changed, err := p.step(now, trusted); err != nil || changed != want {
			t.Errorf("%s: changed %v, want %v, error %v", what, changed, want, err)
		}
	}
	cas := func() int { return bytes.Count(p.secret.Data[caKey], []byte("BEGIN")) }

	step(0, false, true, "without a certificate")
	first := bytes.Clone(p.secret.Data[certificateKey])
	step(lifetime-renewBefore, true, false, "before the renewal")
	step(time.Second, true, true, "at the renewal")
	if p.secret.Data[nextCertificateKey] == nil || cas() != 2 {
		t.Errorf("at the renewal, %d CAs are trusted", cas())
	}
	step(time.Minute, false, false, "while a definition does not trust the next pair")
	step(time.Minute, true, true, "when all trust it")
	step(trustTime-time.Second, true, false, "before the end of the time to trust it")
	step(0, false, true, "when one does not trust it any more")
	step(trustTime, false, false, "as long as that is so")
	step(0, true, true, "when all trust it again")
	step(trustTime-time.Second, true, false, "before the end of the time that began anew")
	if !bytes.Equal(p.secret.Data[certificateKey], first) {
		t.Fatal("the next pair is used before its time")
	}
	step(time.Second, true, true, "at the end of that time")
	if bytes.Equal(p.secret.Data[certificateKey], first) || p.secret.Data[nextCertificateKey] != nil || cas() != 2 {
		t.Fatalf("the next pair is not used, or %d CAs are trusted", cas())
	}
	step(retireTime, true, false, "while kubelets deliver the Secret")
	step(time.Second, true, true, "after that")
	if cas() != 1 || !verifies(t, p, p.secret.Data[caKey], "a.b.svc", now) {
		t.Errorf("in the end, %d CAs are trusted", cas())
	}
	step(0, true, false, "with one pair")
	p.names = []string{"c.b.svc"}
	step(0, true, true, "when the Service has another name")
	step(lifetime+time.Second, true, true, "with an expired certificate")
	if p.secret.Data[nextCertificateKey] != nil || cas() != 1 || !verifies(t, p, p.secret.Data[caKey], "c.b.svc", now) {
		t.Errorf("an expired certificate is not replaced at once, or %d CAs are trusted", cas())
	}
}
