import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { securityEvents } from "#app/db/schema.server.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { EVENTS_PER_PAGE, readActivity } from "./activity.server.ts";

const db = connect(env.DB);

test("lists the owner's events a page at a time, newest first, and none of another user", async () => {
  const [owner, other] = [await newAccount(), await newAccount()];
  const total = EVENTS_PER_PAGE + 3;
  for (let i = 0; i < total; i++) {
    for (const [{ userId }, device] of [[owner, `Browser ${i}`] as const, [other, "Another's browser"] as const]) {
      await db.insert(securityEvents).values({ userId, kind: "log_in", device, createdAt: 1000 + i });
    }
  }
  const first = await readActivity(db, owner.userId, null);
  const rest = await readActivity(db, owner.userId, first.next);
  expect(rest.next).toBeNull();
  const sentences = [...first.rows, ...rest.rows].map(({ sentence }) => sentence);
  expect(first.rows).toHaveLength(EVENTS_PER_PAGE);
  expect(sentences).toEqual(Array.from({ length: total }, (_, i) => `Logged in from Browser ${total - 1 - i}`));
});

test("takes no event of another user as a cursor", async () => {
  const [owner, other] = [await newAccount(), await newAccount()];
  await db.insert(securityEvents).values({ userId: owner.userId, kind: "log_in", createdAt: 1 });
  await db.insert(securityEvents).values({ userId: other.userId, kind: "log_in", createdAt: 2 });
  const { rows } = await readActivity(db, other.userId, null);
  expect(await readActivity(db, owner.userId, rows[0]?.id ?? 0)).toEqual({ rows: [], next: null });
});

test("shows an IPv6 network as one", async () => {
  const { userId } = await newAccount();
  await db.insert(securityEvents).values([
    { userId, kind: "log_in", network: "2001:db8:1:2", createdAt: 3 },
    { userId, kind: "log_in", network: "198.51.100.7", createdAt: 2 },
    { userId, kind: "log_in", network: null, createdAt: 1 },
  ]);
  const { rows } = await readActivity(db, userId, null);
  expect(rows.map(({ network }) => network)).toEqual(["2001:db8:1:2::/64", "198.51.100.7", null]);
});
