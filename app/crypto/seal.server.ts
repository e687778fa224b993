/**
 * AES-256-GCM for secrets that must be read back: provider keys, webhook secrets, Gmail tokens.
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
