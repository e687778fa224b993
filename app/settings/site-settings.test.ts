import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { auditLog, settings } from "#app/db/schema.server.ts";
import { MICRO } from "#app/product.ts";
import { db } from "#tests/workerd/customer.ts";
import { storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { listSettings, readSiteSettings, saveSetting } from "./settings-store.server.ts";
import { SETTING_NAMES, type SettingName, settingOf, withDefaults } from "./site-settings.ts";

const ADMIN = { userId: "admin", name: "Al" };

afterEach(() => db.delete(settings));

test("accepts the default of each setting, and reads back what its form shows of it", () => {
  const defaults = withDefaults({}, env);
  for (const name of SETTING_NAMES) {
    const { value, parse, text, control } = settingOf(name);
    expect(value.safeParse(defaults[name]).success, name).toBe(true);
    const again = control.kind === "switchedText" ? parse("", false) : parse(text(defaults[name]), false);
    expect(value.parse(again), name).toEqual(defaults[name]);
  }
});

/** The values beside each bound: the last that is taken and the first that is not. */
const EDGES: Record<SettingName, { taken: string[]; refused: string[] }> = {
  maintenance: { taken: ["", "x".repeat(300)], refused: ["x".repeat(301), "two\nlines", "\u0000"] },
  min_top_up: {
    taken: ["1", "1000", "$12.50", "1000.00"],
    refused: ["0.99", "1000.01", "-5", "1e2", "5.001", "", "NaN"],
  },
  refund_policy: {
    taken: ["", "x".repeat(300), "One.\n\nTwo.\r\nThree.\nFour.\nFive."],
    refused: ["x".repeat(301), "One.\n".repeat(6)],
  },
  terms_url: {
    taken: ["", "https://example.com/terms", `https://example.com/${"x".repeat(180)}`],
    refused: [
      "http://example.com",
      "example.com/terms",
      "https://",
      "https://a b.example",
      "javascript:alert(1)",
      `https://example.com/${"x".repeat(181)}`,
    ],
  },
  alert_emails: {
    taken: ["", "a@b.example", "a@b.example\n".repeat(5)],
    refused: ["a@b.example ".repeat(6), "nobody", `${"a".repeat(255)}@b.example`],
  },
  report_emails: {
    taken: ["", "a@b.example", "a@b.example\n".repeat(5)],
    refused: ["a@b.example ".repeat(6), "nobody", `${"a".repeat(255)}@b.example`],
  },
  link_check: { taken: ["strict", "warn", "off"], refused: ["", "Strict", "constructor"] },
  conversations_kept_days: { taken: ["", "180", "3650"], refused: ["179", "3651", "0", "-1", "never", "180.5"] },
  emails_kept_days: { taken: ["7", "30"], refused: ["6", "31", "", "7.5", "9999999999"] },
  webhook_deliveries_kept_days: { taken: ["7", "90"], refused: ["6", "91", ""] },
  provider_log_kept_days: { taken: ["7", "90"], refused: ["6", "91", ""] },
};

test("holds the bounds of each setting, by its form and for a value stored out of them", async () => {
  for (const name of SETTING_NAMES) {
    const { value, parse } = settingOf(name);
    for (const typed of EDGES[name].taken) expect(value.safeParse(parse(typed, false)).success, typed).toBe(true);
    for (const typed of EDGES[name].refused) expect(value.safeParse(parse(typed, false)).success, typed).toBe(false);
  }
  const odd = [null, -1, 0, 1e12, 0.5, "", "x", [], {}, [""], true, { on: 1, text: "" }, { on: true }];
  for (const name of SETTING_NAMES) {
    for (const stored of odd) {
      const read = withDefaults({ [name]: stored }, env)[name];
      expect(settingOf(name).value.safeParse(read).success, `${name} ${JSON.stringify(stored)}`).toBe(true);
      const isTaken = settingOf(name).value.safeParse(stored).success;
      if (!isTaken) expect(read).toEqual(withDefaults({}, env)[name]);
    }
  }
});

test("reads random text into a value within the bounds or refuses it", () => {
  const pieces = [
    "0",
    "7",
    "30",
    "90",
    "180",
    "3650",
    "9".repeat(12),
    ".",
    "-",
    "e",
    "$",
    "@",
    "a@b.example",
    "\n",
    " ",
    "strict",
    "é",
  ];
  for (let round = 0; round < 2000; round++) {
    const typed = Array.from({ length: round % 5 }, () => pieces[Math.floor(Math.random() * pieces.length)]).join("");
    for (const name of SETTING_NAMES) {
      const { value, parse, text } = settingOf(name);
      const read = value.safeParse(parse(typed.trim(), round % 2 === 0));
      if (!read.success) continue;
      expect(withDefaults({ [name]: read.data }, env)[name], typed).toEqual(read.data);
      expect(text(read.data).length, typed).toBeLessThan(2000);
    }
  }
});

test("audits a change with before and after, names who made it, and refuses a form that began from an older version", async () => {
  const { userId } = await storedSignIn("admin");
  const actor = { userId, name: "Test Customer" };
  const change = { name: "min_top_up" as const, value: 10 * MICRO, version: 0 };
  expect(await saveSetting(db, env, actor, change)).toEqual({ ok: true, isChanged: true });
  expect((await readSiteSettings(db, env)).min_top_up).toBe(10 * MICRO);
  const stale = await saveSetting(db, env, ADMIN, { ...change, value: 7 * MICRO });
  expect(stale).toMatchObject({
    ok: false,
    current: { value: 10 * MICRO, version: 1, changed: { by: "Test Customer" } },
  });
  expect((await readSiteSettings(db, env)).min_top_up).toBe(10 * MICRO);
  // Saving the value that is already set is not a change.
  expect(await saveSetting(db, env, ADMIN, { ...change, version: 1 })).toEqual({ ok: true, isChanged: false });
  const entries = await db
    .select({ actorId: auditLog.actorId, detail: auditLog.detail })
    .from(auditLog)
    .where(and(eq(auditLog.action, "setting.change"), eq(auditLog.subjectId, "min_top_up")));
  expect(entries).toEqual([{ actorId: userId, detail: { min_top_up: ["5.00", "10.00"] } }]);
});

test("lets one of two admins who save at the same moment through, and shows the other what is there", async () => {
  const save = (value: number) => saveSetting(db, env, ADMIN, { name: "emails_kept_days", value, version: 0 });
  const results = await Promise.all([save(10), save(20)]);
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  const [row] = (await listSettings(db, env)).filter(({ name }) => name === "emails_kept_days");
  expect(results.find(({ ok }) => !ok)).toMatchObject({ current: { value: row?.value, version: 1 } });
});

test("empties a number that had a value", async () => {
  const change = { name: "conversations_kept_days", value: 200, version: 0 } as const;
  await saveSetting(db, env, ADMIN, change);
  expect(await saveSetting(db, env, ADMIN, { ...change, value: null, version: 1 })).toMatchObject({ ok: true });
  expect(await readSiteSettings(db, env)).toMatchObject({ conversations_kept_days: null });
  expect((await listSettings(db, env)).find(({ name }) => name === change.name)).toMatchObject({ version: 2 });
});
