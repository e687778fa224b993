import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { type UnreadKind, unreadAnswers } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { providerReplies } from "#tests/workerd/sandbox-service.ts";
import { MAX_UNREAD, MAX_UNREAD_OF_CUSTOMER, noteUnread, readerOf, refusalText, unreadOf } from "./dialect.server.ts";
import { postToProvider } from "./provider-client.server.ts";
import { deleteOldProviderLog } from "./provider-log-retention.server.ts";

const READER = readerOf({ convention: "panel-api-v2" });
const LINK = "https://a.example/p/anna-lee";
const words = (providerId: number) => db.select().from(unreadAnswers).where(eq(unreadAnswers.providerId, providerId));

/** Sends an order whose provider refuses it with this text, and notes that. */
async function refuse(providerId: number, orderId: number, fields: Record<string, string>, error: string) {
  providerReplies(() => Response.json({ error }));
  const call = { action: "add", service: "1", link: LINK, quantity: "1000", ...fields };
  const response = await postToProvider({ apiUrl: "https://panel.example/api/v2", key: "my-own-key" }, call);
  const word = refusalText(response, READER) ?? "";
  await noteUnread(db, providerId, { kind: "error", word, orderId });
}

test("keeps nothing of what an order sent, and one row for refusals that differ in nothing else", async () => {
  const { providerId, orderIds } = await placeOrders(["https://a.example/1"]);
  const [orderId = 0] = orderIds;
  for (const comment of ["Nice pic, Anna", "call me at my place tonight", "so so"]) {
    await refuse(
      providerId,
      orderId,
      { comments: `first\n${comment}` },
      `Moon of ${comment} at a.example/p/anna-lee sets`,
    );
  }
  await refuse(providerId, orderId, { username: "anna.lee" }, "Moon of anna.lee at my-own-key sets");
  await refuse(providerId, orderId, {}, "Moon of Anna-Lee at my-own-key sets");
  expect(await words(providerId)).toMatchObject([{ key: "moon of # at # sets", word: "moon of # at # sets", seen: 5 }]);
});

test("takes no state that holds a number, a link or a name for a word that can be taught", () => {
  const of = (word: string) => unreadOf({ kind: "unreadable", why: "word", word, entry: null }, "state", 1);
  expect(of("Awaiting moon")).toEqual({ kind: "state", word: "Awaiting moon", orderId: 1 });
  for (const word of ["Sent to @anna", "Waits for a.example/p/anna", "Moon 4711"]) {
    expect(of(word), word).toEqual({ kind: "shape", word: "word", orderId: 1 });
  }
});

test("keeps nothing of an order's own texts from an error or a word in place of its state", () => {
  const of = (said: { word: string } | { error: string }) =>
    unreadOf({ kind: "unreadable", why: "word", entry: null, ...said }, "state", 1, [LINK, "Call me tonight"]);
  expect(of({ error: "Moon of call me tonight at a.example/p/anna-lee sets" }).word).toBe("moon of # at # sets");
  expect(of({ word: "Call me tonight" })).toEqual({ kind: "shape", word: "word", orderId: 1 });
});

test("leaves room for other kinds, other customers and other providers beside one whose texts always differ", async () => {
  const { providerId, orderIds } = await placeOrders(["https://a.example/1"]);
  const [orderId = 0] = orderIds;
  const note = (kind: UnreadKind, word: string, of = orderId, at = providerId) =>
    noteUnread(db, at, { kind, word, orderId: of });
  for (let n = 0; n <= MAX_UNREAD_OF_CUSTOMER; n++) await note("error", `moon ${lettersOf(n)}`);
  expect(await words(providerId)).toHaveLength(MAX_UNREAD_OF_CUSTOMER);
  // Known words are still counted.
  await note("error", `moon ${lettersOf(0)}`);
  expect((await words(providerId)).filter(({ seen }) => seen === 2)).toHaveLength(1);
  await note("state", "Awaiting moon");
  const other = await placeOrders(["https://a.example/2"], providerId);
  for (let n = 0; n <= MAX_UNREAD_OF_CUSTOMER; n++) await note("error", `sun ${lettersOf(n)}`, other.orderIds[0]);
  const third = await placeOrders(["https://a.example/3"], providerId);
  await note("error", "star", third.orderIds[0]);
  expect((await words(providerId)).filter(({ kind }) => kind === "error")).toHaveLength(MAX_UNREAD);
  const elsewhere = await placeOrders(["https://a.example/4"]);
  await note("error", "star", elsewhere.orderIds[0], elsewhere.providerId);
  expect(await words(elsewhere.providerId)).toHaveLength(1);
});

test("makes room each night by forgetting what was seen least", async () => {
  const { providerId, orderIds } = await placeOrders(["https://a.example/1"]);
  const [orderId = 0] = orderIds;
  const now = Date.now();
  await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MAX_UNREAD})
    insert into unread_answers (provider_id, kind, key, word, order_id, seen, first_seen_at, last_seen_at)
    select ${providerId}, 'error', 'moon' || i, 'moon', ${orderId}, iif(i <= 2, 9, 1), ${now}, ${now} + i from n`);
  await noteUnread(db, providerId, { kind: "error", word: "star", orderId });
  await deleteOldProviderLog(db, 30, now);
  const left = (await words(providerId)).map(({ key }) => key);
  expect(left).toHaveLength(MAX_UNREAD / 2);
  expect(left).toEqual(expect.arrayContaining(["moon1", "moon2", `moon${MAX_UNREAD}`]));
  await noteUnread(db, providerId, { kind: "error", word: "star", orderId: null });
  expect((await words(providerId)).map(({ key }) => key)).toContain("star");
});

function lettersOf(n: number): string {
  return [Math.floor(n / 20), n % 20].map((one) => String.fromCharCode(97 + one)).join("");
}
