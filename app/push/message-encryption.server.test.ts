import { createECDH } from "node:crypto";
import { expect, test } from "vitest";
import { areBrowserKeys, encryptMessage, PLAIN_MAX_BYTES } from "./message-encryption.server.ts";

/** RFC 8291, appendix A. */
const EXAMPLE = {
  plain: "When I grow up, I want to be a watermelon",
  senderPrivate: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  senderPublic: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  message:
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

test("encrypts the example of RFC 8291 to exactly its bytes", async () => {
  const { p256dh, auth, salt, plain } = EXAMPLE;
  const encrypted = await encryptMessage(
    new TextEncoder().encode(plain),
    { p256dh, auth },
    {
      given: { salt: bytes(salt), sender: await exampleSender() },
    },
  );
  expect(Buffer.from(encrypted).toString("base64url")).toBe(EXAMPLE.message);
});

test("uses new keys and a new salt for every message, and hides its length", async () => {
  const { p256dh, auth } = EXAMPLE;
  const encrypt = (plain: string) => encryptMessage(new TextEncoder().encode(plain), { p256dh, auth }, { padTo: 500 });
  const [one, two] = [await encrypt("Yes"), await encrypt("No, because that needs a longer answer")];
  expect(one.length).toBe(two.length);
  expect(one.slice(0, 16)).not.toEqual(two.slice(0, 16));
  expect(one.slice(21, 86)).not.toEqual(two.slice(21, 86));
});

test("fits the longest message into the 4,096 bytes that push services take", async () => {
  const { p256dh, auth } = EXAMPLE;
  const longest = await encryptMessage(new Uint8Array(PLAIN_MAX_BYTES), { p256dh, auth });
  expect(longest.length).toBeLessThanOrEqual(4096);
  await expect(encryptMessage(new Uint8Array(PLAIN_MAX_BYTES + 1), { p256dh, auth })).rejects.toThrow();
});

test("accepts only a point on the curve and 16 bytes as a browser's keys", async () => {
  const { p256dh, auth } = EXAMPLE;
  expect(await areBrowserKeys({ p256dh, auth })).toBe(true);
  expect(await areBrowserKeys({ p256dh: createECDH("prime256v1").generateKeys("base64url"), auth })).toBe(true);
  const offCurve = Buffer.from(bytes(p256dh));
  offCurve[64] = (offCurve[64] ?? 0) ^ 1;
  expect(await areBrowserKeys({ p256dh: offCurve.toString("base64url"), auth })).toBe(false);
  expect(await areBrowserKeys({ p256dh: "AAAA", auth })).toBe(false);
  expect(await areBrowserKeys({ p256dh, auth: auth.slice(0, 20) })).toBe(false);
});

async function exampleSender(): Promise<CryptoKeyPair> {
  const curve = { name: "ECDH", namedCurve: "P-256" };
  const point = bytes(EXAMPLE.senderPublic);
  const x = Buffer.from(point.subarray(1, 33)).toString("base64url");
  const y = Buffer.from(point.subarray(33)).toString("base64url");
  const jwk = { kty: "EC", crv: "P-256", x, y, d: EXAMPLE.senderPrivate };
  return {
    publicKey: await crypto.subtle.importKey("raw", point, curve, true, []),
    privateKey: await crypto.subtle.importKey("jwk", jwk, curve, false, ["deriveBits"]),
  } as CryptoKeyPair;
}

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(base64url, "base64url"));
}
