#!/usr/bin/env bash
# @supabase/auth-js 2.119.0: on a device whose clock is fast, every call refreshes, and a limit then logs the person out.
#
# Most would guess: a session says `expires_in: 900`, so the client knows that it has fifteen minutes, whatever its clock
# shows. And 429 Too Many Requests means "wait", so a client that refreshes too often waits.
# What is true: the client compares the server's `expires_at` with its own clock, although the same response says
# `expires_in`. With a clock 20 minutes fast, a session of 15 minutes has expired on arrival, and each `getSession()` sends
# a refresh. Only without `expires_at` does it count from `expires_in`. A 429 on a refresh, with or without Retry-After, ends
# the session at the client: SIGNED_OUT. A 503 keeps it: the client tries again after 200 ms, 400 ms and so on, and
# `getSession()` waits for that, up to about 25 s.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 @supabase/auth-js@2.119.0 >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >clock.mjs <<'JS'
import assert from "node:assert/strict";
import { AuthClient } from "@supabase/auth-js";

const serverSeconds = () => Math.floor(realNow() / 1000);
const realNow = Date.now.bind(Date);
Date.now = () => realNow() + 20 * 60_000;

/** Logs in, and then asks for the session three times. `limit` is the status that the second refresh gets. */
async function run({ saysWhen, limit }) {
  let refreshes = 0;
  const session = () => ({
    access_token: "a.b.c",
    refresh_token: `r${refreshes}`,
    token_type: "bearer",
    expires_in: 900,
    ...(saysWhen && { expires_at: serverSeconds() + 900 }),
    user: { id: "1" },
  });
  const client = new AuthClient({
    url: "https://auth.example",
    autoRefreshToken: false,
    persistSession: false,
    fetch: async (url) => {
      if (!String(url).endsWith("grant_type=refresh_token")) return Response.json(session());
      refreshes++;
      if (refreshes !== 2 || limit === undefined) return Response.json(session());
      const headers = { "Retry-After": "1" };
      return Response.json({ code: limit, error_code: "over_request_rate_limit", msg: "" }, { status: limit, headers });
    },
  });
  const events = [];
  client.onAuthStateChange((event) => void events.push(event));
  await client.signInWithPassword({ email: "a@auth.example", password: "password" });
  for (let i = 0; i < 3; i++) await client.getSession();
  const { data } = await client.getSession();
  return { refreshes, isLoggedIn: data.session !== null, isSignedOut: events.includes("SIGNED_OUT") };
}

const seen = {
  "with expires_at": await run({ saysWhen: true }),
  "without expires_at": await run({ saysWhen: false }),
  "429 at the second refresh": await run({ saysWhen: true, limit: 429 }),
  "503 at the second refresh": await run({ saysWhen: true, limit: 503 }),
};
for (const [name, { refreshes, isLoggedIn }] of Object.entries(seen)) {
  console.log(`${name.padEnd(26)} refreshes for four calls: ${refreshes}, then logged ${isLoggedIn ? "in" : "out"}`);
}
assert.deepEqual(seen["with expires_at"], { refreshes: 4, isLoggedIn: true, isSignedOut: false });
assert.deepEqual(seen["without expires_at"], { refreshes: 0, isLoggedIn: true, isSignedOut: false });
assert.deepEqual(seen["429 at the second refresh"], { refreshes: 2, isLoggedIn: false, isSignedOut: true });
assert.deepEqual(seen["503 at the second refresh"], { refreshes: 5, isLoggedIn: true, isSignedOut: false });
JS
./node_modules/.bin/node clock.mjs
