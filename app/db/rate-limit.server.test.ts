import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect } from "./db.server.ts";
import {
  addressOf,
  countAttempt,
  deleteEndedWindows,
  forgetAttempts,
  type Limit,
  uncountAttempt,
} from "./rate-limit.server.ts";
import { rateLimits } from "./schema.server.ts";

const db = connect(env.DB);
const limit = (who: string, max = 3): Limit => ({ name: "test", who, max, periodMs: 60_000 });

test("allows exactly the limit out of twenty concurrent attempts", async () => {
  const results = await Promise.all(Array.from({ length: 20 }, () => countAttempt(db, [limit("a", 7)])));
  expect(results.filter((result) => result.ok)).toHaveLength(7);
});

test("returns the wait for a refused attempt and allows attempts again in the next window", async () => {
  const now = 1_000_000;
  for (let i = 0; i < 3; i++) expect(await countAttempt(db, [limit("b")], now)).toEqual({ ok: true });
  expect(await countAttempt(db, [limit("b")], now + 20_000)).toEqual({ ok: false, retryAfterSeconds: 40 });
  expect(await countAttempt(db, [limit("b")], now + 60_000)).toEqual({ ok: true });
});

test("refuses if any limit is exceeded and returns the longest wait", async () => {
  const longer = { ...limit("d", 1), periodMs: 120_000 };
  expect(await countAttempt(db, [limit("c", 1), limit("e"), longer], 5)).toEqual({ ok: true });
  expect(await countAttempt(db, [limit("c", 1), limit("e"), longer], 5)).toEqual({ ok: false, retryAfterSeconds: 120 });
});

test("does not count a refused attempt against the limits after the one that refuses it", async () => {
  const limits = [limit("own", 2), limit("shared", 3)];
  const results = await Promise.all(Array.from({ length: 10 }, () => countAttempt(db, limits)));
  expect(results.filter((result) => result.ok)).toHaveLength(2);
  expect(await countAttempt(db, [limit("another", 2), limit("shared", 3)])).toEqual({ ok: true });
  expect(await countAttempt(db, [limit("another", 2), limit("shared", 3)])).toMatchObject({ ok: false });
});

test("takes back one attempt, and never more than were counted", async () => {
  await countAttempt(db, [limit("h", 1)]);
  await uncountAttempt(db, limit("h"));
  await uncountAttempt(db, limit("h"));
  expect(await countAttempt(db, [limit("h", 1)])).toEqual({ ok: true });
  expect(await countAttempt(db, [limit("h", 1)])).toMatchObject({ ok: false });
});

test("forgets attempts only for the given caller", async () => {
  const before = await Promise.all([countAttempt(db, [limit("f", 1)]), countAttempt(db, [limit("g", 1)])]);
  expect(before).toEqual([{ ok: true }, { ok: true }]);
  await forgetAttempts(db, limit("f"));
  expect(await countAttempt(db, [limit("f", 1)])).toEqual({ ok: true });
  expect((await countAttempt(db, [limit("g", 1)])).ok).toBe(false);
});

test("stores no personal data and deletes ended windows", async () => {
  await countAttempt(db, [limit("person@test.example")], 1);
  const rows = await db.select().from(rateLimits);
  expect(JSON.stringify(rows)).not.toContain("person");
  await deleteEndedWindows(db, Number.MAX_SAFE_INTEGER);
  expect(await db.select().from(rateLimits)).toEqual([]);
});

test("identifies callers by IPv4 address or IPv6 /64, and ignores local ones", () => {
  expect(from("203.0.113.7")).toBe("203.0.113.7");
  expect(from("2001:db8:1:2:aaaa:bbbb:cccc:dddd")).toBe("2001:db8:1:2");
  expect(from("2001:db8:1:2::1")).toBe("2001:db8:1:2");
  expect(from("2001:db8::1")).toBe("2001:db8:0:0");
  for (const local of ["127.0.0.1", "::1", "::ffff:127.0.0.1", ""]) expect(from(local), local).toBeNull();
});

test("counts IPv4-mapped addresses as the IPv4 addresses they are", () => {
  for (const mapped of ["::ffff:203.0.113.7", "::FFFF:cb00:7107", "0:0:0:0:0:ffff:203.0.113.7"]) {
    expect(from(mapped), mapped).toBe("203.0.113.7");
  }
  expect(from("::ffff:198.51.100.1")).not.toBe(from("::ffff:198.51.100.2"));
  expect(from("nonsense")).toBe("nonsense");
});

function from(address: string): string | null {
  return addressOf(new Request("https://x.example", { headers: { "CF-Connecting-IP": address } }));
}
