/** Languages of the samples that verify a webhook. `curl` sends one instead. */
export const WEBHOOK_LANGUAGE_NAMES = {
  curl: "curl",
  javascript: "Node.js",
  python: "Python",
  php: "PHP",
  go: "Go",
} as const;
export type WebhookLanguage = keyof typeof WEBHOOK_LANGUAGE_NAMES;
export const WEBHOOK_LANGUAGES = Object.keys(WEBHOOK_LANGUAGE_NAMES) as WebhookLanguage[];

/** Whole programs without dependencies: a test runs each of them and sends it signed deliveries. */
export const WEBHOOK_SAMPLES: Record<WebhookLanguage, string> = {
  curl: `# Sends your endpoint an event as we would, signed with your secret.
URL="\${URL:-http://localhost:3000/}"
BODY='{"type":"order.completed","timestamp":"2026-11-22T10:15:00.000Z","data":{"order":23501}}'
ID="msg_$(openssl rand -hex 16)"
TIME="$(date +%s)"
KEY="$(printf %s "\${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')"
SIGNATURE="$(printf %s "$ID.$TIME.$BODY" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)"

curl --fail-with-body "$URL" \\
  -H "Content-Type: application/json" \\
  -H "webhook-id: $ID" \\
  -H "webhook-timestamp: $TIME" \\
  -H "webhook-signature: v1,$SIGNATURE" \\
  --data-raw "$BODY"`,
  javascript: `// node webhook.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace("whsec_", ""), "base64");

function isSigned(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false;
  const wanted = Buffer.from("v1," + createHmac("sha256", key).update(id + "." + time + ".").update(body).digest("base64"));
  // During a rotation there are two, separated by a space.
  return signatures.split(" ").some((one) => one.length === wanted.length && timingSafeEqual(Buffer.from(one), wanted));
}

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts); // As received: parsing and writing it again changes its bytes.
  if (!isSigned(request.headers, body)) return response.writeHead(401).end();
  const event = JSON.parse(body);
  console.log(request.headers["webhook-id"], event.type, event.data);
  response.writeHead(204).end();
}).listen(process.env.PORT ?? 3000);`,
  python: `# python3 webhook.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))


def is_signed(headers, body):
    message_id, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) > 300:
        return False
    signed = f"{message_id}.{sent}.".encode() + body
    wanted = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    # During a rotation there are two, separated by a space.
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(one, wanted) for one in given)


class Webhook(BaseHTTPRequestHandler):
    def do_POST(self):
        # As received: parsing and writing it again changes its bytes.
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if is_signed(self.headers, body):
            event = json.loads(body)
            print(self.headers["webhook-id"], event["type"], event["data"])
            self.send_response(204)
        else:
            self.send_response(401)
        self.end_headers()


HTTPServer(("", int(os.environ.get("PORT", 3000))), Webhook).serve_forever()`,
  php: `<?php // php -S localhost:3000 webhook.php
function isSigned(string $body): bool {
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!preg_match('/^\\d+$/D', $time) || abs(time() - (int) $time) > 300) return false;
    $key = base64_decode(str_replace('whsec_', '', getenv('WEBHOOK_SECRET')));
    $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    // During a rotation there are two, separated by a space.
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $one) {
        if (hash_equals($wanted, $one)) return true;
    }
    return false;
}

$body = file_get_contents('php://input'); // As received: parsing and writing it again changes its bytes.
http_response_code(401);
if (!isSigned($body)) exit;
$event = json_decode($body, true);
error_log($_SERVER['HTTP_WEBHOOK_ID'] . ' ' . $event['type'] . ' ' . json_encode($event['data']));
http_response_code(204);`,
  go: `// go run webhook.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func isSigned(header http.Header, body []byte) bool {
	id, sent := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(sent, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + sent + "."))
	mac.Write(body)
	wanted := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// During a rotation there are two, separated by a space.
	for _, one := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(one), []byte(wanted)) {
			return true
		}
	}
	return false
}

func main() {
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		// As received: parsing and writing it again changes its bytes.
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
		if err != nil || !isSigned(request.Header, body) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event struct {
			Type string
			Data map[string]any
		}
		if json.Unmarshal(body, &event) == nil {
			log.Println(request.Header.Get("webhook-id"), event.Type, event.Data)
		}
		response.WriteHeader(http.StatusNoContent)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	log.Fatal(http.ListenAndServe(":"+port, nil))
}`,
};
