import { env } from "cloudflare:workers";
import { asc } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { gmailMessages, gmailSyncStatus, gmailTokens } from "#app/db/schema.server.ts";
import { sealToken, unsealToken } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { type MailboxOwner, ownedBy, ZERO_USER_ID } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { someone } from "#tests/workerd/gmail-mailbox.ts";
import { claimMailbox } from "./claim-mailbox.server.ts";

test("moves this visitor's mailbox, and no other visitor's, in place of what a refused one left", async () => {
  const [visitor, stranger, account] = [someVisitor(), someVisitor(), someone()];
  await addMailbox(stranger, "stranger");
  await addMailbox(account, "account", { accessToken: null, refreshToken: null });
  await addMailbox(visitor, "visitor");
  const before = await mailboxOf(stranger);
  const { status, messages, tokens } = await mailboxOf(visitor);
  await claimMailbox(db, env, visitor, account.userId);

  expect(await mailboxOf(visitor)).toEqual({ tokens: [], status: [], messages: [] });
  expect(await mailboxOf(stranger)).toEqual(before);
  const moved = await mailboxOf(account);
  expect(moved.messages).toEqual(messages.map((message) => ({ ...message, ...account })));
  const [own] = moved.status;
  const due = { leaseId: null, leaseUntil: 0, nextSyncAt: expect.any(Number) };
  expect(moved.status).toEqual([{ ...status[0], ...account, ...due }]);
  expect(Math.abs((own?.nextSyncAt ?? 0) - Date.now())).toBeLessThan(60_000);
  const sealed = { accessToken: expect.any(String), refreshToken: expect.any(String) };
  expect(moved.tokens).toEqual([{ ...tokens[0], ...account, ...sealed, refreshLeaseUntil: 0 }]);
  const [token] = moved.tokens;
  expect(await unsealToken(env, account, "access", token?.accessToken ?? "")).toBe("access of visitor");
  expect(await unsealToken(env, account, "refresh", token?.refreshToken ?? "")).toBe("refresh of visitor");

  await claimMailbox(db, env, visitor, account.userId);
  expect(await mailboxOf(account)).toEqual(moved);
});

test.for<[what: string, status: Status, isDue: boolean]>([
  ["is due at once if it was interrupted", { pending: '["a"]', autoSync: false }, true],
  ["is due at once if it is automatic", { pending: "[]", autoSync: true }, true],
  ["waits for a request otherwise", { pending: "[]", autoSync: false }, false],
])("the sync of a moved mailbox %s", async ([, status, isDue]) => {
  const [visitor, account] = [someVisitor(), someone()];
  await addMailbox(visitor, "visitor", {}, { ...status, nextSyncAt: 5 });
  await claimMailbox(db, env, visitor, account.userId);
  const [row] = (await mailboxOf(account)).status;
  expect(row?.nextSyncAt).toEqual(isDue ? expect.any(Number) : null);
  expect(row?.nextSyncAt).not.toBe(5);
});

test("moves a mailbox that has to be connected again", async () => {
  const [visitor, account] = [someVisitor(), someone()];
  await addMailbox(visitor, "visitor", { accessToken: null, refreshToken: null });
  await claimMailbox(db, env, visitor, account.userId);
  expect(await mailboxOf(account)).toMatchObject({
    tokens: [{ accessToken: null, refreshToken: null, emailAddress: "visitor@mail.example" }],
    messages: [{ id: "a" }, { id: "b" }],
  });
});

test("changes nothing of an account without a visitor's mailbox", async () => {
  const [visitor, account] = [someVisitor(), someone()];
  await addMailbox(account, "account");
  const before = await mailboxOf(account);
  await claimMailbox(db, env, visitor, account.userId);
  expect(await mailboxOf(account)).toEqual(before);
});

test("leaves out what another request has moved, or what Google replaced, meanwhile", async () => {
  for (const change of ["moved", "refreshed"]) {
    const [visitor, account] = [someVisitor(), someone()];
    await addMailbox(visitor, "visitor");
    // A second tab's claim passes its checks at the same time and runs first.
    const batch = db.batch.bind(db);
    const meanwhile = vi.spyOn(db, "batch").mockImplementationOnce(async (statements) => {
      if (change === "moved") await claimMailbox(db, env, visitor, account.userId);
      else await db.update(gmailTokens).set({ accessToken: "newer" }).where(ownedBy(gmailTokens, visitor));
      states.push(await mailboxOf(visitor), await mailboxOf(account));
      return batch(statements);
    });
    const states: unknown[] = [];
    await claimMailbox(db, env, visitor, account.userId);
    meanwhile.mockRestore();
    expect([await mailboxOf(visitor), await mailboxOf(account)]).toEqual(states);
    expect((await mailboxOf(change === "moved" ? account : visitor)).messages).toHaveLength(2);
  }
});

type Status = Partial<typeof gmailSyncStatus.$inferInsert>;

function someVisitor(): MailboxOwner {
  return { userId: ZERO_USER_ID, ownerDigest: crypto.randomUUID() };
}

/** A mailbox with tokens, a running sync and two messages, whose ids are the same in each. */
async function addMailbox(
  owner: MailboxOwner,
  name: string,
  tokens: Partial<typeof gmailTokens.$inferInsert> = {},
  status: Status = {},
): Promise<void> {
  await db.insert(gmailTokens).values({
    ...owner,
    accessToken: await sealToken(env, owner, "access", `access of ${name}`),
    refreshToken: await sealToken(env, owner, "refresh", `refresh of ${name}`),
    emailAddress: `${name}@mail.example`,
    scope: "read",
    expiresAt: 7,
    refreshLeaseUntil: 8,
    createdAt: 9,
    ...tokens,
  });
  const running = { leaseId: "lease", leaseUntil: Date.now() * 2, autoSync: true, lastSyncAt: 3, historyId: "4" };
  await db.insert(gmailSyncStatus).values({ ...owner, ...running, ...status });
  for (const [id, internalDate] of [
    ["a", 1],
    ["b", 2],
  ] as const) {
    const from = { fromEmail: `${name}@sender.example`, fromName: name };
    await db.insert(gmailMessages).values({ ...owner, ...from, id, subject: name, snippet: name, internalDate });
  }
}

async function mailboxOf(owner: MailboxOwner) {
  const [tokens, status, messages] = await db.batch([
    db.select().from(gmailTokens).where(ownedBy(gmailTokens, owner)),
    db.select().from(gmailSyncStatus).where(ownedBy(gmailSyncStatus, owner)),
    db.select().from(gmailMessages).where(ownedBy(gmailMessages, owner)).orderBy(asc(gmailMessages.id)),
  ]);
  return { tokens, status, messages };
}
