/**
 * AES-256-GCM for secrets that must be read back: provider keys, webhook secrets, Gmail tokens. `sealBytes` for backups.
 * Stored as `version.iv.ciphertext` (base64url). `context` is bound in, so a sealed value can't be moved to another row.
 */

const IV_BYTES = 12;

export async function seal(encryptionKeys: string, context: string, plain: string): Promise<string> {
  const newest = parseKeys(encryptionKeys)[0];
  if (!newest) throw new Error("ENCRYPTION_KEYS is empty");
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const key = await importKey(newest.bytes, "encrypt");
  const cipher = await crypto.subtle.encrypt(params(iv, context), key, new TextEncoder().encode(plain));
  return [newest.version, Buffer.from(iv).toString("base64url"), Buffer.from(cipher).toString("base64url")].join(".");
}

/** Decrypts a value. Throws if its key version is missing, or if the value was changed or moved. */
export async function unseal(encryptionKeys: string, context: string, sealed: string): Promise<string> {
  const [version, iv, cipher] = sealed.split(".");
  const found = parseKeys(encryptionKeys).find((key) => key.version === version);
  if (!found || !iv || !cipher) throw new Error(`no encryption key of version ${version}`);
  const key = await importKey(found.bytes, "decrypt");
  const plain = await crypto.subtle.decrypt(
    params(Buffer.from(iv, "base64url"), context),
    key,
    Buffer.from(cipher, "base64url"),
  );
  return new TextDecoder().decode(plain);
}

const UTF8 = new TextEncoder();

/** Encrypts bytes: the length of the key's version, the version, the IV, the ciphertext. */
export async function sealBytes(keys: string, context: string, plain: Uint8Array<ArrayBuffer>) {
  const newest = parseKeys(keys)[0];
  if (!newest?.version || newest.bytes.length === 0) throw new Error("there is no key to encrypt with");
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const version = UTF8.encode(newest.version);
  const key = await importKey(newest.bytes, "encrypt");
  const cipher = new Uint8Array(await crypto.subtle.encrypt(params(iv, context), key, plain));
  const sealed = new Uint8Array(1 + version.length + IV_BYTES + cipher.length);
  sealed[0] = version.length;
  sealed.set(version, 1);
  sealed.set(iv, 1 + version.length);
  sealed.set(cipher, 1 + version.length + IV_BYTES);
  return sealed;
}

/** Decrypts bytes. Throws if their key version is missing, or if they were changed or moved. */
export async function unsealBytes(keys: string, context: string, sealed: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const { version, ivAt } = readVersion(sealed);
  const found = parseKeys(keys).find((key) => key.version === version);
  if (!found) throw new Error(`no encryption key of version ${version}`);
  const key = await importKey(found.bytes, "decrypt");
  const [iv, cipher] = [sealed.slice(ivAt, ivAt + IV_BYTES), sealed.slice(ivAt + IV_BYTES)];
  return new Uint8Array(await crypto.subtle.decrypt(params(iv, context), key, cipher));
}

/** Returns whether `keys` has the one that the bytes beginning with `start` were encrypted with. */
export function hasKeyFor(keys: string, start: Uint8Array): boolean {
  return parseKeys(keys).some(({ version }) => version === readVersion(start).version);
}

function readVersion(sealed: Uint8Array): { version: string; ivAt: number } {
  const ivAt = 1 + (sealed[0] ?? 0);
  return { version: new TextDecoder().decode(sealed.subarray(1, ivAt)), ivAt };
}

function params(iv: Uint8Array<ArrayBuffer>, context: string): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(context) };
}

function importKey(bytes: Uint8Array<ArrayBuffer>, usage: "encrypt" | "decrypt"): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, [usage]);
}

function parseKeys(encryptionKeys: string): { version: string; bytes: Uint8Array<ArrayBuffer> }[] {
  return encryptionKeys.split(",").map((entry) => {
    const [version = "", base64 = ""] = entry.trim().split(":");
    return { version, bytes: Uint8Array.from(Buffer.from(base64, "base64")) };
  });
}
