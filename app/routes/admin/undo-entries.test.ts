import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { asc, desc, eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { addRule, changeRule, removeRule } from "#app/console/catalog/imports/price-rules.server.ts";
import { decideWaiting, listWaiting } from "#app/console/catalog/imports/quarantine-decisions.server.ts";
import { applyPlan, planChange } from "#app/console/catalog/services/bulk/apply-bulk.server.ts";
import { changeProvider } from "#app/console/catalog/services/provider-admin.server.ts";
import { changeService } from "#app/console/catalog/services/service-admin.server.ts";
import { adjustBalance } from "#app/console/customers/customer-admin.server.ts";
import { deleteAnnouncement, saveAnnouncement } from "#app/console/stores/announcement-store.server.ts";
import { deleteReply, type ReplyInput, saveReply } from "#app/console/stores/saved-reply-store.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import {
  announcements,
  auditLog,
  ledger,
  priceRules,
  providers,
  quarantine,
  savedReplies,
  services,
  settings,
  supportSettings,
  wallets,
} from "#app/db/schema.server.ts";
import { readSiteSettings, saveSetting } from "#app/settings/settings-store.server.ts";
import { readVersionedSettings, saveSettings } from "#app/support/team/support-settings.server.ts";
import { DEFAULT_SETTINGS } from "#app/support/team/team-settings.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

/** Entries are undone on their pages, as a browser without scripts does it. */

const GRACE = await signedIn("admin", "Grace Admin");
const ADA = await signedIn("admin", "Ada Admin");
const BY: Actor = { userId: GRACE.userId, name: "Grace Admin" };
type Who = typeof GRACE;

beforeEach(async () => {
  await env.DB.exec(
    "delete from audit_subjects; delete from audit_log; delete from settings; delete from announcements",
  );
});

test("undoes a change of a price, and the undo, each once and with a link to what it undid", async () => {
  const id = await service({ rate: 2_000_000, name: "Followers" });
  await changeService(db, BY, id, { rate: 9_000_000 }, 1, { toLoss: false });
  const first = await lastEntry();
  const page = await open(first.id);
  expect(textOf(page)).toContain("Grace Admin raised the rate of Followers from $2.00 to $9.00");
  expect(textOf(page)).toContain("rate $9.00 $2.00");
  expect(await undo(ADA, first.id)).toBe(302);
  expect(await rateOf(id)).toEqual([2_000_000, 3]);
  const second = await lastEntry();
  expect(second).toMatchObject({ action: "service.change", actorName: "Ada Admin", onceKey: `undo ${first.id}` });
  expect(second.detail).toEqual({ rate: [9_000_000, 2_000_000], undoes: first.id });
  expect(textOf(await open(first.id))).toContain("Ada Admin undid this");
  expect(textOf(await open(second.id))).toContain(`from $9.00 to $2.00, undoing entry ${first.id}`);
  expect(await undo(GRACE, second.id)).toBe(302);
  expect(await rateOf(id)).toEqual([9_000_000, 4]);
  expect((await lastEntry()).detail).toEqual({ rate: [2_000_000, 9_000_000], undoes: second.id });
});

test("undoes an entry once when two admins do it at once, also after the value is back", async () => {
  const id = await service({ rate: 2_000_000 });
  await changeService(db, BY, id, { rate: 9_000_000 }, 1, { toLoss: false });
  const { id: entryId } = await lastEntry();
  const [mine, theirs] = [await digestIn(entryId), await digestIn(entryId)];
  const statuses = await Promise.all([post(GRACE, entryId, mine), post(ADA, entryId, theirs)]);
  expect(statuses.sort()).toEqual([302, 409]);
  expect(await rateOf(id)).toEqual([2_000_000, 3]);
  // The same values again are not the ones that the entry is about.
  await changeService(db, BY, id, { rate: 9_000_000 }, 3, { toLoss: false });
  const refused = await postWith(GRACE, entryId, mine);
  expect(refused.status).toBe(409);
  expect(await rateOf(id)).toEqual([9_000_000, 4]);
});

test("leaves what was changed since and names it, and undoes the rest", async () => {
  const id = await service({ rate: 2_000_000, min: 10 });
  await changeService(db, BY, id, { rate: 9_000_000, min: 50, description: "New" }, 1, { toLoss: false });
  const entry = await lastEntry();
  const digest = await digestIn(entry.id);
  await changeService(db, BY, id, { rate: 5_000_000 }, 2, { toLoss: false });
  // What was shown is not what would be done.
  expect(await post(ADA, entry.id, digest)).toBe(409);
  const page = textOf(await open(entry.id));
  expect(page).toContain("rate: changed since: it is $5.00 now");
  expect(page).toContain("minimum 50 10");
  expect(await undo(ADA, entry.id)).toBe(302);
  const [row] = await db.select().from(services).where(eq(services.id, id));
  expect(row).toMatchObject({ rate: 5_000_000, min: 10, description: "" });
  const partial = await lastEntry();
  expect(partial.detail).toMatchObject({ undoes: entry.id, kept: { labels: ["rate"], count: 1 } });
  const undone = textOf(await open(entry.id));
  expect(undone).toContain("Ada Admin undid part of this on");
  expect(undone).toContain("This stayed as it was: rate.");
  const told = textOf(await open(partial.id));
  expect(told).toContain(`undoing part of entry ${entry.id}`);
  expect(told).toContain("Not undone rate");
  const other = await service({ rate: 2_000_000 });
  await changeService(db, BY, other, { rate: 9_000_000 }, 1, { toLoss: false });
  const { id: gone } = await lastEntry();
  await changeService(db, BY, other, { rate: 5_000_000 }, 2, { toLoss: false });
  expect(textOf(await open(gone))).toContain("Nothing to undo");
  expect(await post(ADA, gone, digest)).toBe(409);
});

test("asks before an undo sells below cost, and puts nothing on sale that waits in quarantine", async () => {
  const id = await service({ rate: 2_000_000, providerRate: 1_000_000 });
  await changeService(db, BY, id, { rate: 9_000_000 }, 1, { toLoss: false });
  const { id: entryId } = await lastEntry();
  await db.update(services).set({ providerRate: 5_000_000 }).where(eq(services.id, id));
  expect(await undo(ADA, entryId)).toBe(409);
  expect(await undo(ADA, entryId, { loss: "on" })).toBe(302);
  expect((await rateOf(id))[0]).toBe(2_000_000);
  const providerId = await sandboxProvider();
  const off = await service({ providerId, providerServiceId: "1" });
  await changeService(db, BY, off, { enabled: false }, 1, { toLoss: false });
  const { id: offEntry } = await lastEntry();
  await db.insert(quarantine).values({ providerId, serviceId: off, reason: "gone", paused: false, foundAt: 1 });
  expect(textOf(await open(offEntry))).toContain("waits for a decision in quarantine");
});

test("undoes added, changed and removed price rules, and each undo", async () => {
  const providerId = await sandboxProvider();
  const rule = { category: "Likes", margin: 3_500, roundTo: 10_000, minimum: 0 };
  const readRule = async () => {
    const [row] = await db.select().from(priceRules).where(eq(priceRules.providerId, providerId));
    return row && [row.margin, row.roundTo, row.minimum];
  };
  await addRule(db, BY, providerId, rule);
  const added = await lastEntry();
  expect(textOf(await open(added.id))).toContain("added a price rule of 35% for “Likes”");
  expect(await undo(ADA, added.id)).toBe(302);
  expect(await readRule()).toBeUndefined();
  expect(await undo(ADA, (await lastEntry()).id)).toBe(302);
  expect(await readRule()).toEqual([3_500, 10_000, 0]);
  const version = async () => {
    const [row] = await db.select().from(priceRules).where(eq(priceRules.providerId, providerId));
    return row?.version ?? 0;
  };
  await changeRule(db, BY, providerId, { ...rule, margin: 4_000 }, await version());
  const changed = await lastEntry();
  expect(changed.detail).toEqual({ category: "Likes", margin: [3_500, 4_000] });
  expect(await undo(ADA, changed.id)).toBe(302);
  expect(await readRule()).toEqual([3_500, 10_000, 0]);
  await removeRule(db, BY, providerId, { category: "Likes", version: await version() });
  const removed = await lastEntry();
  expect(await undo(ADA, removed.id)).toBe(302);
  expect(await readRule()).toEqual([3_500, 10_000, 0]);
  await changeRule(db, BY, providerId, { ...rule, margin: 5_000 }, await version());
  expect(textOf(await open((await lastEntry("price_rule.add")).id))).toContain("changed since");
});

test("undoes a provider's settings, never its key or URL", async () => {
  const id = await sandboxProvider();
  const [before] = await db.select().from(providers).where(eq(providers.id, id));
  if (!before) throw new Error("no provider");
  const { name, apiUrl, enabled, riseLimit, concurrentCalls, callsPerMinute, honorsIdempotencyKeys, splitsComments } =
    before;
  const calls = { concurrentCalls, callsPerMinute, honorsIdempotencyKeys, splitsComments };
  const input = { name: `${name} 2`, apiUrl, enabled, riseLimit, ...calls };
  const change = { ...input, concurrentCalls: concurrentCalls - 1, splitsComments: true, key: "another-key" };
  expect(await changeProvider(db, env, BY, id, change, 1)).toEqual({ ok: true });
  const entry = await lastEntry();
  const [changed] = await db.select().from(providers).where(eq(providers.id, id));
  const page = await open(entry.id);
  expect(page).not.toContain("another-key");
  expect(textOf(page)).toContain("key: a replaced key isn't kept");
  expect(textOf(page)).toContain("splits comments at commas");
  expect(await undo(ADA, entry.id)).toBe(302);
  const [undone] = await db.select().from(providers).where(eq(providers.id, id));
  expect(undone).toMatchObject({ name, concurrentCalls, splitsComments: false, version: 3 });
  // Sealed again under the old name, and not the old key.
  expect(undone?.encryptedKey).not.toBe(before.encryptedKey);
  expect(undone?.encryptedKey).not.toBe(changed?.encryptedKey);
});

test("undoes settings of every kind", async () => {
  const save = (name: Parameters<typeof saveSetting>[3]["name"], value: unknown, version = 0) =>
    saveSetting(db, env, BY, { name, value, version });
  const before = await readSiteSettings(db, env);
  await save("min_top_up", 20_000_000);
  await save("maintenance", { on: true, text: "Back: soon" });
  await save("refund_policy", ["One", "Two"]);
  await save("alert_emails", ["a@test.example"]);
  await save("conversations_kept_days", 200);
  await save("link_check", "off");
  const entries = await db.select().from(auditLog).orderBy(asc(auditLog.id));
  expect(textOf(await open(entries[0]?.id ?? 0))).toContain("Grace Admin set Minimum top-up to $20.00, from $5.00");
  for (const { id } of entries) expect(await undo(ADA, id), JSON.stringify(entries)).toBe(302);
  expect(await readSiteSettings(db, env)).toEqual(before);
  const undos = await db.select().from(auditLog).orderBy(asc(auditLog.id)).offset(entries.length).limit(99);
  for (const { id } of undos) expect(await undo(GRACE, id)).toBe(302);
  expect(await readSiteSettings(db, env)).toMatchObject({
    min_top_up: 20_000_000,
    maintenance: { on: true, text: "Back: soon" },
    refund_policy: ["One", "Two"],
    alert_emails: ["a@test.example"],
  });
  await db.delete(settings);
});

test("undoes created, changed and deleted announcements, and each undo", async () => {
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  const times = { startsAt: minute - 60_000, endsAt: minute + 1_200_000 };
  const input = {
    kind: "update",
    audience: "everyone",
    body: "Hello",
    link: "/updates",
    linkLabel: "More",
    ...times,
  } as const;
  const all = () => db.select().from(announcements);
  await saveAnnouncement(db, BY, null, input, null);
  const created = await lastEntry();
  expect(await undo(ADA, created.id)).toBe(302);
  expect(await all()).toEqual([]);
  const deleted = await lastEntry();
  expect(await undo(ADA, deleted.id)).toBe(302);
  const [row] = await all();
  expect(row).toMatchObject(input);
  const bye = { ...input, body: "Bye", link: "", linkLabel: "" };
  await saveAnnouncement(db, BY, { id: row?.id ?? 0, version: 1 }, bye, null);
  const changed = await lastEntry();
  expect(await undo(ADA, changed.id)).toBe(302);
  expect(await all()).toMatchObject([{ body: "Hello", link: "/updates", version: 3 }]);
  expect(await undo(ADA, (await lastEntry()).id)).toBe(302);
  expect(await all()).toMatchObject([{ body: "Bye", link: null, version: 4 }]);
  await deleteAnnouncement(db, BY, { id: row?.id ?? 0, version: 4 });
  expect(textOf(await open(changed.id))).toContain("undid this");
});

test("undoes created, changed and deleted saved replies, and each undo", async () => {
  const input: ReplyInput = { shortcut: "hi", body: "Hello", tags: ["vip"], assignTo: "", note: "", next: "close" };
  const all = () => db.select().from(savedReplies);
  await db.delete(savedReplies);
  await saveReply(db, BY, null, input);
  expect(textOf(await open((await lastEntry()).id))).toContain("Grace Admin created the reply /hi");
  expect(await undo(ADA, (await lastEntry()).id)).toBe(302);
  expect(await all()).toEqual([]);
  expect(await undo(ADA, (await lastEntry()).id)).toBe(302);
  const [row] = await all();
  expect(row).toMatchObject({ shortcut: "hi", body: "Hello", effects: { tags: ["vip"], next: "close" } });
  await saveReply(db, BY, { id: row?.id ?? 0, version: 1 }, { ...input, body: "Good day", tags: [] });
  expect(await undo(ADA, (await lastEntry()).id)).toBe(302);
  expect(await all()).toMatchObject([{ body: "Hello", effects: { tags: ["vip"] } }]);
  await deleteReply(db, BY, { id: row?.id ?? 0, version: 3 });
  const deleted = await lastEntry();
  expect(await undo(ADA, deleted.id)).toBe(302);
  expect(await all()).toMatchObject([{ shortcut: "hi", body: "Hello" }]);
});

test("undoes the support settings part by part, and leaves what was changed since", async () => {
  await db.delete(supportSettings);
  const nights = { from: 22 * 60, to: 26 * 60 };
  const changed = {
    ...DEFAULT_SETTINGS,
    hoursOn: true,
    timeZone: "Europe/Berlin",
    days: [nights, ...DEFAULT_SETTINGS.days.slice(1)],
    awayMessage: "Back soon.\nReally.",
    responseMinutes: 90,
    assignsInTurn: true,
  };
  await saveSettings(db, changed, BY, 1);
  const first = await lastEntry();
  expect(textOf(await open(first.id))).toContain("Monday 22:00–02:00 09:00–18:00");
  expect(await undo(ADA, first.id)).toBe(302);
  expect((await readVersionedSettings(db)).settings).toEqual(DEFAULT_SETTINGS);
  expect(await undo(ADA, (await lastEntry()).id)).toBe(302);
  expect(await readVersionedSettings(db)).toMatchObject({ settings: changed, version: 4 });
  const second = await lastEntry();
  await saveSettings(db, { ...changed, timeZone: "Asia/Tokyo", contactEmail: "help@example.com" }, BY, 4);
  const page = textOf(await open(second.id));
  expect(page).toContain("time zone: changed since: it is Asia/Tokyo now");
  expect(await undo(ADA, second.id)).toBe(302);
  const kept = { timeZone: "Asia/Tokyo", contactEmail: "help@example.com" };
  expect((await readVersionedSettings(db)).settings).toEqual({ ...DEFAULT_SETTINGS, ...kept });
  expect(await undo(GRACE, second.id)).toBe(409);
});

test("doesn't undo support settings to hours without a day", async () => {
  await db.delete(supportSettings);
  const none = DEFAULT_SETTINGS.days.map(() => null);
  await saveSettings(db, { ...DEFAULT_SETTINGS, days: none }, BY, 1);
  await saveSettings(db, DEFAULT_SETTINGS, BY, 2);
  const entry = await lastEntry();
  await saveSettings(db, { ...DEFAULT_SETTINGS, hoursOn: true }, BY, 3);
  expect(textOf(await open(entry.id))).toContain("doesn't go together with what was changed since");
});

test("reopens quarantine decisions with the terms from before, and decides again as the undo of that", async () => {
  const providerId = await sandboxProvider();
  await db.insert(priceRules).values({ providerId, category: "", margin: 5_000 });
  const offered = { category: "Likes", type: "Default", rate: 3_000_000, min: 20, max: 900 } as const;
  const flags = { dripfeed: true, refill: false, cancel: true };
  const terms = {
    providerId,
    rate: 2_000_000,
    providerRate: 1_000_000,
    decidedRate: 2_000_000,
    decidedCost: 1_000_000,
  };
  const one = await service({ ...terms, providerServiceId: "1", enabled: false });
  const other = await service({ ...terms, providerServiceId: "2" });
  const finding = { providerId, foundAt: 1 };
  for (const decision of ["take", "keep", "off"] as const) {
    await db.insert(quarantine).values([
      { ...finding, serviceId: one, reason: "jump", offered: { ...offered, ...flags }, paused: true },
      { ...finding, serviceId: other, reason: "gone", offered: null, paused: false },
    ]);
    const before = await readServices([one, other]);
    const waiting = await listWaiting(db, providerId);
    const chosen = decision === "take" ? waiting.filter(({ reason }) => reason === "jump") : waiting;
    const keys = new Set(chosen.map(({ key }) => key));
    expect(await decideWaiting(db, BY, decision, keys, { toLoss: true })).toMatchObject({ ok: true });
    const after = await readServices([one, other]);
    const entry = await lastEntry();
    expect(textOf(await open(entry.id))).not.toContain("restore");
    expect(await undo(ADA, entry.id), decision).toBe(302);
    expect(await readServices([one, other]), decision).toEqual(before);
    expect(await listWaiting(db, providerId)).toHaveLength(2);
    const reopening = await lastEntry();
    expect(reopening).toMatchObject({ action: "quarantine.reopen", detail: { undoes: entry.id } });
    // Our rate is below the new cost: that is agreed to anew.
    if (decision === "keep") expect(await undo(GRACE, reopening.id)).toBe(409);
    expect(await undo(GRACE, reopening.id, { loss: "on" }), decision).toBe(302);
    expect(await readServices([one, other]), decision).toEqual(after);
    // The next round begins from the same.
    const again = await lastEntry();
    expect(await undo(GRACE, again.id), decision).toBe(302);
    await db.delete(quarantine);
  }
  // A service that somebody changed since stays.
  await db
    .insert(quarantine)
    .values({ ...finding, serviceId: one, reason: "jump", offered: { ...offered, ...flags }, paused: true });
  const [row] = await listWaiting(db, providerId);
  await decideWaiting(db, BY, "keep", new Set([row?.key ?? ""]), { toLoss: true });
  const entry = await lastEntry();
  const [now] = await readRows([one]);
  await changeService(db, BY, one, { rate: 77_000_000 }, now?.version ?? 0, { toLoss: false });
  expect(textOf(await open(entry.id))).toContain("changed since");
});

test("opens the form of a balance with the opposite amount and the reason, and undoes it once", async () => {
  const { userId } = await customerWith(10_000_000);
  await adjustBalance(db, BY, userId, { kind: "topup", amount: 5_000_000, reason: "Wire" }, crypto.randomUUID());
  const { id: entryId } = await lastEntry();
  expect(await open(entryId)).toContain(`/admin/customers/${userId}?undo=${entryId}#adjust`);
  const path = `/admin/customers/${userId}?undo=${entryId}`;
  const html = await (await SELF.fetch(SITE + path, { headers: { Cookie: ADA.cookie } })).text();
  expect(html).toMatch(/name="undoes" value="\d+"|value="\d+" name="undoes"/);
  expect(html).toContain('value="5.00"');
  expect(html).toContain('value="Wire"');
  const send = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ intent: "adjust", once: crypto.randomUUID(), reason: "Wire", ...fields });
    return (
      await SELF.fetch(SITE + path, {
        method: "POST",
        headers: { ...SAME_SITE, Cookie: ADA.cookie },
        body,
        redirect: "manual",
      })
    ).status;
  };
  const undoes = String(entryId);
  expect(await send({ direction: "credit", amount: "5.00", undoes })).toBe(409);
  // The log would say that all of it is undone.
  expect(await send({ direction: "debit", amount: "4.99", undoes })).toBe(409);
  expect(await send({ direction: "debit", amount: "5.000001", undoes })).toBe(409);
  expect(await db.$count(auditLog, eq(auditLog.subjectId, userId))).toBe(1);
  expect(await send({ direction: "debit", amount: "5.00", undoes })).toBe(302);
  expect(await send({ direction: "debit", amount: "5.00", undoes })).toBe(409);
  const [wallet] = await db.select().from(wallets).where(eq(wallets.userId, userId));
  expect(wallet?.balance).toBe(10_000_000);
  expect(await db.$count(ledger, eq(ledger.userId, userId))).toBe(3);
  expect((await lastEntry()).detail).toMatchObject({ amount: -5_000_000, undoes: entryId });
  expect(textOf(await open(entryId))).toContain("Ada Admin undid this");
  // Another customer's entry is none of this one.
  const { userId: stranger } = await customerWith(10_000_000);
  const other = await SELF.fetch(`${SITE}/admin/customers/${stranger}?undo=${entryId}`, {
    headers: { Cookie: ADA.cookie },
  });
  expect(await other.text()).not.toContain("This undoes");
});

test("leads to the page of a change of many services, and lists them", async () => {
  const ids = [await service({ rate: 2_000_000, name: "One" }), await service({ rate: 3_000_000, name: "Two" })];
  const planned = await planChange(db, { ids }, { kind: "price", part: 1_000, step: null });
  if (!planned) throw new Error("too many");
  const agreed = { digest: planned.digest, toLoss: true };
  await applyPlan(db, BY, planned, agreed, { change: "Price +10%" });
  const entry = await lastEntry();
  const html = await open(entry.id);
  expect(textOf(html)).toContain("Grace Admin changed 2 services: Price +10%");
  expect(textOf(html)).toContain("One $2.00 $2.20 Two $3.00 $3.30");
  expect(html).toContain(`/admin/services/changes/${entry.id}`);
  for (const id of ids) {
    const page = await (await SELF.fetch(`${SITE}/admin/services/${id}`, { headers: { Cookie: ADA.cookie } })).text();
    expect(textOf(page)).toContain("Grace Admin changed 2 services: Price +10%");
  }
});

test("says which services kept their values when a change of many was undone in part", async () => {
  const ids = [await service({ rate: 2_000_000, name: "First" }), await service({ rate: 3_000_000, name: "Second" })];
  const planned = await planChange(db, { ids }, { kind: "price", part: 1_000, step: null });
  if (!planned) throw new Error("too many");
  await applyPlan(db, BY, planned, { digest: planned.digest, toLoss: true }, { change: "Price +10%" });
  const entry = await lastEntry();
  await changeService(db, BY, ids[1] ?? 0, { rate: 9_000_000 }, 2, { toLoss: false });
  const path = `${SITE}/admin/services/changes/${entry.id}`;
  const read = async () => (await SELF.fetch(path, { headers: { Cookie: ADA.cookie } })).text();
  const digest = /name="digest" value="(\w+)"/.exec(await read())?.[1] ?? "";
  const posted = await SELF.fetch(path, {
    method: "POST",
    headers: { ...SAME_SITE, Cookie: ADA.cookie },
    body: new URLSearchParams({ intent: "apply", digest }),
    redirect: "manual",
  });
  expect(posted.status).toBe(302);
  expect((await lastEntry()).detail).toMatchObject({ undoes: entry.id, kept: { labels: ["Second"], count: 1 } });
  for (const page of [textOf(await read()), textOf(await open(entry.id))]) {
    expect(page).toContain("Ada Admin undid part of this");
    expect(page).toContain("This stayed as it was: Second.");
  }
});

test("says why other entries can't be undone, and shows none to agents, customers or strangers", async () => {
  const { userId } = await customerWith(0);
  await db.insert(auditLog).values({
    actorId: BY.userId,
    actorName: BY.name,
    action: "order.refund",
    subjectType: "order",
    subjectId: "1",
    detail: { amount: 5_000_000, reason: "<b>Late</b>" },
    createdAt: 1,
  });
  const { id } = await lastEntry();
  const page = await open(id);
  expect(textOf(page)).toContain("Can't be undone");
  expect(page).not.toContain("<b>Late</b>");
  expect(await post(ADA, id, "x")).toBe(409);
  const agent = await signedIn("agent", "Bo");
  const customer = await signedIn("customer");
  for (const who of [agent, customer]) {
    expect((await SELF.fetch(`${SITE}/admin/audit/${id}`, { headers: { Cookie: who.cookie } })).status).toBe(404);
    expect(await post(who, id, "x")).toBe(404);
  }
  expect((await SELF.fetch(`${SITE}/admin/audit/${id}`, { redirect: "manual" })).status).toBe(302);
  expect((await SELF.fetch(`${SITE}/admin/audit/999999`, { headers: { Cookie: ADA.cookie } })).status).toBe(404);
  expect(userId).not.toBe("");
});

async function lastEntry(action?: string) {
  const [entry] = await db
    .select()
    .from(auditLog)
    .where(action === undefined ? undefined : eq(auditLog.action, action))
    .orderBy(desc(auditLog.id))
    .limit(1);
  if (!entry) throw new Error("nothing is recorded");
  return entry;
}

async function open(entryId: number): Promise<string> {
  const response = await SELF.fetch(`${SITE}/admin/audit/${entryId}`, { headers: { Cookie: ADA.cookie } });
  expect(response.status).toBe(200);
  return response.text();
}

async function digestIn(entryId: number): Promise<string> {
  return /name="digest" value="(\w+)"/.exec(await open(entryId))?.[1] ?? "";
}

async function undo(who: Who, entryId: number, fields: Record<string, string> = {}): Promise<number> {
  return (await postWith(who, entryId, await digestIn(entryId), fields)).status;
}

async function post(who: Who, entryId: number, digest: string): Promise<number> {
  return (await postWith(who, entryId, digest)).status;
}

function postWith(who: Who, entryId: number, digest: string, fields: Record<string, string> = {}): Promise<Response> {
  return SELF.fetch(`${SITE}/admin/audit/${entryId}`, {
    method: "POST",
    headers: { ...SAME_SITE, Cookie: who.cookie },
    body: new URLSearchParams({ intent: "undo", digest, ...fields }),
    redirect: "manual",
  });
}

async function rateOf(id: number): Promise<[number, number]> {
  const [row] = await db.select().from(services).where(eq(services.id, id));
  return [row?.rate ?? 0, row?.version ?? 0];
}

async function readServices(ids: number[]) {
  return (await readRows(ids)).map(({ version: _, ...row }) => row);
}

async function readRows(ids: number[]) {
  const rows = await db.select().from(services).orderBy(asc(services.id));
  return rows.filter(({ id }) => ids.includes(id));
}

/** Returns the text of a page with single spaces. */
function textOf(html: string): string {
  return html
    .replace(/<script[\s\S]*?<\/script>/g, " ")
    .replace(/<!-- -->/g, "")
    .replace(/<(span|a|\/span|\/a)\b[^>]*>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&#x27;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ");
}
