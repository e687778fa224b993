import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { isoCBOR } from "@simplewebauthn/server/helpers";

/** Overrides of what a response would say according to the options. */
export type Signing = {
  origin: string;
  rpId?: string;
  challenge?: string;
  counter?: number;
  isUserVerified?: boolean;
  userHandle?: string;
  /** As after the passkey was restored elsewhere. */
  isSynced?: boolean;
};

const FLAGS = { present: 0x01, verified: 0x04, canSync: 0x08, isSynced: 0x10, newCredential: 0x40 };

/** An authenticator with one ES256 passkey, which signs whatever a test asks for. */
export class SoftwareAuthenticator {
  readonly id: string;
  readonly #keys: CryptoKeyPair;
  readonly #isSynced: boolean;
  #userHandle = "";

  private constructor(keys: CryptoKeyPair, isSynced: boolean) {
    this.id = toBase64url(crypto.getRandomValues(new Uint8Array(16)));
    this.#keys = keys;
    this.#isSynced = isSynced;
  }

  static async create({ isSynced = false } = {}): Promise<SoftwareAuthenticator> {
    const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
    return new SoftwareAuthenticator(keys as CryptoKeyPair, isSynced);
  }

  /** Responds as `navigator.credentials.create` does. */
  async register(options: PublicKeyCredentialCreationOptionsJSON, signing: Signing): Promise<RegistrationResponseJSON> {
    this.#userHandle = options.user.id;
    const id = Buffer.from(this.id, "base64url");
    const { x = "", y = "" } = (await crypto.subtle.exportKey("jwk", this.#keys.publicKey)) as JsonWebKey;
    const publicKey = isoCBOR.encode(
      new Map<number, number | Uint8Array<ArrayBuffer>>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Uint8Array.from(Buffer.from(x, "base64url"))],
        [-3, Uint8Array.from(Buffer.from(y, "base64url"))],
      ]),
    );
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, publicKey]);
    const data = await this.#data(signing.rpId ?? options.rp.id ?? "", signing, FLAGS.newCredential);
    const authData = Uint8Array.from(Buffer.concat([data, credential]));
    const attestation = new Map<string, string | Uint8Array<ArrayBuffer> | Map<string, string>>([
      ["fmt", "none"],
      ["attStmt", new Map<string, string>()],
      ["authData", authData],
    ]);
    return {
      id: this.id,
      rawId: this.id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData("webauthn.create", signing.challenge ?? options.challenge, signing.origin),
        attestationObject: toBase64url(isoCBOR.encode(attestation)),
        transports: ["internal"],
      },
    };
  }

  /** Responds as `navigator.credentials.get` does. */
  async authenticate(
    options: PublicKeyCredentialRequestOptionsJSON,
    signing: Signing,
  ): Promise<AuthenticationResponseJSON> {
    const clientDataJSON = clientData("webauthn.get", signing.challenge ?? options.challenge, signing.origin);
    const data = await this.#data(signing.rpId ?? options.rpId ?? "", signing, 0);
    const hash = await sha256(Buffer.from(clientDataJSON, "base64url"));
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signature = await crypto.subtle.sign(algorithm, this.#keys.privateKey, Buffer.concat([data, hash]));
    return {
      id: this.id,
      rawId: this.id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        authenticatorData: toBase64url(data),
        clientDataJSON,
        signature: toBase64url(toDer(new Uint8Array(signature))),
        userHandle: signing.userHandle ?? this.#userHandle,
      },
    };
  }

  async #data(rpId: string, signing: Signing, flags: number): Promise<Buffer> {
    const { counter = 0, isUserVerified = true, isSynced = this.#isSynced } = signing;
    const synced = isSynced ? FLAGS.canSync | FLAGS.isSynced : 0;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const all = FLAGS.present | (isUserVerified ? FLAGS.verified : 0) | synced | flags;
    return Buffer.concat([await sha256(Buffer.from(rpId)), Buffer.from([all]), count]);
  }
}

function clientData(type: string, challenge: string, origin: string): string {
  return toBase64url(Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })));
}

/** Converts a signature from the two numbers that WebCrypto returns to the ASN.1 sequence that authenticators send. */
function toDer(signature: Uint8Array): Buffer {
  const numbers = [signature.subarray(0, 32), signature.subarray(32)].map((bytes) => {
    const start = bytes.findIndex((byte) => byte !== 0);
    const digits = bytes.subarray(start);
    const positive = (digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : Buffer.from(digits);
    return Buffer.concat([Buffer.from([0x02, positive.length]), positive]);
  });
  const sequence = Buffer.concat(numbers);
  return Buffer.concat([Buffer.from([0x30, sequence.length]), sequence]);
}

async function sha256(bytes: Uint8Array): Promise<Buffer> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", Uint8Array.from(bytes)));
}

function toBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
