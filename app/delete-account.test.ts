import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pendingDeletions, startDeletion } from "#app/accounts/deletion/start-deletion.server.ts";
import { readAccount } from "#app/accounts/profile/profile.server.ts";
import { adjustBalance } from "#app/console/customers/customer-admin.server.ts";
import { createCodes } from "#app/console/stores/code-batch-store.server.ts";
import { audit } from "#app/db/audit.server.ts";
import { supportCases } from "#app/db/schema/support-tables.server.ts";
import {
  accountDeletions,
  auditLog,
  cancellations,
  cardReversals,
  checkouts,
  emailChanges,
  gmailMessages,
  gmailOauthStates,
  gmailSyncStatus,
  gmailTokens,
  orders,
  passwordResets,
  providerLog,
  refills,
  tempMysqlPasswords,
  uploads,
  wallets,
} from "#app/db/schema.server.ts";
import { streamJson } from "#app/http/responses/stream-json.ts";
import { setFavorite } from "#app/orders/catalog/favorites.server.ts";
import { exportOrderData } from "#app/orders/export-order-data.server.ts";
import { placeMassOrder } from "#app/orders/mass/place-mass-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { redeemCode } from "#app/orders/top-up/redeem-code.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { createEndpoint } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { HOUR_MS } from "#app/time.ts";
import { putPart, startUpload } from "#app/uploads/multipart-upload.server.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { withoutTable } from "#tests/workerd/missing-table.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { ownerOf, startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { deleteAccount, resumeDeletions } from "./delete-account.server.ts";

const NAME = "Zebedee Quartermaine";
const LINK = "https://instagram.com/zebedee.quartermaine";
const visit = newVisit();
const context = loadContext();
const { supportDb } = context;

type Customer = Awaited<ReturnType<typeof furnish>>;

test("removes a deleted person from every table, room and bucket, keeps the ledger balanced and other customers' data intact", async () => {
  const person = await furnish(NAME, LINK);
  const other = await furnish("Other Customer", "https://instagram.com/other");
  const before = await traces(other);
  expect(await startDeletion(context, visit, { ...person, sessionId: "any" }, "correct horse battery")).toEqual({
    ok: true,
  });
  await deleteAccount(db, env, person.userId);

  expect(await traces(person)).toEqual([]);
  expect(await traces(other)).toEqual(before);
  expect(await checkLedger(db)).toEqual([]);
  expect(await pendingDeletions(db)).toEqual([]);
  const [kept] = await db.select().from(orders).where(eq(orders.id, person.orderId));
  expect(kept).toMatchObject({ link: "", providerFields: {}, status: "Canceled", refunded: kept?.charge });
});

test("resumes an interrupted deletion, and repeating it changes nothing", async () => {
  const person = await furnish("Cut Off Person", "https://instagram.com/cut.off");
  await startDeletion(context, visit, { ...person, sessionId: "any" }, "correct horse battery");
  const failing = {
    ...env,
    UPLOADS: { delete: () => Promise.reject(new Error("R2 is away")) },
  };
  await expect(deleteAccount(db, failing as unknown as Env, person.userId)).rejects.toThrow("R2 is away");
  expect(await pendingDeletions(db)).toEqual([person.userId]);
  expect(await traces(person)).not.toEqual([]);
  await resumeDeletions(db, env);
  expect(await traces(person)).toEqual([]);
  await deleteAccount(db, env, person.userId);
  expect(await checkLedger(db)).toEqual([]);
  expect(await db.select().from(accountDeletions)).toEqual([]);
});

test("strips the team's last actions on the conversation from the audit log", async () => {
  const person = await furnish("Discussed Person", "https://instagram.com/discussed");
  const sessionId = userSessionId(person.userId);
  const agent = { id: crypto.randomUUID(), name: "Bo" };
  await withoutTable(env.DB, "audit_log", async () => {
    await env.SUPPORT_ROOM.getByName(sessionId).applyAction(agent, { action: "tag", tag: "vip", isOn: true });
  });
  await startDeletion(context, visit, { ...person, sessionId: "any" }, "correct horse battery");
  await deleteAccount(db, env, person.userId);
  const entries = await db.select().from(auditLog).where(eq(auditLog.actorId, agent.id));
  expect(entries).toMatchObject([{ action: "conversation.tags", subjectId: expect.stringMatching(/^deleted-/) }]);
  expect(await traces(person)).toEqual([]);
});

test("anonymizes orders while the support database is away, and strips the audit log again afterwards", async () => {
  const person = await furnish("Patient Person", "https://instagram.com/patient");
  const agent = { id: crypto.randomUUID(), name: "Bo" };
  await startDeletion(context, visit, { ...person, sessionId: "any" }, "correct horse battery");
  await withoutTable(env.DB_SUPPORT, "support_sessions", async () => {
    const room = env.SUPPORT_ROOM.getByName(userSessionId(person.userId));
    await room.applyAction(agent, { action: "tag", tag: "vip", isOn: true });
    await expect(deleteAccount(db, env, person.userId)).rejects.toThrow("not deleted yet");
  });
  const [order] = await db.select().from(orders).where(eq(orders.id, person.orderId));
  expect(order).toMatchObject({ link: "", status: "Canceled" });
  await resumeDeletions(db, env);
  expect(await traces(person)).toEqual([]);
  const entries = await db.select().from(auditLog).where(eq(auditLog.actorId, agent.id));
  expect(entries).toMatchObject([{ subjectId: expect.stringMatching(/^deleted-/) }]);
});

test("leaves no word of a deleted conversation in the search index", async () => {
  const { userId, email } = await customerWith(0);
  const sessionId = userSessionId(userId);
  const room = env.SUPPORT_ROOM.getByName(sessionId);
  await room.open({ sessionId, userId, name: "Xylophonist", email });
  await room.sendMessage(
    { side: "user", author: sessionId, name: "Xylophonist" },
    { clientId: "c1", body: "My zyzzyvas" },
  );
  await room.applyAction({ id: "agent-1", name: "Bo" }, { action: "status", status: "closed" });
  expect(await searchIndexWords(["ylophonist", "yzzyvas"])).toEqual(["ylophonist", "yzzyvas"]);
  await startDeletion(context, visit, { userId, sessionId: "any" }, "correct horse battery");
  await deleteAccount(db, env, userId);
  expect(await searchIndexWords(["ylophonist", "yzzyvas"])).toEqual([]);
});

test("deletions that keep failing don't hold up later ones", async () => {
  // One more than a run resumes.
  const stuck = Array.from({ length: 21 }, (_, n) => `stuck-${n}`);
  const row = { name: "", contentType: "", size: 1, createdAt: 1 };
  const [first, ...others] = stuck.map((userId) =>
    db.insert(uploads).values({ ...row, id: userId, userId, key: userId }),
  );
  const deletions = stuck.map((userId) => ({ userId, requestedAt: 1 }));
  await db.insert(accountDeletions).values([...deletions, { userId: "last in line", requestedAt: 2 }]);
  if (first) await db.batch([first, ...others]);
  const failing = { ...env, UPLOADS: { delete: () => Promise.reject(new Error("R2 is away")) } } as unknown as Env;
  await resumeDeletions(db, failing);
  await resumeDeletions(db, failing);
  const left = await db.select({ userId: accountDeletions.userId }).from(accountDeletions);
  expect(left.map(({ userId }) => userId).toSorted()).toEqual(stuck.toSorted());
  await db.delete(accountDeletions);
});

/** Creates a customer with data in every table, the room and the bucket. */
async function furnish(name: string, link: string) {
  const { userId, email } = await customerWith(5_000_000);
  await env.DB.prepare("update profiles set full_name = ? where user_id = ?").bind(name, userId).run();
  const { orderId, placed } = await order(userId, link);
  await db.insert(refills).values({ orderId, userId, createdAt: 1, updatedAt: 1 });
  await db.insert(cancellations).values({ orderId, userId, fulfillment: "manual", createdAt: 1, updatedAt: 1 });
  await createEndpoint(db, env, await ownerOf(userId), `https://shop.example/${encodeURIComponent(name)}`);
  await createEndpoint(db, env, await ownerOf(userId), `https://shop.example/${userId}`);
  await setFavorite(db, userId, await service(), true);
  await placeMass(userId, link, name);
  await rollUpSpending(db);
  const coming = await startUpload(db, env.UPLOADS, userId, { name: `${name}.csv`, size: 4, fingerprint: name });
  if (!coming.ok) throw new Error(coming.text);
  await putPart(db, env.UPLOADS, userId, coming.upload.id, 1, new Blob(["a,b\n"]).stream());
  const providerId = await provider();
  const response = JSON.stringify({ error: `Bad link ${link}` });
  await db.insert(providerLog).values({ providerId, orderId, action: "add", response, createdAt: 1 });
  await actUpon(userId, email, orderId, name);
  await startSession(db, { userId });
  await db.insert(tempMysqlPasswords).values({ userId, migrated: true });
  await db.update(wallets).set({ lowBalanceThreshold: 1 }).where(eq(wallets.userId, userId));
  const expiresAt = Date.now() + HOUR_MS;
  await db.insert(passwordResets).values({ tokenDigest: `reset ${userId}`, userId, expiresAt });
  await db
    .insert(emailChanges)
    .values({ userId, tokenDigest: `change ${userId}`, newEmail: `new-${email}`, expiresAt });
  await db.insert(gmailTokens).values({ userId, emailAddress: email, createdAt: 1 });
  await db.insert(gmailMessages).values({ id: "m1", userId, fromEmail: email, internalDate: 1 });
  await db.insert(gmailSyncStatus).values({ userId });
  await db
    .insert(gmailOauthStates)
    .values({ stateDigest: userId, userId, browserDigest: "", codeVerifier: "", mode: "popup", expiresAt });
  const key = `${userId}/photo.png`;
  await env.UPLOADS.put(key, name);
  await db.insert(uploads).values({
    id: crypto.randomUUID(),
    userId,
    key,
    name: `${name}.png`,
    contentType: "image/png",
    size: 1,
    createdAt: 1,
  });
  const sessionId = userSessionId(userId);
  const room = env.SUPPORT_ROOM.getByName(sessionId);
  await room.open({ sessionId, userId, name, email });
  await room.sendMessage({ side: "user", author: sessionId, name }, { clientId: "c1", body: `I am ${name}, ${email}` });
  await runDurableObjectAlarm(room);
  expect(tablesWith(await storedRows(), `I am ${name}`)).toEqual(["support_messages", "support_sessions"]);
  await room.setStatus("closed");
  expect(await room.rate("good")).toBe(true);
  await runDurableObjectAlarm(room);
  const isRated = and(eq(supportCases.sessionId, sessionId), eq(supportCases.rating, "good"));
  expect(await supportDb.$count(supportCases, isRated)).toBe(1);
  expect(placed.ok).toBe(true);
  expect(await readBalance(db, userId)).toBeLessThan(5_000_000);
  expect((await readAccount(db, userId)).fullName).toBe(name);
  return { userId, email, name, link, orderId };
}

async function placeMass(userId: string, link: string, source: string): Promise<void> {
  const text = `${await service()} | ${link} | 100`;
  const input = { text, source, idempotencyKey: `mass-${source}`, onlyValid: false, agreedCharge: 90_000 };
  expect(await placeMassOrder(db, userId, input)).toMatchObject({ ok: true });
}

async function order(userId: string, link: string) {
  const placed = await placeOrder(db, userId, {
    serviceId: await service({ type: "Default" }),
    fields: { link, quantity: "100" },
    idempotencyKey: `for ${link}`,
    source: "web",
  });
  if (!placed.ok) throw new Error(placed.fault.reason);
  return { orderId: placed.order.id, placed };
}

/** Adds rows from staff actions, codes and card payments. The person has also been staff. */
async function actUpon(userId: string, email: string, orderId: number, name: string): Promise<void> {
  const staff = { userId: "staff-1", name: "Grace Admin" };
  const reason = `${name} wrote to us`;
  await adjustBalance(db, staff, userId, { kind: "adjustment", amount: 1, reason }, crypto.randomUUID());
  const themselves = { userId, name };
  await audit(db, themselves, { action: "service.change", subject: "service", subjectId: 1 });
  await audit(db, staff, { action: "order.status", subject: "order", subjectId: orderId, detail: { reason } });
  await audit(db, staff, {
    action: "conversation.tags",
    subject: "conversation",
    subjectId: userSessionId(userId),
    detail: { tags: ["", name] },
  });
  const batch = { name: "Test", amount: 1, count: 1, maxUses: 1, expiresAt: null };
  const made = await createCodes(db, staff, batch, crypto.randomUUID());
  expect(await redeemCode(db, userId, made?.codes[0] ?? "")).toMatchObject({ ok: true });
  const paymentIntent = `pi_${crypto.randomUUID()}`;
  const payment = { id: crypto.randomUUID(), userId, amount: 1, paymentIntent, createdAt: 1, updatedAt: 1 };
  await db.insert(checkouts).values(payment);
  const reported = { inEffect: true, status: "succeeded", eventAt: 1, eventRank: 1, createdAt: 1 };
  await db
    .insert(cardReversals)
    .values({ id: `re_${crypto.randomUUID()}`, paymentIntent, kind: "refund", amount: 1, ...reported });
  const exported = await exportOrderData(db, userId);
  expect(await new Response(streamJson(exported)).text()).not.toContain(email);
  expect(exported.staffActions).toContainEqual(
    expect.objectContaining({
      action: "order.status",
      subjectType: "order",
      order: orderId,
      detail: { reason },
    }),
  );
}

async function provider(): Promise<number> {
  const row = await env.DB.prepare(
    "insert into providers (name, api_url, encrypted_key, created_at) values (?, 'https://p.example', '', 1) returning id",
  )
    .bind(crypto.randomUUID())
    .first<{ id: number }>();
  return row?.id ?? 0;
}

/** Returns every place that holds data of the customer: "table", "room table" or "bucket". */
async function traces({ userId, email, name, link }: Customer): Promise<string[]> {
  const [rows, room, files] = await Promise.all([storedRows(), roomRows(userId), storedFiles()]);
  return [userId, email, name, link].flatMap((text) => [
    ...tablesWith(rows, text).map((table) => `${table}: ${text}`),
    ...tablesWith(room, text).map((table) => `room ${table}: ${text}`),
    ...files.filter((file) => file.includes(text)).map(() => `bucket: ${text}`),
  ]);
}

/** Rows as JSON, by table. */
type Rows = [table: string, rows: string][];

/** Returns the names of the tables whose rows contain the text. */
function tablesWith(stored: Rows, text: string): string[] {
  const found = stored.filter(([, rows]) => rows.includes(text)).map(([name]) => name);
  // The list is ordered by a hash of the names.
  return found.sort();
}

/** Returns all rows of both databases. */
async function storedRows(): Promise<Rows> {
  const stored = [env.DB, env.DB_SUPPORT].map(async (database): Promise<Rows> => {
    const { results: tables } = await database.prepare("pragma table_list").run<{ name: string; type: string }>();
    const names = tables.filter(({ name, type }) => type === "table" && !/^(sqlite|_cf)_/.test(name));
    const all = await database.batch(names.map(({ name }) => database.prepare(`select * from "${name}"`)));
    return all.map(({ results }, at) => [names[at]?.name ?? "", JSON.stringify(results)]);
  });
  return (await Promise.all(stored)).flat();
}

/** Returns the keys and contents of all uploaded files. */
async function storedFiles(): Promise<string[]> {
  const { objects } = await env.UPLOADS.list();
  return Promise.all(objects.map(async ({ key }) => `${key} ${await (await env.UPLOADS.get(key))?.text()}`));
}

/** Returns those of the words that the stored search indexes contain. An index shares the start of a word with others. */
async function searchIndexWords(words: string[]): Promise<string[]> {
  let stored = "";
  for (const table of ["support_search_data", "support_people_search_data"]) {
    const { results } = await env.DB_SUPPORT.prepare(`select block from ${table}`).run<{ block: number[] }>();
    stored += results.map(({ block }) => new TextDecoder("latin1").decode(new Uint8Array(block))).join();
  }
  return words.filter((word) => stored.includes(word));
}

function roomRows(userId: string): Promise<Rows> {
  return runInDurableObject(env.SUPPORT_ROOM.getByName(userSessionId(userId)), (_room, { storage }) =>
    ["session", "messages"].map((table): Rows[number] => [
      table,
      JSON.stringify(storage.sql.exec(`select * from ${table}`).toArray()),
    ]),
  );
}
