package serve

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/fair"
)

// retryPause is the time after which an API server repeats a review that got 429 or 503. The queue
// in front of a review empties faster than that, and ten repeats fit into the API server's 30 s.
const retryPause = time.Second

// rejection is an answer other than a ConversionReview: a request that is not a review, or that the
// server does not take now.
type rejection struct {
	status  int // of HTTP
	message string
}

// check rejects a request whose headers cannot belong to a review. It reports the most fundamental
// error first. Any path may have reviews: a review names its kind, and operators choose their paths.
func check(r *http.Request) *rejection {
	if r.Method != http.MethodPost {
		return &rejection{http.StatusMethodNotAllowed, "conversion reviews are sent with POST"}
	}
	if kind := r.Header.Get("Content-Type"); kind != "application/json" {
		if parsed, _, err := mime.ParseMediaType(kind); err != nil || parsed != "application/json" {
			return &rejection{http.StatusUnsupportedMediaType, fmt.Sprintf("the body's Content-Type is %.64q: send application/json", kind)}
		}
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return &rejection{http.StatusUnsupportedMediaType, fmt.Sprintf("the body's Content-Encoding is %.64q: send it without one", coding)}
	}
	return nil
}

func bodyError(err error, cfg *ServerConfig) *rejection {
	switch {
	case errors.Is(err, errBodyTooLarge):
		return &rejection{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes (--max-body-bytes)", cfg.MaxBodyBytes)}
	case errors.Is(err, fair.ErrFull), errors.Is(err, fair.ErrWait):
		return overloaded(err, "request bodies")
	case errors.Is(err, errStalled), errors.Is(err, os.ErrDeadlineExceeded):
		return &rejection{http.StatusBadRequest, fmt.Sprintf("the body arrives too slowly: all of it may take %v, and each MiB %v", cfg.ReadTimeout, cfg.StallTimeout)}
	default:
		return &rejection{http.StatusBadRequest, "reading the body: " + err.Error()}
	}
}

func overloaded(err error, what string) *rejection {
	return &rejection{http.StatusTooManyRequests, "too many " + what + " at once: " + err.Error()}
}
