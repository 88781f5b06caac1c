// The rival and the load of bench/webhook: a webhook that says 429 without looking, and people who keep so many evictions in flight.
package main

import (
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
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("serve <certificate> <key>, or load <pods' url> <authority> <token> <names> <in flight> <requests>"))
	}
	switch os.Args[1] {
	case "serve":
		serve(os.Args[2], os.Args[3])
	case "load":
		load(os.Args[2], read(os.Args[3]), read(os.Args[4]), read(os.Args[5]), number(os.Args[6]), number(os.Args[7]))
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
			"response": map[string]any{
				"uid":     asked.Request.UID,
				"allowed": false,
				"status":  map[string]any{"status": "Failure", "code": 429, "reason": "TooManyRequests", "message": "it stays"},
			},
		})
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	fail(http.ServeTLS(listener, nil, certificate, key))
}

// People who evict pods that may not go, each over a connection that is kept.
func load(url string, authority, token, names []byte, inFlight, requests int) {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	pods := strings.Fields(string(names))
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: pool, NextProtos: []string{"http/1.1"}},
		MaxIdleConnsPerHost: inFlight,
		MaxConnsPerHost:     inFlight,
	}}
	evict := func(pod string) {
		body := fmt.Sprintf(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":%q}}`, pod)
		request, err := http.NewRequest(http.MethodPost, url+pod+"/eviction", strings.NewReader(body))
		fail(err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		answer, err := client.Do(request)
		fail(err)
		text, err := io.ReadAll(answer.Body)
		fail(err)
		answer.Body.Close()
		if answer.StatusCode != http.StatusTooManyRequests {
			fail(fmt.Errorf("status %d: %s", answer.StatusCode, text))
		}
	}
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
				evict(pods[index%len(pods)])
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

func read(file string) []byte {
	text, err := os.ReadFile(file)
	fail(err)
	return text
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
