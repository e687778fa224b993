#!/usr/bin/env bash
# @simplewebauthn/server 14.0.3: a synced passkey is refused when its devices count differently, or when it was restored.
#
# Most would guess: the library tells `multiDevice` and `backedUp` apart from the signed flags, so it does not compare the
# sign count of a passkey that several devices use: each has a count of its own, or none.
# What is true: `verifyAuthenticationResponse` compares the count with the stored one whatever the flags say, and throws
# before it returns them. A passkey that counted to 7 on one device, and comes back from a backup with a count of 0, never
# logs in again; neither does one whose second device is behind. Whoever stores counts has to pass `counter: 0` and compare
# by the flags of the result: devices that never sync should still count up.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save node@24.21.0 @simplewebauthn/server@14.0.3 >install.log 2>&1 ||
  { cat install.log; exit 1; }

cat >count.mjs <<'JS'
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { verifyAuthenticationResponse } from "@simplewebauthn/server";
import { isoCBOR } from "@simplewebauthn/server/helpers";

const FLAGS = { present: 0x01, verified: 0x04, eligible: 0x08, backedUp: 0x10 };
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const { x, y } = publicKey.export({ format: "jwk" });
const coordinate = (text) => Uint8Array.from(Buffer.from(text, "base64url"));
const key = isoCBOR.encode(new Map([[1, 2], [3, -7], [-1, 1], [-2, coordinate(x)], [-3, coordinate(y)]]));
const sha256 = (bytes) => createHash("sha256").update(bytes).digest();
const base64url = (bytes) => Buffer.from(bytes).toString("base64url");

/** What the library says to a signature of the passkey, whose count is stored as `stored`. */
async function answerTo({ stored, count, isSynced }) {
  const clientData = Buffer.from(JSON.stringify({ type: "webauthn.get", challenge: "Y2hhbGxlbmdl", origin: "https://shop.example" }));
  const flags = FLAGS.present | FLAGS.verified | (isSynced ? FLAGS.eligible | FLAGS.backedUp : 0);
  const data = Buffer.concat([sha256("shop.example"), Buffer.from([flags, 0, 0, 0, count])]);
  const response = {
    clientDataJSON: base64url(clientData),
    authenticatorData: base64url(data),
    signature: base64url(sign("sha256", Buffer.concat([data, sha256(clientData)]), privateKey)),
  };
  const credential = { id: "a2V5", publicKey: key, counter: stored };
  return verifyAuthenticationResponse({
    response: { id: "a2V5", rawId: "a2V5", type: "public-key", clientExtensionResults: {}, response },
    expectedChallenge: "Y2hhbGxlbmdl",
    expectedOrigin: "https://shop.example",
    expectedRPID: "shop.example",
    credential,
  }).then(
    ({ verified, authenticationInfo }) => `verified ${verified}, ${authenticationInfo.credentialDeviceType}`,
    (error) => error.message,
  );
}

const seen = {
  "on its device, counting up": await answerTo({ stored: 6, count: 7, isSynced: false }),
  "restored by a program that syncs": await answerTo({ stored: 7, count: 0, isSynced: true }),
  "synced, on a device that is behind": await answerTo({ stored: 5, count: 3, isSynced: true }),
  "the same, compared with 0": await answerTo({ stored: 0, count: 3, isSynced: true }),
};
for (const [name, answer] of Object.entries(seen)) console.log(`${name.padEnd(36)} ${answer}`);
assert.deepEqual(Object.values(seen), [
  "verified true, singleDevice",
  "Response counter value 0 was lower than expected 7",
  "Response counter value 3 was lower than expected 5",
  "verified true, multiDevice",
]);
JS
./node_modules/.bin/node count.mjs
