import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { type LearnedDialect, providers, providerWords } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { changeProvider, readProviderWithKey } from "./provider-admin.server.ts";
import { testProvider } from "./test-provider.server.ts";

const STAFF = { userId: "staff-test", name: "Grace Admin" };

test("says in plain words what is wrong, with what the provider says", async () => {
  const id = await sandboxProvider();
  for (const [answer, why] of [
    [Response.json({ error: "Your account is suspended" }), "Our account is suspended, banned or not active. The"],
    [
      Response.json({ error: "Your IP is not allowed" }, { status: 403 }),
      "Our IP address is not allowed. The provider",
    ],
    [Response.json("Invalid key"), "Our API key is wrong or missing. The provider says: “Invalid key”"],
    [Response.json({ message: "Nope" }, { status: 401 }), "Our API key is wrong or missing. The provider answers with"],
    [Response.json({ error: "Moon phase" }), "The provider says: “Moon phase”"],
    [Response.json({}), "The response has no balance"],
    [new Response("down", { status: 502 }), "HTTP 502"],
    [new Response("<html><h1>Panel</h1></html>"), "The response is not JSON, but a page or a text. Check the URL"],
    [new Response("Invalid API key"), "Our API key is wrong or missing. The provider says: “Invalid API key”"],
  ] as const) {
    providerReplies(() => answer);
    expect(await tested(id), why).toMatchObject({ ok: false, why: expect.stringContaining(why) });
  }
  expect((await stored(id)).dialect).toEqual({ refusesWith4xx: true });
});

test("shows the balance wherever it stands, and what is known of the provider's API", async () => {
  const id = await sandboxProvider();
  const word = { providerId: id, kind: "state", meaning: "Completed", createdAt: 1 } as const;
  await db.insert(providerWords).values([{ ...word, key: "allset", word: "All set" }]);
  providerReplies(() => Response.json({ data: { balance: "1,250.5", currency: "EUR" } }));
  const known = await tested(id);
  expect(known).toMatchObject({ ok: true, balance: "1250.50 EUR" });
  expect(factsOf(known)).toEqual({
    "Family of panels": "Panel API v2",
    "API key": "Sent in the body, as “key”",
    "Order statuses": "Known after the first order",
    Refills: "Known after the first refill",
    "Refill statuses": "Known after the first refill",
    Cancellations: "Known after the first cancellation",
    Refusals: "None with HTTP 4xx so far",
    "Words you taught": "1",
  });
  const dialect: LearnedDialect = { status: "one", cancel: "many", refill: "refill", refusesWith4xx: true };
  await db.update(providers).set({ dialect }).where(eq(providers.id, id));
  providerReplies(() => Response.json({ balance: 3 }));
  expect(factsOf(await tested(id))).toMatchObject({
    "Order statuses": "One per call",
    Refills: "One per call, by the refill parameter",
    Cancellations: "Several per call",
    Refusals: "As JSON with HTTP 4xx",
  });
});

test("forgets what was learned with another URL or key, and keeps what was taught", async () => {
  const { url: apiUrl, key } = inject("sandbox");
  const id = await sandboxProvider();
  const word = { providerId: id, kind: "state", meaning: "Completed", createdAt: 1 } as const;
  await db.insert(providerWords).values({ ...word, key: "allset", word: "All set" });
  for (const [change, forgets] of [
    [{ riseLimit: 3000 }, false],
    [{ key: "another" }, true],
    [{ apiUrl: `${apiUrl}/elsewhere`, key }, true],
  ] as const) {
    await db
      .update(providers)
      .set({ dialect: { status: "one" } })
      .where(eq(providers.id, id));
    const before = await stored(id);
    const { name, enabled, riseLimit, concurrentCalls, callsPerMinute, honorsIdempotencyKeys, splitsComments } = before;
    const calls = { concurrentCalls, callsPerMinute, honorsIdempotencyKeys, splitsComments };
    const input = { name, apiUrl, enabled, riseLimit, ...calls, key: "", ...change };
    expect(await changeProvider(db, env, STAFF, id, input, before.version)).toEqual({ ok: true });
    expect(await stored(id)).toMatchObject({ dialect: forgets ? {} : { status: "one" }, taught: [{ key: "allset" }] });
  }
});

async function stored(id: number) {
  const provider = await readProviderWithKey(db, id);
  if (!provider) throw new Error("provider not found");
  return provider;
}

async function tested(id: number) {
  return testProvider(db, env, await stored(id));
}

function factsOf(result: Awaited<ReturnType<typeof tested>>) {
  return result.ok ? Object.fromEntries(result.dialect.map(({ name, says }) => [name, says])) : null;
}
