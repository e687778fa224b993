import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import { seal } from "#app/crypto/seal.server.ts";
import { exampleOfEvent } from "#app/orders/api/docs/webhook-events.server.ts";
import { WEBHOOK_SAMPLES, type WebhookLanguage } from "#app/orders/api/docs/webhook-samples.ts";
import { postWebhook } from "#app/orders/webhooks/post-webhook.server.ts";
import { secretContext } from "#app/orders/webhooks/webhook-endpoints.server.ts";

const SECRET = `whsec_${Buffer.from("a secret of the tests 24").toString("base64")}`;
const OTHER_SECRET = `whsec_${Buffer.from("another of the tests 24!").toString("base64")}`;
const ENV = { ENCRYPTION_KEYS: `1:${btoa("x".repeat(32))}`, ENVIRONMENT: "local" } as const;
const BODY = JSON.stringify({ ...exampleOfEvent("order.completed"), note: "é ✓ \\u00e9" });

/** How each sample is run, by a program that may not be on this machine. */
const PROGRAMS: Record<
  Exclude<WebhookLanguage, "curl">,
  { program: string; file: string; args: (port: number) => string[] }
> = {
  javascript: { program: "node", file: "webhook.mjs", args: () => ["webhook.mjs"] },
  python: { program: "python3", file: "webhook.py", args: () => ["webhook.py"] },
  php: { program: "php", file: "webhook.php", args: (port) => ["-S", `127.0.0.1:${port}`, "webhook.php"] },
  go: { program: "go", file: "webhook.go", args: () => ["run", "webhook.go"] },
};

/** The languages whose samples serve an endpoint. */
export const SERVING = Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[];

export function isSampleRunnable(language: keyof typeof PROGRAMS): boolean {
  return isInstalled(PROGRAMS[language].program);
}

/** Runs a documented endpoint, and expects it to take deliveries as we sign them and to refuse any other. */
export async function checkServedSample(language: keyof typeof PROGRAMS): Promise<void> {
  await whileRunning(language, async (url) => {
    expect(await deliver(url, { secret: SECRET })).toBe(204);
    expect(await deliver(url, { secret: OTHER_SECRET, previousSecret: SECRET })).toBe(204);
    expect(await deliver(url, { secret: OTHER_SECRET })).toBe(401);
    const headers = signedHeaders();
    const status = async (body: string, changed: Record<string, string> = {}) =>
      (await fetch(url, { method: "POST", body, headers: { ...headers, ...changed } })).status;
    expect(await status(BODY)).toBe(204);
    expect(await status(BODY.replace("23501", "23502"))).toBe(401);
    expect(await status(BODY, { "webhook-id": "msg_other" })).toBe(401);
    expect(await status(BODY, { "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 600) })).toBe(401);
    expect(await status(BODY, { "webhook-timestamp": "soon" })).toBe(401);
    expect(await status(BODY, { "webhook-signature": "" })).toBe(401);
    expect((await fetch(url, { method: "POST", body: BODY })).status).toBe(401);
  });
}

/** Sends an event with the documented command, and expects the documented endpoint to take it for its own secret only. */
export async function checkSendingSample(): Promise<void> {
  await whileRunning("javascript", async (url) => {
    const run = (secret: string) =>
      new Promise<number | null>((resolve) => {
        const env = { ...process.env, URL: url, WEBHOOK_SECRET: secret };
        spawn("bash", ["-c", WEBHOOK_SAMPLES.curl], { env, stdio: "ignore" }).on("close", resolve);
      });
    expect(await run(SECRET)).toBe(0);
    expect(await run(OTHER_SECRET)).not.toBe(0);
  });
}

/** Sends a delivery with the product's own code and returns the status. */
async function deliver(url: string, plain: { secret: string; previousSecret?: string }): Promise<number | null> {
  const context = secretContext("endpoint");
  const sealed = (secret: string) => seal(ENV.ENCRYPTION_KEYS, context, secret);
  const result = await postWebhook(ENV, {
    url,
    endpointId: "endpoint",
    messageId: "msg_1",
    body: BODY,
    secret: await sealed(plain.secret),
    previousSecret: plain.previousSecret ? await sealed(plain.previousSecret) : null,
    previousUntil: plain.previousSecret ? Date.now() + 60_000 : null,
  });
  return result.status;
}

/** Returns the headers that a delivery of BODY has. */
function signedHeaders(): Record<string, string> {
  const at = new Date();
  return {
    "content-type": "application/json",
    "webhook-id": "msg_2",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(SECRET).sign("msg_2", at, BODY),
  };
}

async function whileRunning(language: keyof typeof PROGRAMS, act: (url: string) => Promise<void>) {
  const { program, file, args } = PROGRAMS[language];
  const folder = mkdtempSync(join(tmpdir(), "growline-samples-"));
  writeFileSync(join(folder, file), WEBHOOK_SAMPLES[language]);
  const port = await freePort();
  const env = { ...process.env, WEBHOOK_SECRET: SECRET, PORT: String(port) };
  // A group of its own: `go run` starts a second process.
  const child = spawn(program, args(port), { cwd: folder, env, stdio: "ignore", detached: true });
  try {
    await listening(child, port);
    await act(`http://127.0.0.1:${port}/`);
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  while (child.exitCode === null) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
    if (open) return;
    await pause(50);
  }
  throw new Error(`exited with ${child.exitCode}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

export function isInstalled(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
