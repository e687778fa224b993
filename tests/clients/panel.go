// A client with typed responses: a field whose type differs from the convention's fails to decode.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
)

type service struct {
	Service  int    `json:"service"`
	Name     string `json:"name"`
	Type     string `json:"type"`
	Category string `json:"category"`
	Rate     string `json:"rate"`
	Min      string `json:"min"`
	Max      string `json:"max"`
	Dripfeed bool   `json:"dripfeed"`
	Refill   bool   `json:"refill"`
	Cancel   bool   `json:"cancel"`
}

type status struct {
	Charge     string `json:"charge,omitempty"`
	StartCount string `json:"start_count,omitempty"`
	Status     string `json:"status,omitempty"`
	Remains    string `json:"remains,omitempty"`
	Currency   string `json:"currency,omitempty"`
	Error      string `json:"error,omitempty"`
}

func call(answer any, action string, fields ...string) {
	form := url.Values{"key": {os.Args[2]}, "action": {action}}
	for at := 0; at < len(fields); at += 2 {
		form.Set(fields[at], fields[at+1])
	}
	response, err := http.PostForm(os.Args[1], form)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		log.Fatalf("%s: %v", action, err)
	}
}

func main() {
	var first, second struct {
		Order int `json:"order"`
	}
	call(&first, "add", "service", os.Args[3], "link", "https://instagram.com/p/go", "quantity", "100")
	call(&second, "add", "service", os.Args[3], "link", "https://instagram.com/p/go2", "quantity", "100")
	id := strconv.Itoa(first.Order)
	var services []service
	call(&services, "services")
	var one status
	call(&one, "status", "order", id)
	var several map[string]status
	call(&several, "status", "orders", id+",999999999")
	var canceled []struct {
		Order  int `json:"order"`
		Cancel any `json:"cancel"`
	}
	call(&canceled, "cancel", "orders", strconv.Itoa(second.Order))
	var refill, refillStatus map[string]string
	call(&refill, "refill", "order", id)
	call(&refillStatus, "refill_status", "refill", "999999999")
	var balance struct {
		Balance  string `json:"balance"`
		Currency string `json:"currency"`
	}
	call(&balance, "balance")
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"services": len(services), "order": first.Order, "status": one, "statuses": several,
		"cancel": canceled, "refill": refill, "refillStatus": refillStatus, "balance": balance,
	})
}
