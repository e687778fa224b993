/** RFC 8291, message encryption for Web Push, over RFC 8188 with a single record. */

/** A browser's keys, in base64url. */
export type BrowserKeys = { p256dh: string; auth: string };
/** Values that are random in production and given by the RFC's example. */
type Given = { salt: Uint8Array<ArrayBuffer>; sender: CryptoKeyPair };

const CURVE = { name: "ECDH", namedCurve: "P-256" } as const;
const RECORD_BYTES = 4096;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
/** Ends the last record. Zeros may follow. */
const DELIMITER = 2;
/** Push services take 4,096 bytes: this with the header, the delimiter and the tag. */
export const PLAIN_MAX_BYTES = 3000;

/** Encrypts a message for one browser. `padTo`: hides its length up to that many bytes. */
export async function encryptMessage(
  plain: Uint8Array,
  { p256dh, auth }: BrowserKeys,
  { padTo = 0, given }: { padTo?: number; given?: Given } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  if (plain.length > PLAIN_MAX_BYTES) throw new Error(`the message has ${plain.length} bytes`);
  const salt = given?.salt ?? crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const sender = given?.sender ?? (await newSender());
  const senderPublic = await rawKey(sender.publicKey);
  const receiverPublic = bytes(p256dh);
  const secret = await sharedSecret(sender.privateKey, receiverPublic);
  const input = await derive(secret, bytes(auth), [text("WebPush: info\0"), receiverPublic, senderPublic], 32);
  const key = await derive(input, salt, [text("Content-Encoding: aes128gcm\0")], 16);
  const nonce = await derive(input, salt, [text("Content-Encoding: nonce\0")], 12);
  const padding = new Uint8Array(Math.max(0, padTo - plain.length));
  const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  const record = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv: nonce, tagLength: TAG_BYTES * 8 },
    aes,
    concat([plain, Uint8Array.of(DELIMITER), padding]),
  );
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, RECORD_BYTES);
  return concat([salt, size, Uint8Array.of(senderPublic.length), senderPublic, new Uint8Array(record)]);
}

/** Returns whether these can be a browser's keys: a point on the curve and 16 bytes. */
export async function areBrowserKeys({ p256dh, auth }: BrowserKeys): Promise<boolean> {
  try {
    await importPublic(bytes(p256dh));
    return bytes(auth).length === 16;
  } catch {
    return false;
  }
}

async function newSender(): Promise<CryptoKeyPair> {
  return (await crypto.subtle.generateKey(CURVE, true, ["deriveBits"])) as CryptoKeyPair;
}

async function rawKey(key: CryptoKey): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array((await crypto.subtle.exportKey("raw", key)) as ArrayBuffer);
}

function importPublic(raw: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", raw, CURVE, true, []);
}

async function sharedSecret(
  privateKey: CryptoKey,
  publicKey: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = { name: "ECDH", public: await importPublic(publicKey) };
  // The types of workerd call the property "$public".
  return new Uint8Array(
    await crypto.subtle.deriveBits(algorithm as unknown as SubtleCryptoDeriveKeyAlgorithm, privateKey, 256),
  );
}

/** HKDF with SHA-256. */
async function derive(
  input: Uint8Array<ArrayBuffer>,
  salt: Uint8Array<ArrayBuffer>,
  info: Uint8Array[],
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey("raw", input, "HKDF", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt, info: concat(info) },
    key,
    length * 8,
  );
  return new Uint8Array(bits);
}

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(base64url, "base64url"));
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function concat(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(parts));
}
