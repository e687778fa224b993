#!/usr/bin/env bash
# remix-auth 4.2.0 on Node 24.21.0: a strategy never sees the request that `authenticate` was given.
#
# Most would guess: the request is handed on, so that what a middleware noted about it (by a property, a subclass or a
# WeakMap) is still known in the strategy, and an action that reads the form first can still authenticate.
# What is true: it is copied by `new Request(request.url, request)`. The copy has none of the notes, it takes the body away
# from the original, and a request whose body was read can't be copied: TypeError. `get(name)` hands out the strategy itself.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "type": "module" }' >package.json
npm install --silent --no-audit --no-fund node@24.21.0 remix-auth@4.2.0 >install.log 2>&1 || { cat install.log; exit 1; }

cat >copies.js <<'JS'
import { Authenticator } from "remix-auth";
import { Strategy } from "remix-auth/strategy";

const notes = new WeakMap();
class Seen extends Strategy {
  name = "form";
  async authenticate(request) {
    return { note: request.note ?? notes.get(request) ?? "unknown", email: (await request.formData()).get("email") };
  }
}
const authenticator = new Authenticator();
authenticator.use(new Seen(async () => null));

function posted() {
  const body = new URLSearchParams({ email: "ann@shop.example" });
  const request = new Request("https://shop.example/login", { method: "POST", body });
  notes.set(request, "from a known device");
  return Object.assign(request, { note: "from a known device" });
}

const request = posted();
console.log("by authenticate:", JSON.stringify(await authenticator.authenticate("form", request)));
console.log("the form afterwards:", await request.formData().then(() => "read", ({ name }) => name));

const read = posted();
await read.formData();
console.log("after the form was read:", await Promise.resolve().then(() => authenticator.authenticate("form", read)).then(() => "signed in", ({ name }) => name));

console.log("by get:", JSON.stringify(await authenticator.get("form").authenticate(posted())));
JS
./node_modules/.bin/node copies.js | tee seen

diff - seen <<'SEEN'
by authenticate: {"note":"unknown","email":"ann@shop.example"}
the form afterwards: TypeError
after the form was read: TypeError
by get: {"note":"from a known device","email":"ann@shop.example"}
SEEN
