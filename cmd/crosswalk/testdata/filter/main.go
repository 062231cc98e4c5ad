// Command filter is a converter as people write it for hosts that run a process for each ConversionReview, with no thought of a
// gateway or of WebAssembly: it has flags, reads the environment, keeps time, logs to standard error, answers a failure in the review
// and echoes the request.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"
)

type object = map[string]any

type review struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *request  `json:"request,omitempty"`
	Response   *response `json:"response,omitempty"`
}

type request struct {
	UID               string   `json:"uid"`
	DesiredAPIVersion string   `json:"desiredAPIVersion"`
	Objects           []object `json:"objects"`
}

type response struct {
	UID              string   `json:"uid"`
	ConvertedObjects []object `json:"convertedObjects"`
	Result           result   `json:"result"`
}

type result struct {
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
}

func main() {
	verbose := flag.Bool("v", os.Getenv("FILTER_VERBOSE") != "", "say more")
	flag.Parse()
	started := time.Now()
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	var r review
	decoder := json.NewDecoder(strings.NewReader(string(in)))
	decoder.UseNumber()
	if err := decoder.Decode(&r); err != nil || r.Request == nil {
		log.Fatalf("no ConversionReview: %v", err)
	}
	r.Response = &response{UID: r.Request.UID, Result: result{Status: "Success"}}
	for _, o := range r.Request.Objects {
		if err := convert(o, r.Request.DesiredAPIVersion); err != nil {
			r.Response.ConvertedObjects, r.Response.Result = nil, result{"Failed", err.Error()}
			break
		}
		r.Response.ConvertedObjects = append(r.Response.ConvertedObjects, o)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(r); err != nil {
		log.Fatal(err)
	}
	if *verbose {
		log.Printf("%d objects in %v", len(r.Request.Objects), time.Since(started))
	}
}

// convert has hostPort in v1beta1 and host and port in v1.
func convert(o object, desired string) error {
	switch desired {
	case "example.com/v1":
		if s, ok := o["hostPort"].(string); ok {
			host, port, ok := strings.Cut(s, ":")
			if !ok {
				return fmt.Errorf("hostPort %q has no port", s)
			}
			o["host"], o["port"] = host, port
		}
		delete(o, "hostPort")
	case "example.com/v1beta1":
		if host, ok := o["host"].(string); ok {
			o["hostPort"] = fmt.Sprint(host, ":", o["port"])
		}
		delete(o, "host")
		delete(o, "port")
	default:
		return fmt.Errorf("unknown version %s", desired)
	}
	o["apiVersion"] = desired
	return nil
}
