package attach

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestPages reads ten objects in pages of four. The versions cannot show a page with one of their bad objects,
// as an API server whose webhook refuses one.
func TestPages(t *testing.T) {
	for _, c := range []struct {
		name    string
		effort  effort
		bad     [][]int // by version
		expires bool    // the first token
		want    int     // objects before the error, if there is one
		failed  bool
	}{
		{name: "all convert", effort: once, bad: [][]int{nil}, want: 10},
		{name: "one does not", effort: once, bad: [][]int{{5}}, want: 4, failed: true},
		{name: "one does not, and is halved to", effort: halving, bad: [][]int{{5}}, want: 5, failed: true},
		{name: "another version shows it", effort: once, bad: [][]int{{5, 9}, {9}}, want: 8, failed: true},
		{name: "the versions show all", effort: halving, bad: [][]int{{5, 6}, {4, 7}}, want: 10},
		{name: "the token expires", effort: once, bad: [][]int{nil}, expires: true, want: 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &pages[*metav1.PartialObjectMetadataList]{limit: 4, effort: c.effort}
			for _, bad := range c.bad {
				l.at = append(l.at, func(_ context.Context, o metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
					if c.expires && o.Continue == "4" {
						err := apierrors.NewResourceExpired("too old")
						err.ErrStatus.Continue = "again 4"
						return nil, err
					}
					from := 0
					if o.Continue != "" {
						_, err := fmt.Sscanf(o.Continue, "again %d", &from)
						if err != nil {
							from, _ = strconv.Atoi(o.Continue)
						}
					}
					page := &metav1.PartialObjectMetadataList{}
					for i := from; i < min(10, from+int(o.Limit)); i++ {
						if slices.Contains(bad, i) {
							return nil, apierrors.NewInternalError(fmt.Errorf("object %d does not convert", i))
						}
						page.Items = append(page.Items, metav1.PartialObjectMetadata{})
					}
					if next := from + len(page.Items); next < 10 {
						page.Continue = strconv.Itoa(next)
					}
					return page, nil
				})
			}
			got, failed := 0, false
			for page, err := range l.all(t.Context()) {
				if failed = err != nil; !failed {
					got += len(page.Items)
				}
			}
			if got != c.want || failed != c.failed {
				t.Errorf("%d objects, failed: %v; want %d, %v", got, failed, c.want, c.failed)
			}
		})
	}
}
