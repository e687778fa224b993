import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { savedFilters } from "#app/db/schema.server.ts";
import type { InboxPage, SavedFilter } from "#app/support/inbox/inbox-view.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { fillInbox } from "#tests/workerd/inbox-fill.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, ORIGIN, roomOf, takeAction, until } from "#tests/workerd/support-visitor.ts";
import { isInFilter, readInbox } from "./inbox.server.ts";
import { FILTERS_MAX } from "./inbox-view.ts";
import { search } from "./message-search.server.ts";
import { changeFilters, type FilterChange, listFilters } from "./saved-filters.server.ts";

const db = connect(env.DB);
const supportDb = connectSupport(env.DB_SUPPORT);

function filter(change: Partial<Extract<FilterChange, { action: "save" }>> = {}): FilterChange {
  return { action: "save", name: "Refunds", view: "open", tag: "", assigneeId: "", words: "", ...change };
}

test("keeps an agent's filters, which no other agent sees, uses, renames or deletes", async () => {
  const [bo, al, eve] = [
    await signedIn("agent", "Bo"),
    await signedIn("agent", "Al"),
    await signedIn("customer", "Eve"),
  ];
  const [own] = await saved(bo, filter({ tag: "refund" }));
  const id = own?.id ?? 0;
  expect(own).toEqual({ id, name: "Refunds", view: "open", tag: "refund", assigneeId: "", words: "" });
  expect((await post(bo.cookie, filter({ name: "REFUNDS" }))).status).toBe(409);
  // The name is free for others.
  expect(await saved(al, filter())).toHaveLength(1);
  await saved(al, { action: "rename", id, name: "Mine" });
  await saved(al, { action: "delete", id });
  expect((await post(eve.cookie, { action: "delete", id })).status).toBe(404);
  expect((await listFilters(db, bo.userId)).map(({ name }) => name)).toEqual(["Refunds"]);
  const { sessionId } = await newVisitor();
  await takeAction(sessionId, bo.cookie, { action: "tag", tag: "other", isOn: true });
  expect(ids(await inbox(bo, id))).not.toContain(sessionId);
  expect(ids(await inbox(al, id))).toContain(sessionId);
  const page = await SELF.fetch(`${ORIGIN}/admin?filter=${id}`, { headers: { Cookie: al.cookie } });
  expect(await page.text()).not.toContain('"refund"');

  expect((await saved(bo, { action: "rename", id, name: "Money back" }))[0]).toMatchObject({ id, name: "Money back" });
  for (const bad of [{ name: " " }, { tag: "#1" }, { name: "x".repeat(41) }]) {
    expect((await post(bo.cookie, filter({ name: "Other", ...bad }))).status, JSON.stringify(bad)).toBe(422);
  }
  expect(await saved(bo, { action: "delete", id })).toEqual([]);
});

test("keeps at most 20 filters, also when many are saved at once", async () => {
  const { userId } = await signedIn("agent", "Bo");
  const names = Array.from({ length: FILTERS_MAX + 5 }, (_, at) => `F${at}`);
  const results = await Promise.all(names.map((name) => changeFilters(db, userId, filter({ name }))));
  expect(results.filter((refusal) => refusal === "full")).toHaveLength(5);
  expect(await db.$count(savedFilters, eq(savedFilters.userId, userId))).toBe(FILTERS_MAX);
});

test("lists the conversations of a filter by tag, assignee, state and words", async () => {
  const bo = await signedIn("agent", "Bo");
  const [tagged, assigned, closed] = [await newVisitor(), await newVisitor(), await newVisitor()];
  await takeAction(tagged.sessionId, bo.cookie, { action: "tag", tag: "Refund", isOn: true });
  for (const { sessionId } of [assigned, closed]) {
    await takeAction(sessionId, bo.cookie, { action: "tag", tag: "refund", isOn: true });
    await takeAction(sessionId, bo.cookie, { action: "assign", agentId: bo.userId });
    await roomOf(sessionId).sendMessage(
      { side: "user", author: sessionId, name: "Ada" },
      { clientId: "1", body: "zebrafish" },
    );
  }
  await takeAction(closed.sessionId, bo.cookie, { action: "status", status: "closed" });
  const listed = async (change: Partial<Extract<FilterChange, { action: "save" }>>) => {
    const name = crypto.randomUUID();
    const all = await saved(bo, filter({ name, ...change }));
    return ids(await inbox(bo, all.find((one) => one.name === name)?.id ?? 0)).sort();
  };
  const both = [tagged.sessionId, assigned.sessionId].sort();
  expect(await listed({ tag: "refund" })).toEqual(both);
  expect(await listed({ tag: "REFUND", assigneeId: bo.userId })).toEqual([assigned.sessionId]);
  expect(await listed({ tag: "refund", view: "unassigned" })).toEqual([tagged.sessionId]);
  expect(await listed({ tag: "refund", view: "closed" })).toEqual([closed.sessionId]);
  expect(await listed({ assigneeId: bo.userId, view: "closed" })).toEqual([closed.sessionId]);
  const found = async (view: "open" | "closed") => {
    const isWanted = isInFilter({ view, tag: "refund", assigneeId: bo.userId }, bo.userId, Date.now());
    return (await search(supportDb, "zebrafish", null, 10, isWanted)).hits.map(({ sessionId }) => sessionId);
  };
  await until(async () => (await found("open")).length === 1);
  expect([await found("open"), await found("closed")]).toEqual([[assigned.sessionId], [closed.sessionId]]);
});

test("looks for a tag in the newest conversations only, however many there are", async () => {
  await fillInbox(env.DB_SUPPORT, { conversations: atScale(8000, 20_000), messagesEach: 1, agents: ["agent-1"] });
  const { database, counts } = countedDatabase(env.DB_SUPPORT);
  const page = { agentId: "agent-1", after: null, limit: 50 };
  const none = { tag: "nowhere", assigneeId: "" };
  await readInbox(connectSupport(database), { ...page, view: "closed", filter: none });
  expect(counts.rowsRead).toBeLessThan(3 * 2000 + 300);
});

async function saved({ cookie }: SignedInAccount, change: FilterChange): Promise<SavedFilter[]> {
  const response = await post(cookie, change);
  expect(response.status).toBe(200);
  return response.json();
}

function post(cookie: string, change: FilterChange): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/admin/filters`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: ORIGIN, Host: "growline.example", Cookie: cookie },
    body: JSON.stringify(change),
    redirect: "manual",
  });
}

async function inbox({ cookie }: SignedInAccount, id: number): Promise<InboxPage> {
  return (await SELF.fetch(`${ORIGIN}/admin/inbox?filter=${id}`, { headers: { Cookie: cookie } })).json();
}

function ids({ rows }: InboxPage): string[] {
  return rows.map(({ sessionId }) => sessionId);
}
