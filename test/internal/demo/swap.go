package demo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
)

// swap replaces the module while clients read at v2.
func (d *demo) swap(ctx context.Context) error {
	next, what, err := d.next()
	if err != nil {
		return err
	}
	d.tell.step("Replacing the module by %s, as the kubelet does in a mounted ConfigMap, while two clients read at v2", what)
	reads := d.startReads(ctx)
	took, err := d.replace(ctx, next)
	if failure := reads.end(); failure != nil {
		err = fmt.Errorf("%d reads during the swap, %d failed, the first with: %w", reads.count.Load(), reads.failed.Load(), failure)
	}
	if err != nil {
		return err
	}
	d.tell.text(fmt.Sprintf("%d reads during the swap, 0 failed. The new module served after %.1fs.", reads.count.Load(), took.Seconds()))
	return nil
}

// next returns the module to replace the first one with: the same converter in another language if
// there is one, else the same with a remark added to the binary.
func (d *demo) next() (module []byte, what string, err error) {
	for _, language := range d.plugins.Languages {
		if language == "go" {
			continue
		}
		if module, err := d.plugins.Module(language, file); err == nil {
			return module, fmt.Sprintf("the same converter in %s, %s", spoken(language), size(module)), nil
		}
	}
	if module, err = d.plugins.Module("go", file); err != nil {
		return nil, "", err
	}
	remark := "\x06remark" + "a new version" // the name and the content of a custom section, which runtimes ignore
	return append(slices.Clone(module), append([]byte{0, byte(len(remark))}, remark...)...), "another build of it", nil
}

// replace writes the module and returns how long it took until the gateway served it.
func (d *demo) replace(ctx context.Context, module []byte) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	began := time.Now()
	if err := d.mount.Write(map[string][]byte{file: module}); err != nil {
		return 0, err
	}
	digest := sha256.Sum256(module)
	_, err := d.gateway.WaitModule(ctx, file, func(m gateway.Module) bool { return m.Digest == hex.EncodeToString(digest[:]) })
	took := time.Since(began)
	if err == nil {
		time.Sleep(500 * time.Millisecond) // reads that the new module answers
	}
	return took, err
}

// reads is clients that read until they are stopped.
type reads struct {
	stop          context.CancelFunc
	running       sync.WaitGroup
	count, failed atomic.Int64
	first         atomic.Pointer[error]
}

func (d *demo) startReads(ctx context.Context) *reads {
	ctx, stop := context.WithCancel(ctx)
	r := &reads{stop: stop}
	v2 := d.server.Resource(d.crd, "v2")
	for range 2 {
		r.running.Go(func() { // until end
			for ctx.Err() == nil {
				read, err := v2.Get(context.WithoutCancel(ctx), "nightly", metav1.GetOptions{})
				if err == nil {
					err = isRight(read)
				}
				r.count.Add(1)
				if err != nil {
					r.failed.Add(1)
					r.first.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	return r
}

// isRight returns an error if the object, read at v2, is wrong.
func isRight(o *unstructured.Unstructured) error {
	if hour, _, _ := unstructured.NestedString(o.Object, "spec", "hour"); hour != "4" {
		return fmt.Errorf("spec.hour is %q", hour)
	}
	return nil
}

// end stops the clients and returns the first error of one.
func (r *reads) end() error {
	r.stop()
	r.running.Wait()
	if first := r.first.Load(); first != nil {
		return *first
	}
	return nil
}
