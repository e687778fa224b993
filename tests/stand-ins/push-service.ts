import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  verify,
} from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Stands in for a push service, for the browsers it delivers to, and for Firebase. It checks RFC 8292 and decrypts RFC 8291
 * with Node's own functions, apart from the product's code.
 *
 * POST /browsers → a new subscription. POST /push/ID takes a message. GET /received?of=ID lists what a browser or a phone
 * got. POST /faults {of, fault, times} makes the next requests fail.
 */

/** What arrived at a device. `message`: the decrypted JSON, or Firebase's message. */
export type Received = { message: Record<string, unknown>; headers: Record<string, string> };
export type PushFault = "busy" | "gone" | "hang" | "error";
export type BrowserSubscription = { endpoint: string; keys: { p256dh: string; auth: string } };
export type PushService = { url: string; serviceAccount: string; close(): Promise<void> };

type Device = { ecdh: ECDH; auth: Buffer } | "phone";

const MAX_BYTES = 4096;
const DAY_SECONDS = 24 * 60 * 60;
const ACCESS_TOKEN = "access-token-of-the-stand-in";
const PROJECT = "growline-tests";

export async function startPushService(): Promise<PushService> {
  const devices = new Map<string, Device>();
  const received = new Map<string, Received[]>();
  const faults = new Map<string, { fault: PushFault; times: number }>();
  const google = generateKeyPairSync("rsa", { modulusLength: 2048 });
  let origin = "";

  const server = createServer((request, response) => {
    receive(request, response).catch((error) => {
      console.error(`push service: ${request.method} ${request.url} failed: ${error}`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const respond = (status: number, body: unknown = null) =>
      response
        .writeHead(status, { "Content-Type": "application/json" })
        .end(body === null ? undefined : JSON.stringify(body));
    const { pathname, searchParams } = new URL(request.url ?? "/", origin);
    const body = await readBody(request);
    if (pathname === "/received") return respond(200, received.get(searchParams.get("of") ?? "") ?? []);
    if (pathname === "/faults") {
      const { of, fault, times = 1 } = JSON.parse(body.toString());
      faults.set(of, { fault, times });
      return respond(204);
    }
    if (pathname === "/browsers") {
      const id = randomBytes(16).toString("base64url");
      const ecdh = createECDH("prime256v1");
      const auth = randomBytes(16);
      const p256dh = ecdh.generateKeys("base64url");
      devices.set(id, { ecdh, auth });
      return respond(201, { endpoint: `${origin}/push/${id}`, keys: { p256dh, auth: auth.toString("base64url") } });
    }
    if (pathname === "/token") return respond(...grant(body, google.publicKey, `${origin}/token`));
    if (pathname === `/v1/projects/${PROJECT}/messages:send`) return takeForPhone(request, body, response, respond);
    const id = /^\/push\/(.+)$/.exec(pathname)?.[1] ?? "";
    const device = devices.get(id);
    if (!device || device === "phone") return respond(404);
    if (body.length > MAX_BYTES) return respond(413);
    const wrong = vapidFault(String(request.headers.authorization ?? ""), origin);
    if (wrong) return respond(403, { reason: wrong });
    if (!request.headers.ttl || request.headers["content-encoding"] !== "aes128gcm") return respond(400);
    note(id, { message: JSON.parse(decrypt(body, device)), headers: textHeaders(request) });
    return failsNow(id, response) ? null : respond(201);
  }

  function takeForPhone(
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    respond: (status: number, body?: unknown) => unknown,
  ): unknown {
    if (request.headers.authorization !== `Bearer ${ACCESS_TOKEN}`) return respond(401, fcmError("UNAUTHENTICATED"));
    const { message } = JSON.parse(body.toString()) as { message: { token: string } };
    note(message.token, { message, headers: textHeaders(request) });
    if (faults.get(message.token)?.fault === "gone") return respond(404, fcmError("NOT_FOUND", "UNREGISTERED"));
    return failsNow(message.token, response) ? null : respond(200, { name: `projects/${PROJECT}/messages/1` });
  }

  function note(id: string, what: Received): void {
    received.set(id, [...(received.get(id) ?? []), what]);
  }

  /** Responds with the fault that was asked for, if there is one. */
  function failsNow(id: string, response: ServerResponse): boolean {
    const asked = faults.get(id);
    if (!asked || asked.times === 0) return false;
    asked.times -= 1;
    // Never responds to "hang": the caller is killed, or gives up.
    if (asked.fault === "busy") response.writeHead(429, { "Retry-After": "120" }).end();
    else if (asked.fault === "gone") response.writeHead(410).end();
    else if (asked.fault === "error") response.writeHead(500).end();
    return true;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const serviceAccount = JSON.stringify({
    type: "service_account",
    project_id: PROJECT,
    client_email: `push@${PROJECT}.example`,
    private_key: google.privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: `${origin}/token`,
  });
  return {
    url: origin,
    serviceAccount,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function textHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Returns why the header is not what RFC 8292 asks for, or null. */
function vapidFault(header: string, audience: string): string | null {
  const [, token = "", key = ""] = /^vapid t=([\w-]+\.[\w-]+\.[\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  const point = Buffer.from(key, "base64url");
  if (point.length !== 65) return "no key";
  const [head = "", claims = "", signature = ""] = token.split(".");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const publicKey = createPublicKey({ key: jwk, format: "jwk" });
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isSigned) return "bad signature";
  const { alg } = JSON.parse(Buffer.from(head, "base64url").toString());
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, "base64url").toString());
  const now = Date.now() / 1000;
  if (alg !== "ES256") return "bad algorithm";
  if (aud !== audience) return `audience ${aud}`;
  if (!(exp > now && exp <= now + DAY_SECONDS)) return `expiry ${exp}`;
  return /^(mailto:|https:)/.test(sub) ? null : `subject ${sub}`;
}

/** Decrypts as RFC 8291 and RFC 8188 say, for one record. */
export function decrypt(body: Buffer, { ecdh, auth }: { ecdh: ECDH; auth: Buffer }): string {
  const salt = body.subarray(0, 16);
  const senderPublic = body.subarray(21, 21 + (body[20] ?? 0));
  const record = body.subarray(21 + (body[20] ?? 0));
  const derive = (input: Buffer, with_: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync("sha256", input, with_, info, length));
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), senderPublic]);
  const input = derive(ecdh.computeSecret(senderPublic), auth, info, 32);
  const key = derive(input, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(input, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const cipher = createDecipheriv("aes-128-gcm", key, nonce);
  cipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
  const end = padded.findLastIndex((byte: number) => byte !== 0);
  if (padded[end] !== 2) throw new Error("the last record does not end with 2");
  return padded.subarray(0, end).toString("utf8");
}

/** Responds to a service account's request for an access token (RFC 7523). */
function grant(body: Buffer, key: KeyObject, audience: string): [number, unknown] {
  const assertion = new URLSearchParams(body.toString()).get("assertion") ?? "";
  const [head = "", claims = "", signature = ""] = assertion.split(".");
  const isSigned = verify("sha256", Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, "base64url"));
  const { aud, scope } = JSON.parse(Buffer.from(claims, "base64url").toString() || "{}");
  const isRight = isSigned && aud === audience && String(scope).endsWith("/auth/firebase.messaging");
  return isRight ? [200, { access_token: ACCESS_TOKEN, expires_in: 3600 }] : [400, { error: "invalid_grant" }];
}

function fcmError(status: string, errorCode?: string): object {
  return { error: { code: 404, status, details: errorCode ? [{ errorCode }] : [] } };
}
