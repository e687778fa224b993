import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { apiKeys } from "#app/db/schema.server.ts";
import { customerWith, db, newKey } from "#tests/workerd/customer.ts";
import worker from "#workers/app.ts";

const LIMIT = 5;

test("asks nobody about keys that an address guesses beyond its limit", async () => {
  const guess = caller("198.51.100.71");
  for (let n = 0; n < LIMIT; n++) {
    const objects = [`key ${sha256(guessed(n))}`, expect.stringMatching(/^address /)];
    expect(await guess(guessed(n))).toMatchObject({ status: 401, objects });
  }
  // Only this answer says that the limit is reached.
  expect((await guess(guessed(LIMIT))).status).toBe(429);
  for (let n = 0; n < 20; n++) {
    const refused = await guess(guessed(100 + n));
    expect([refused.status, refused.objects]).toEqual([429, []]);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  }
  for (const key of ["", "nonsense"]) expect(await guess(key)).toMatchObject({ status: 429, objects: [] });
});

test("accepts an unused valid key next to a guesser with one gate call, without counting it against the address", async () => {
  const { apiKey, userId } = await customerWith(0);
  const { key } = await newKey(userId, { name: "test", scopes: ["read"], isTest: true });
  const [guess, other] = [caller("198.51.100.72"), caller("198.51.100.73")];
  for (let n = 0; n <= LIMIT; n++) await guess(guessed(n));
  for (const one of [apiKey, key]) {
    expect(await guess(one)).toMatchObject({ status: 200, objects: [`key ${sha256(one)}`] });
  }
  for (let n = 1; n < LIMIT; n++) await other(guessed(n));
  for (let n = 1; n < LIMIT; n++) expect((await other(apiKey)).status).toBe(200);
  expect((await other(guessed(LIMIT))).status).toBe(401);
});

test("lets a key without our mark go on working beside a guesser", async () => {
  const { apiKey, userId } = await customerWith(0);
  const unmarked = guessed(7);
  await db
    .update(apiKeys)
    .set({ digest: sha256(unmarked) })
    .where(eq(apiKeys.userId, userId));
  expect((await caller("198.51.100.74")(apiKey)).status).toBe(401);
  const call = caller("198.51.100.75");
  expect((await call(unmarked)).status).toBe(200);
  for (let n = 10; n <= 10 + LIMIT; n++) await call(guessed(n));
  expect(await call(unmarked)).toMatchObject({ status: 200, objects: [`key ${sha256(unmarked)}`] });
});

/** Returns a key whose prefix and checksum are right: both are known. */
function guessed(n: number): string {
  const body = `gl_live_${sha256(`guess ${n}`).slice(0, 48)}`;
  return body + sha256(`growline:${body}`).slice(0, 6);
}

/** Returns a function that asks for the balance from an address, and says which gates were reached. */
function caller(address: string) {
  return async (key: string) => {
    const objects: string[] = [];
    const gates = new Proxy(env.API_GATE, {
      get(target, name) {
        if (name === "idFromName" || name === "getByName") {
          return (id: string) => {
            objects.push(id);
            return target[name](id);
          };
        }
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const context = createExecutionContext();
    const request = new Request("https://growline.example/api/balance", {
      headers: { Authorization: `Bearer ${key}`, "CF-Connecting-IP": address },
    }) as Parameters<typeof worker.fetch>[0];
    const given = { ...env, API_GATE: gates, API_REQUESTS_PER_MINUTE: String(LIMIT) };
    const { status, headers } = await worker.fetch(request, given as Env, context);
    await waitOnExecutionContext(context);
    return { status, headers, objects };
  };
}
