import { afterEach, expect, test, vi } from "vitest";
import { gmailTokens } from "#app/db/schema.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { connectMailbox, lane, someone, syncQuickly } from "#tests/workerd/gmail-mailbox.ts";
import { freshAccessToken, readTokenRow, sealToken, unsealToken } from "./gmail-tokens.server.ts";
import { ownedBy } from "./mailbox-owner.server.ts";

const realFetch = globalThis.fetch;

afterEach(() => {
  vi.restoreAllMocks();
});

test("keeps the connection when a second refresh overtakes one that is slower than its lease", async () => {
  const { env, owner, duringRefresh } = await expiring();
  const tokens: string[] = [];
  duringRefresh(async () => {
    tokens.push(await freshAccessToken(db, env, owner, { now: () => Date.now() + MINUTE_MS }));
  });
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, total: 100 });
  const row = await readTokenRow(db, owner);
  expect([await unsealToken(env, owner, "access", row?.accessToken ?? "")]).toEqual(tokens);
});

test("keeps the connection when the encryption keys are rotated during a refresh", async () => {
  const { env, owner, duringRefresh } = await expiring();
  duringRefresh(async () => {
    const row = await readTokenRow(db, owner);
    const plain = await unsealToken(env, owner, "access", row?.accessToken ?? "");
    const accessToken = await sealToken(env, owner, "access", plain);
    await db.update(gmailTokens).set({ accessToken }).where(ownedBy(gmailTokens, owner));
  });
  const sleep = async () => {
    throw new Error("waits for its own lease");
  };
  const token = await freshAccessToken(db, env, owner, { sleep });
  const row = await readTokenRow(db, owner);
  expect(await unsealToken(env, owner, "access", row?.accessToken ?? "")).toBe(token);
  expect(row).toMatchObject({ refreshLeaseUntil: 0 });
});

test("stores no token once the mailbox was disconnected during a refresh", async () => {
  const { env, owner, duringRefresh } = await expiring();
  duringRefresh(async () => {
    await db.delete(gmailTokens).where(ownedBy(gmailTokens, owner));
  });
  await expect(freshAccessToken(db, env, owner)).rejects.toMatchObject({ name: "ReconnectNeeded" });
  expect(await readTokenRow(db, owner)).toBeNull();
});

test.for([
  ["ends", null],
  ["is refused by Google", { error: "invalid_grant" }],
] as const)("keeps the tokens of a new connection when a refresh of the earlier one %s later", async ([, refusal]) => {
  const { env, owner, duringRefresh } = await expiring();
  let connected: unknown;
  duringRefresh(async () => {
    expect(await connectMailbox(env, owner)).toBeNull();
    connected = await readTokenRow(db, owner);
    return refusal && Response.json(refusal, { status: 400 });
  });
  const token = await freshAccessToken(db, env, owner).catch((error: Error) => error.name);
  const row = await readTokenRow(db, owner);
  expect(row).toEqual(connected);
  expect(token).toBe(refusal ? "ReconnectNeeded" : await unsealToken(env, owner, "access", row?.accessToken ?? ""));
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, total: 100 });
});

test("leaves a refresh of a new connection running when the earlier one's fails later", async () => {
  const { env, owner, duringRefresh } = await expiring();
  let leased: unknown;
  duringRefresh(async () => {
    expect(await connectMailbox(env, owner)).toBeNull();
    await db
      .update(gmailTokens)
      .set({ refreshLeaseUntil: Date.now() + MINUTE_MS })
      .where(ownedBy(gmailTokens, owner));
    leased = await readTokenRow(db, owner);
    return new Response("", { status: 503 });
  });
  await expect(freshAccessToken(db, env, owner)).rejects.toMatchObject({ name: "GoogleAway" });
  expect(await readTokenRow(db, owner)).toEqual(leased);
});

/** A mailbox whose access token is about to expire. `duringRefresh` runs before Google responds to the first refresh. */
async function expiring() {
  const { env } = await lane();
  const owner = someone();
  expect(await connectMailbox(env, owner)).toBeNull();
  await db
    .update(gmailTokens)
    .set({ expiresAt: Date.now() + MINUTE_MS })
    .where(ownedBy(gmailTokens, owner));
  return {
    env,
    owner,
    /** A response that the work returns replaces Google's. */
    duringRefresh(work: () => Promise<unknown>): void {
      let refreshes = 0;
      vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
        const isFirst = String(init?.body).includes("grant_type=refresh_token") && ++refreshes === 1;
        const replaced = isFirst ? await work() : null;
        return replaced instanceof Response ? replaced : realFetch(input, init);
      });
    },
  };
}
