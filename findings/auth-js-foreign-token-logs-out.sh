#!/usr/bin/env bash
# @supabase/auth-js 2.119.0: asking about somebody else's access token logs the client out of its own session.
#
# Most would guess: `getUser(jwt)` reads the user of the token that is passed, and has nothing to do with the session that
# the client keeps. Servers check their callers that way, with a client that has a session of its own.
# What is true: when the server answers `session_not_found`, because the session of the *passed* token has ended, the client
# removes the session that it keeps, and tells its listeners SIGNED_OUT. Any other error leaves it alone, `bad_jwt` included.
# A server must answer `session_not_found` for ended sessions only, and a caller must check tokens with a client that keeps
# no session.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 @supabase/auth-js@2.119.0 >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >foreign.mjs <<'JS'
import assert from "node:assert/strict";
import { AuthClient } from "@supabase/auth-js";

const base64 = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const exp = Math.floor(Date.now() / 1000) + 900;
const tokenOf = (sub) => `${base64({ alg: "HS256" })}.${base64({ sub, exp })}.c2ln`;

async function afterAsking(code) {
  const own = tokenOf("own");
  const client = new AuthClient({
    url: "https://auth.example",
    autoRefreshToken: false,
    persistSession: false,
    // The own token is valid, the other one is not.
    fetch: async (_, { headers }) =>
      headers.Authorization === `Bearer ${own}`
        ? Response.json({ id: "own", email: "own@auth.example" })
        : Response.json({ code: 403, error_code: code, msg: "" }, { status: 403 }),
  });
  const events = [];
  client.onAuthStateChange((event) => void events.push(event));
  await client.setSession({ access_token: own, refresh_token: "r" });
  const { error } = await client.getUser(tokenOf("somebody else"));
  const { data } = await client.getSession();
  return { error: error.name, session: data.session === null ? "gone" : "kept", events: events.at(-1) };
}

const seen = {};
for (const code of ["session_not_found", "bad_jwt"]) {
  seen[code] = await afterAsking(code);
  console.log(`${code.padEnd(18)} own session: ${seen[code].session}, last event: ${seen[code].events}`);
}
assert.deepEqual(seen.session_not_found, { error: "AuthSessionMissingError", session: "gone", events: "SIGNED_OUT" });
assert.deepEqual(seen.bad_jwt, { error: "AuthApiError", session: "kept", events: "SIGNED_IN" });
JS
./node_modules/.bin/node foreign.mjs
