"""A client that posts JSON, as resellers' scripts do."""

import json
import sys
import urllib.request

url, key, service = sys.argv[1], sys.argv[2], int(sys.argv[3])


def call(action, **fields):
    body = json.dumps({"key": key, "action": action, **fields}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


first = call("add", service=service, link="https://instagram.com/p/python", quantity=100)
second = call("add", service=service, link="https://instagram.com/p/python2", quantity="100", runs=None)
print(
    json.dumps(
        {
            "services": len(call("services")),
            "order": first["order"],
            "status": call("status", order=first["order"]),
            "statuses": call("status", orders=f"{first['order']},999999999"),
            "cancel": call("cancel", orders=str(second["order"])),
            "refill": call("refill", order=first["order"]),
            "refillStatus": call("refill_status", refill=999999999),
            "balance": call("balance"),
        }
    )
)
