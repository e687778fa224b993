import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { deleteReply, saveReply } from "#app/console/stores/saved-reply-store.server.ts";
import { connect } from "#app/db/db.server.ts";
import type { AuditSubject } from "#app/db/schema/audit-vocabulary.ts";
import { auditLog, savedReplies } from "#app/db/schema.server.ts";
import { NO_EFFECTS } from "#app/support/protocol/reply-effects.ts";
import { readSettings, readVersionedSettings, saveSettings } from "#app/support/team/support-settings.server.ts";
import { DEFAULT_SETTINGS } from "#app/support/team/team-settings.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { ORIGIN } from "#tests/workerd/support-visitor.ts";

const db = connect(env.DB);

test("audits a settings change with actor, before and after, and skips a form without changes", async () => {
  const admin = await signedIn("admin", "Al");
  const form = {
    hoursOn: "on",
    timeZone: "Europe/Berlin",
    "from-0": "08:00",
    "to-0": "16:30",
    awayMessage: "Back on Monday",
  };
  // The second sending is the same.
  for (let time = 0; time < 2; time++) {
    expect((await post("/admin/settings", admin.cookie, { ...form, version: "1" })).status).toBe(302);
  }
  const off = ["09:00–18:00", "off"];
  expect(await entries("settings")).toEqual([
    {
      actorId: admin.userId,
      actorName: "Al",
      action: "settings.change",
      subjectId: "support",
      detail: {
        hours: ["off", "on"],
        timeZone: ["UTC", "Europe/Berlin"],
        Monday: ["09:00–18:00", "08:00–16:30"],
        Tuesday: off,
        Wednesday: off,
        Thursday: off,
        Friday: off,
        awayMessage: [DEFAULT_SETTINGS.awayMessage, "Back on Monday"],
      },
    },
  ]);
  // Refused input changes nothing and says nothing in the log.
  expect((await post("/admin/settings", admin.cookie, { timeZone: "Nowhere/Land" })).status).toBe(400);
  expect(await entries("settings")).toHaveLength(1);
  const page = await SELF.fetch(`${ORIGIN}/admin/audit`, { headers: { Cookie: admin.cookie } });
  expect(await page.text()).toContain("Changed the support settings");
});

test("saves one of several settings forms that are sent at once, and audits that one", async () => {
  const { settings, version } = await readVersionedSettings(db);
  const before = await entries("settings");
  const saved = await Promise.all(
    ["one", "two", "three"].map((awayMessage) =>
      saveSettings(db, { ...settings, awayMessage }, { userId: awayMessage, name: awayMessage }, version),
    ),
  );
  expect(saved.filter(Boolean)).toHaveLength(1);
  const { awayMessage } = await readSettings(db);
  const [entry, ...more] = (await entries("settings")).slice(before.length);
  expect(entry?.detail).toEqual({ awayMessage: [settings.awayMessage, awayMessage] });
  expect(more).toEqual([]);
});

test("audits a saved reply's creation, change and deletion with actor, before and after", async () => {
  const agent = await signedIn("agent", "Bo");
  expect((await post("/admin/replies", agent.cookie, { intent: "save", shortcut: "hi", body: "Hello" })).status).toBe(
    302,
  );
  const [reply] = await db.select().from(savedReplies).where(eq(savedReplies.shortcut, "hi"));
  const id = String(reply?.id);
  const change = { intent: "save", id, version: "1", shortcut: "hi", body: "Hello {name}" };
  for (let time = 0; time < 2; time++) expect((await post("/admin/replies", agent.cookie, change)).status).toBe(302);
  // A shortcut that is taken, and one that is not allowed, change nothing.
  expect((await post("/admin/replies", agent.cookie, { intent: "save", shortcut: "HI", body: "x" })).status).toBe(409);
  expect((await post("/admin/replies", agent.cookie, { intent: "save", shortcut: "a b", body: "x" })).status).toBe(400);
  for (let time = 0; time < 2; time++)
    await post("/admin/replies", agent.cookie, { intent: "delete", id, version: "2" });
  const bo = { actorId: agent.userId, actorName: "Bo", subjectId: id };
  expect(await entries("reply")).toEqual([
    { ...bo, action: "reply.create", detail: { shortcut: [null, "hi"], body: [null, "Hello"] } },
    { ...bo, action: "reply.change", detail: { body: ["Hello", "Hello {name}"] } },
    { ...bo, action: "reply.delete", detail: { shortcut: ["hi", null], body: ["Hello {name}", null] } },
  ]);
});

test("keeps one of several changes of a reply that are sent at once, and audits that one", async () => {
  const by = { userId: "u", name: "U" };
  await saveReply(db, by, null, { shortcut: "race", body: "0", ...NO_EFFECTS });
  const [reply] = await db.select().from(savedReplies).where(eq(savedReplies.shortcut, "race"));
  const seen = { id: reply?.id ?? 0, version: 1 };
  await Promise.all([
    ...["1", "2", "3"].map((body) => saveReply(db, by, seen, { shortcut: "race", body, ...NO_EFFECTS })),
    deleteReply(db, by, seen),
  ]);
  const [, ...changes] = (await entries("reply")).filter(({ subjectId }) => subjectId === String(seen.id));
  expect(changes).toHaveLength(1);
  const left = await db.select().from(savedReplies).where(eq(savedReplies.id, seen.id));
  expect(changes[0]?.detail.body).toEqual(["0", left[0]?.body ?? null]);
});

function post(path: string, cookie: string, form: Record<string, string>): Promise<Response> {
  return SELF.fetch(ORIGIN + path, {
    method: "POST",
    headers: { Origin: ORIGIN, Host: "growline.example", Cookie: cookie },
    body: new URLSearchParams(form),
    redirect: "manual",
  });
}

async function entries(subject: AuditSubject) {
  const { actorId, actorName, action, subjectId, detail } = auditLog;
  return db
    .select({ actorId, actorName, action, subjectId, detail })
    .from(auditLog)
    .where(eq(auditLog.subjectType, subject))
    .orderBy(asc(auditLog.id));
}
