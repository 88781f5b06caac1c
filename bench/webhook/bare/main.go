// The rival and the load of bench/webhook: a webhook that allows everything without looking, and a client that keeps so many requests in flight.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("serve <certificate> <key>, or load <url> <authority> <bodies> <in flight> <requests>"))
	}
	switch os.Args[1] {
	case "serve":
		serve(os.Args[2], os.Args[3])
	case "load":
		load(os.Args[2], os.Args[3], os.Args[4], number(os.Args[5]), number(os.Args[6]))
	}
}

type review struct {
	Request struct {
		UID string `json:"uid"`
	} `json:"request"`
}

// The least that a webhook can do: the uid has to be in the answer.
func serve(certificate, key string) {
	http.HandleFunc("/evict", func(w http.ResponseWriter, r *http.Request) {
		var asked review
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{
			"apiVersion": "admission.k8s.io/v1",
			"kind":       "AdmissionReview",
			"response":   map[string]any{"uid": asked.Request.UID, "allowed": true},
		})
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	fail(http.ServeTLS(listener, nil, certificate, key))
}

// As the API server asks: HTTP/1.1 over TLS, and connections that are kept.
func load(url, authority, bodies string, inFlight, requests int) {
	pem, err := os.ReadFile(authority)
	fail(err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	text, err := os.ReadFile(bodies)
	fail(err)
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: pool, NextProtos: []string{"http/1.1"}},
		MaxIdleConnsPerHost: inFlight,
		MaxConnsPerHost:     inFlight,
	}}
	times := make([]float64, requests)
	var next atomic.Int64
	var all sync.WaitGroup
	started := time.Now()
	for range inFlight {
		all.Add(1)
		go func() {
			defer all.Done()
			for index := int(next.Add(1)) - 1; index < requests; index = int(next.Add(1)) - 1 {
				begun := time.Now()
				answer, err := client.Post(url, "application/json", bytes.NewReader(lines[index%len(lines)]))
				fail(err)
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				if answer.StatusCode != http.StatusOK {
					fail(fmt.Errorf("status %d", answer.StatusCode))
				}
				times[index] = float64(time.Since(begun).Microseconds()) / 1000
			}
		}()
	}
	all.Wait()
	took := time.Since(started).Seconds()
	sort.Float64s(times)
	fail(json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"perSecond": float64(requests) / took,
		"p50":       times[requests/2],
		"p99":       times[requests*99/100],
	}))
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	fail(err)
	return value
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
