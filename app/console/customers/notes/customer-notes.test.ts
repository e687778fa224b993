import { SELF } from "cloudflare:test";
import { desc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { auditLog, customerNotes } from "#app/db/schema.server.ts";
import { exportOrderData } from "#app/orders/export-order-data.server.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { db } from "#tests/workerd/customer.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { type SignedInAccount, storedSignIn } from "#tests/workerd/signed-in-account.ts";

const NINA = await storedSignIn("agent");
const OMAR = await storedSignIn("agent");
const ADA = await storedSignIn("admin");
const STRANGER = await storedSignIn();

test("saves a note once, with its author and its time, and shows it to the whole team", async () => {
  const { userId } = await accountWithoutPassword();
  const once = crypto.randomUUID();
  for (let sent = 0; sent < 2; sent++) {
    expect(await post(NINA, userId, { intent: "note", body: "Prefers <b>email</b>", once })).toBe(302);
  }
  const notes = await notesOf(userId);
  expect(notes).toMatchObject([{ body: "Prefers <b>email</b>", authorId: NINA.userId, authorName: "Test Customer" }]);
  for (const reader of [OMAR, ADA]) {
    const page = await open(reader, userId);
    expect(page).toContain("Prefers &lt;b&gt;email&lt;/b&gt;");
    // Only its author and admins can delete it.
    expect(page.includes("Delete this note?") || page.includes("Delete the note by")).toBe(reader === ADA);
  }
  expect(await open(NINA, userId)).toContain("Delete the note by");
  const [entry] = await db.select().from(auditLog).where(eq(auditLog.subjectId, userId)).orderBy(desc(auditLog.id));
  expect(entry).toMatchObject({ action: "customer.note", actorId: NINA.userId, detail: {} });
});

test("refuses a note that is empty, too long or about nobody", async () => {
  const { userId } = await accountWithoutPassword();
  const once = crypto.randomUUID();
  for (const body of ["", "   ", "x".repeat(2001), "\0"]) {
    expect(await post(NINA, userId, { intent: "note", body, once })).toBe(400);
  }
  expect(await post(NINA, "nobody", { intent: "note", body: "Hello", once })).toBe(404);
  expect(await post(NINA, userId, { intent: "note", body: "x".repeat(2000), once })).toBe(302);
});

test("lets agents delete their own notes and admins any, and notes who did", async () => {
  const { userId } = await accountWithoutPassword();
  const other = await accountWithoutPassword();
  for (const author of [NINA, OMAR]) {
    await post(author, userId, { intent: "note", body: "Note", once: crypto.randomUUID() });
  }
  const [omars, ninas] = await notesOf(userId);
  const remove = (by: SignedInAccount, note = 0, of = userId) =>
    post(by, of, { intent: "delete-note", note: String(note) });
  expect(await remove(NINA, omars?.id)).toBe(409);
  expect(await remove(NINA, ninas?.id, other.userId)).toBe(409);
  expect(await remove(STRANGER, ninas?.id)).toBe(404);
  expect(await notesOf(userId)).toHaveLength(2);
  expect(await remove(NINA, ninas?.id)).toBe(302);
  expect(await remove(NINA, ninas?.id)).toBe(409);
  expect(await remove(ADA, omars?.id)).toBe(302);
  expect(await notesOf(userId)).toEqual([]);
  const entries = await db.select().from(auditLog).where(eq(auditLog.action, "customer.note_delete"));
  expect(entries.map(({ actorId, subjectId, detail }) => [actorId, subjectId, detail])).toEqual([
    [NINA.userId, userId, { note: ninas?.id }],
    [ADA.userId, userId, { note: omars?.id }],
  ]);
});

test("gives the customer the notes with their data, without the authors, and shows them to nobody else", async () => {
  const { userId } = STRANGER;
  await post(NINA, userId, { intent: "note", body: "Wholesale from March on", once: crypto.randomUUID() });
  expect((await exportOrderData(db, userId)).teamNotes).toEqual([
    { body: "Wholesale from March on", createdAt: expect.stringMatching(/^\d{4}-/) },
  ]);
  for (const path of ["/dashboard", "/dashboard/account", "/dashboard/transactions"]) {
    const response = await SELF.fetch(SITE + path, { headers: { Cookie: STRANGER.cookie } });
    expect(await response.text()).not.toContain("Wholesale from March on");
  }
  const page = await SELF.fetch(`${SITE}/admin/customers/${userId}`, { headers: { Cookie: STRANGER.cookie } });
  expect(page.status).toBe(404);
});

test("pages through notes, the newest first", async () => {
  const { userId } = await accountWithoutPassword();
  const rows = Array.from({ length: 25 }, (_, at) => ({
    userId,
    body: `Number ${at}.`,
    authorName: "Ada",
    createdAt: at + 1,
  }));
  for (const row of rows) await db.insert(customerNotes).values(row);
  const first = await open(ADA, userId);
  const shown = (html: string) => rows.filter(({ body }) => html.includes(`>${body}<`)).map(({ body }) => body);
  expect(shown(first)).toEqual(rows.slice(5).map(({ body }) => body));
  const [, next = ""] = /notes-before=(\d+)/.exec(first) ?? [];
  expect(shown(await open(ADA, userId, `?notes-before=${next}`))).toEqual(rows.slice(0, 5).map(({ body }) => body));
});

test("shows agents neither what a customer spent nor what that cost", async () => {
  const { userId } = await accountWithoutPassword();
  expect(await open(ADA, userId)).toContain("Spending and margin");
  const page = await open(NINA, userId);
  expect(page).toContain("New note");
  expect(page).not.toMatch(/Spending and margin|Card payments|Transactions|Adjust balance/);
});

function notesOf(userId: string) {
  return db.select().from(customerNotes).where(eq(customerNotes.userId, userId)).orderBy(desc(customerNotes.id));
}

async function open({ cookie }: SignedInAccount, userId: string, search = ""): Promise<string> {
  const response = await SELF.fetch(`${SITE}/admin/customers/${userId}${search}`, { headers: { Cookie: cookie } });
  expect(response.status).toBe(200);
  return response.text();
}

async function post({ cookie }: SignedInAccount, userId: string, fields: Record<string, string>): Promise<number> {
  const headers = { Cookie: cookie, ...SAME_SITE };
  const body = new URLSearchParams(fields);
  const response = await SELF.fetch(`${SITE}/admin/customers/${userId}`, {
    method: "POST",
    headers,
    body,
    redirect: "manual",
  });
  await response.text();
  return response.status;
}
