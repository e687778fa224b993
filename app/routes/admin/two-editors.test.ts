import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { addRule, readRule, removeRule } from "#app/console/catalog/imports/price-rules.server.ts";
import { decideWaiting, listWaiting } from "#app/console/catalog/imports/quarantine-decisions.server.ts";
import { applyPlan, planChange } from "#app/console/catalog/services/bulk/apply-bulk.server.ts";
import {
  announcements,
  auditLog,
  orders,
  profiles,
  providers,
  quarantine,
  savedReplies,
  services,
} from "#app/db/schema.server.ts";
import { addressDigest, isSuppressed, suppress } from "#app/email/suppressions.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { readSettings } from "#app/support/team/support-settings.server.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import {
  decoded,
  formFields,
  openForm,
  postForm as post,
  readPage as read,
  sectionText,
} from "#tests/workerd/form-pages.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

/** Two admins have the same form open. Each test reads the pages as a browser without scripts does. */

const GRACE = await signedIn("admin", "Grace Admin");
const ADA = await signedIn("admin", "Ada Admin");

test("shows a rate that another admin saved meanwhile beside one's own, and saves on top only when asked again", async () => {
  const id = await service({ rate: 2_000_000, name: "Likes" });
  const path = `/admin/services/${id}`;
  const [mine, theirs] = [await openForm(GRACE, path, "service"), await openForm(ADA, path, "service")];
  expect(await post(ADA, path, { ...theirs, rate: "9", category: "Fast" })).toMatchObject({ status: 302 });
  const refused = await post(GRACE, path, { ...mine, rate: "3", name: "More likes" });
  expect(refused.status).toBe(409);
  expect(await readService(id)).toMatchObject({ rate: 9_000_000, name: "Likes", category: "Fast", version: 2 });
  const conflict = sectionText(refused.html, "Saved meanwhile");
  expect(conflict).toContain("Changed by Ada Admin");
  expect(conflict).toContain("Rate Saved now 9.00 Yours 3.00");
  expect(conflict).toContain("Category Saved now Fast Before Likes");
  expect(conflict).not.toContain("More likes");
  // The form holds what Grace changed, and what Ada changed where Grace did not.
  const merged = await formFields(refused.html, "service");
  expect(merged).toMatchObject({ rate: "3.00", name: "More likes", category: "Fast", version: "2" });
  expect(await post(GRACE, path, merged)).toMatchObject({ status: 302 });
  expect(await readService(id)).toMatchObject({ rate: 3_000_000, name: "More likes", category: "Fast", version: 3 });
  const log = await db
    .select()
    .from(auditLog)
    .where(eq(auditLog.subjectId, String(id)));
  expect(log.filter(({ subjectType }) => subjectType === "service").map(({ detail }) => detail.rate)).toEqual([
    [2_000_000, 9_000_000],
    [9_000_000, 3_000_000],
  ]);
});

test("shows a provider's settings that another admin saved meanwhile, and never a key", async () => {
  const id = await sandboxProvider();
  const path = `/admin/providers/${id}`;
  const [mine, theirs] = [await openForm(GRACE, path, "provider"), await openForm(ADA, path, "provider")];
  const { enabled: _, ...switchedOff } = theirs;
  expect(await post(ADA, path, { ...switchedOff, concurrentCalls: "2" })).toMatchObject({ status: 302 });
  const refused = await post(GRACE, path, { ...mine, concurrentCalls: "6", key: "a-new-key" });
  expect(refused.status).toBe(409);
  expect(refused.html).not.toContain("a-new-key");
  const [row] = await db.select().from(providers).where(eq(providers.id, id));
  expect(row).toMatchObject({ concurrentCalls: 2, enabled: false, version: 2 });
  const conflict = sectionText(refused.html, "Saved meanwhile");
  expect(conflict).toContain("Calls at once Saved now 2 Yours 6");
  expect(conflict).toContain("Send orders to this provider Saved now Off Before On");
  const merged = await formFields(refused.html, "provider");
  expect(merged).not.toHaveProperty("enabled");
  expect(await post(GRACE, path, merged)).toMatchObject({ status: 302 });
  const [saved] = await db.select().from(providers).where(eq(providers.id, id));
  expect(saved).toMatchObject({ concurrentCalls: 6, enabled: false, version: 3 });
});

test("shows a saved reply that a teammate changed meanwhile, and doesn't delete it unseen", async () => {
  const effects = { tags: ["vip"], assignTo: "", note: "", next: "" };
  const reply = { shortcut: "hello", body: "Hello", effects, updatedBy: "u", updatedAt: 1 };
  const [created] = await db.insert(savedReplies).values(reply).returning({ id: savedReplies.id });
  const id = String(created?.id);
  const path = `/admin/replies?edit=${id}`;
  const [mine, theirs] = [await openForm(GRACE, path, "save"), await openForm(ADA, path, "save")];
  expect(await post(ADA, path, { ...theirs, body: "Hi there", next: "close" })).toMatchObject({ status: 302 });
  const refused = await post(GRACE, path, { ...mine, body: "Good morning", tags: "vip, early" });
  expect(refused.status).toBe(409);
  const conflict = sectionText(refused.html, "Saved meanwhile");
  expect(conflict).toContain("Changed by Ada Admin");
  expect(conflict).toContain("Reply Saved now Hi there Yours Good morning");
  expect(conflict).toContain("What follows Saved now Close conversation Before Leave it open");
  await post(GRACE, path, { intent: "delete", id, version: "1" });
  const merged = await formFields(refused.html, "save");
  expect(await post(GRACE, path, merged)).toMatchObject({ status: 302 });
  const [row] = await db
    .select()
    .from(savedReplies)
    .where(eq(savedReplies.id, Number(id)));
  expect(row).toMatchObject({ body: "Good morning", effects: { tags: ["vip", "early"], next: "close" }, version: 3 });
  await post(GRACE, path, { intent: "delete", id, version: "3" });
  expect(
    await db
      .select()
      .from(savedReplies)
      .where(eq(savedReplies.id, Number(id))),
  ).toEqual([]);
});

test("shows support settings that another admin saved meanwhile", async () => {
  const path = "/admin/settings";
  const [mine, theirs] = [await openForm(GRACE, path, ""), await openForm(ADA, path, "")];
  const hers = { ...theirs, hoursOn: "on", timeZone: "Asia/Tokyo", "to-0": "16:00", awayMessage: "Away" };
  expect(await post(ADA, path, hers)).toMatchObject({ status: 302 });
  const refused = await post(GRACE, path, { ...mine, "to-0": "20:00", contactEmail: "help@growline.example" });
  expect(refused.status).toBe(409);
  const conflict = sectionText(refused.html, "Saved meanwhile");
  expect(conflict).toContain("Monday to Saved now 16:00 Yours 20:00");
  expect(conflict).toContain("Business hours Saved now On Before Off");
  const merged = await formFields(refused.html, "");
  expect(merged).toMatchObject({ hoursOn: "on", timeZone: "Asia/Tokyo", "to-0": "20:00", awayMessage: "Away" });
  expect(await post(GRACE, path, merged)).toMatchObject({ status: 302 });
  expect(await readSettings(db)).toMatchObject({ timeZone: "Asia/Tokyo", contactEmail: "help@growline.example" });
});

test("shows an order's status that another admin set meanwhile, instead of setting it back", async () => {
  const { userId } = await customerWith(10_000_000);
  const fields = { link: "https://instagram.com/p/1", quantity: "1000" };
  const placed = await placeOrder(db, userId, {
    serviceId: await service(),
    fields,
    idempotencyKey: null,
    source: "web",
  });
  const id = placed.ok ? placed.order.id : 0;
  const path = `/admin/orders/${id}`;
  const reason = "As they wrote";
  const [mine, theirs] = [await openForm(GRACE, path, "status"), await openForm(ADA, path, "status")];
  const hers = { ...theirs, status: "In progress", remains: "400", startCount: "7", reason };
  expect(await post(ADA, path, hers)).toMatchObject({ status: 302 });
  const refused = await post(GRACE, path, { ...mine, status: "Processing", reason });
  expect(refused.status).toBe(409);
  const conflict = sectionText(refused.html, "Saved meanwhile");
  expect(conflict).toContain("Changed by Ada Admin");
  expect(conflict).toContain("Status Saved now In progress Yours Processing");
  expect(conflict).toContain("Remains Saved now 400 Before 1000");
  const merged = await formFields(refused.html, "status");
  expect(merged).toMatchObject({ status: "Processing", remains: "400", startCount: "7", reason });
  expect(await post(GRACE, path, merged)).toMatchObject({ status: 302 });
  const [row] = await db.select().from(orders).where(eq(orders.id, id));
  expect(row).toMatchObject({ status: "Processing", remains: 400, startCount: 7 });
});

test("shows when another admin ended an announcement, instead of setting it back with a new text", async () => {
  const times = { startsAt: Date.UTC(2026, 10, 1, 8), endsAt: Date.now() + 5 * 86_400_000 };
  const row = { kind: "banner", audience: "everyone", body: "Prices fall", ...times } as const;
  const [made] = await db
    .insert(announcements)
    .values({ ...row, changedBy: "u", changedAt: 1 })
    .returning();
  const path = `/admin/announcements?edit=${made?.id}`;
  const [mine, theirs] = [await openForm(GRACE, path, "save"), await openForm(ADA, path, "save")];
  const ended = { endsAt: "2026-11-02T08:00", audience: "customers" };
  expect(await post(ADA, path, { ...theirs, ...ended })).toMatchObject({ status: 302 });
  const refused = await post(GRACE, path, { ...mine, body: "Prices rise" });
  expect(refused.status).toBe(409);
  const conflict = sectionText(refused.html, "Saved meanwhile");
  expect(conflict).toContain("Changed by Ada Admin");
  expect(conflict).toContain("Until (UTC) Saved now 2026-11-02T08:00 Before");
  expect(conflict).toContain("Shown to Saved now Logged-in customers Before Everyone");
  const merged = await formFields(refused.html, "save");
  expect(merged).toMatchObject({ ...ended, body: "Prices rise" });
  expect(await post(GRACE, path, merged)).toMatchObject({ status: 302 });
  const [saved] = await db
    .select()
    .from(announcements)
    .where(eq(announcements.id, made?.id ?? 0));
  expect(saved).toMatchObject({ body: "Prices rise", audience: "customers", endsAt: Date.UTC(2026, 10, 2, 8) });
});

test("shows a price rule that another admin changed meanwhile, also one that was removed and added anew", async () => {
  const id = await sandboxProvider();
  const path = `/admin/providers/${id}`;
  const rule = { category: "", margin: 3_500, roundTo: 10_000, minimum: 0 };
  const by = { userId: ADA.userId, name: "Ada Admin" };
  await addRule(db, by, id, rule);
  const mine = await openForm(GRACE, path, "change-rule");
  const { version } = (await readRule(db, id, "")) ?? { version: 0 };
  await removeRule(db, by, id, { category: "", version });
  await addRule(db, by, id, { ...rule, roundTo: 50_000 });
  const refused = await post(GRACE, path, { ...mine, margin: "40" });
  expect(refused.status).toBe(409);
  const conflict = sectionText(refused.html, "Saved meanwhile");
  expect(conflict).toContain("Round up to Saved now 0.05 Before 0.01");
  expect(await readRule(db, id, "")).toMatchObject({ margin: 3_500, roundTo: 50_000 });
  const merged = await formFields(refused.html, "change-rule");
  expect(await post(GRACE, path, merged)).toMatchObject({ status: 302 });
  expect(await readRule(db, id, "")).toMatchObject({ margin: 4_000, roundTo: 50_000 });
});

test("keeps the role that another admin gave meanwhile", async () => {
  const { userId } = await signedIn("customer", "Cleo");
  const change = (role: string) => {
    const once = crypto.randomUUID();
    return { intent: "access", change: "role", role, from: "customer", once, reason: "A new colleague" };
  };
  const path = `/admin/customers/${userId}`;
  const both = [post(ADA, path, change("agent")), post(GRACE, path, change("admin"))];
  const answers = await Promise.all(both);
  expect(answers.map(({ status }) => status).sort()).toEqual([302, 409]);
  expect(answers.find(({ status }) => status === 409)?.html).toContain("Somebody else changed this role meanwhile");
  const late = await post(GRACE, path, change("admin"));
  const [row] = await db.select().from(profiles).where(eq(profiles.userId, userId));
  expect([late.status, row?.role]).toEqual([409, answers[0]?.status === 302 ? "agent" : "admin"]);
});

test("keeps the version of a form through a mistake in it", async () => {
  const id = await service({ rate: 2_000_000 });
  const path = `/admin/services/${id}`;
  const mine = await openForm(GRACE, path, "service");
  await post(ADA, path, { ...(await openForm(ADA, path, "service")), rate: "9" });
  const mistaken = await post(GRACE, path, { ...mine, max: "soon" });
  expect(mistaken.status).toBe(400);
  const corrected = { ...(await formFields(mistaken.html, "service")), max: "500" };
  expect(await post(GRACE, path, corrected)).toMatchObject({ status: 409 });
  expect(await readService(id)).toMatchObject({ rate: 9_000_000, max: 100_000 });
});

test("shows what is saved to a form that doesn't say what it began from", async () => {
  const id = await service({ rate: 2_000_000 });
  const path = `/admin/services/${id}`;
  const { version: _, began: __, ...bare } = await openForm(GRACE, path, "service");
  const refused = await post(GRACE, path, { ...bare, rate: "3" });
  expect(refused.status).toBe(409);
  expect(sectionText(refused.html, "Saved meanwhile")).toContain("Rate Saved now 2.00 Yours 3.00");
  expect(await readService(id)).toMatchObject({ rate: 2_000_000, version: 1 });
});

test("tells of a change that no person made", async () => {
  const id = await service({ rate: 2_000_000 });
  const path = `/admin/services/${id}`;
  const mine = await openForm(GRACE, path, "service");
  await db.update(services).set({ min: 50, version: 2 }).where(eq(services.id, id));
  const refused = await post(GRACE, path, { ...mine, rate: "3" });
  const conflict = sectionText(refused.html, "Saved meanwhile");
  expect(conflict).toContain(
    "This was changed automatically: by an import or a provider, not by a person. Minimum Saved now 50 Before 10",
  );
});

test("names who changed a service together with others", async () => {
  const ids = [await service({ rate: 2_000_000 }), await service({ rate: 3_000_000 })];
  const [id = 0] = ids;
  const path = `/admin/services/${id}`;
  const mine = await openForm(GRACE, path, "service");
  for (const [name, selected] of [
    ["Bea", ids],
    ["Cyd", ids],
    ["Dan", [ids[1] ?? 0, await service()]],
  ] as const) {
    const actor = { userId: `id of ${name}`, name };
    const planned = await planChange(db, { ids: [...selected] }, { kind: "price", part: 1_000, step: null });
    if (!planned) throw new Error("too many services");
    const agreed = { digest: planned.digest, toLoss: false };
    expect(await applyPlan(db, actor, planned, agreed, {})).toMatchObject({ ok: true, changed: 2 });
  }
  const refused = await post(GRACE, path, { ...mine, rate: "3" });
  expect(sectionText(refused.html, "Saved meanwhile")).toContain("Changed by Cyd and Bea,");
  const [, card = ""] = (await read(GRACE, path)).split('id="history"');
  expect([...new Set(card.match(/Bea|Cyd|Dan/g))]).toEqual(["Cyd", "Bea"]);
});

test("names who decided on a change of a service's provider", async () => {
  const providerId = await sandboxProvider();
  const terms = { rate: 2_000_000, providerRate: 1_000_000, providerId };
  const [id, other] = [
    await service({ ...terms, providerServiceId: "1" }),
    await service({ ...terms, providerServiceId: "2" }),
  ];
  const path = `/admin/services/${id}`;
  const offered = { category: "Likes", type: "Default", rate: 1_500_000, min: 10, max: 500 } as const;
  const finding = { providerId, reason: "rise", paused: false, foundAt: 1 } as const;
  for (const [name, serviceId] of [
    ["Bea", id],
    ["Dan", other],
  ] as const) {
    const mine = await openForm(GRACE, path, "service");
    const flags = { dripfeed: false, refill: false, cancel: false };
    await db.insert(quarantine).values({ ...finding, serviceId, offered: { ...offered, ...flags } });
    const keys = (await listWaiting(db, providerId)).map(({ key }) => key);
    const actor = { userId: `id of ${name}`, name };
    expect(await decideWaiting(db, actor, "keep", new Set(keys))).toMatchObject({ ok: true, decided: 1 });
    const refused = await post(GRACE, path, { ...mine, rate: name === "Bea" ? "3" : "4" });
    expect(refused.status).toBe(name === "Bea" ? 409 : 302);
    if (refused.status === 409) expect(sectionText(refused.html, "Saved meanwhile")).toContain("Changed by Bea,");
  }
  const [, card = ""] = (await read(GRACE, path)).split('id="history"');
  expect(card).toContain("Bea");
  expect(card).not.toContain("Dan");
});

test("shows a waiting change that another replaced as it was and as it is, and decides neither", async () => {
  const providerId = await sandboxProvider();
  const shop = { rate: 2_000_000, providerRate: 1_000_000, providerId };
  const ids = [await service({ ...shop, providerServiceId: "1", name: "Fast likes" })];
  ids.push(await service({ ...shop, providerServiceId: "2" }));
  const terms = { category: "Likes", type: "Default", min: 10, max: 500 } as const;
  const flags = { dripfeed: false, refill: false, cancel: false };
  const offered = { ...terms, ...flags, rate: 1_500_000 };
  const finding = { providerId, reason: "rise", paused: false, foundAt: 1, offered } as const;
  await db.insert(quarantine).values(ids.map((serviceId) => ({ ...finding, serviceId })));
  const path = `/admin/providers/quarantine?provider=${providerId}`;
  const [, picked = ""] = (await read(GRACE, `${path}&all=1`)).match(/name="picked" value="([^"]*)"/) ?? [];
  const form = { intent: "keep", picked: decoded(picked) };
  const [first = 0, second = 0] = ids;
  const replaced = { offered: { ...offered, rate: 9_000_000, min: 20 }, reason: "jump" } as const;
  await db.update(quarantine).set(replaced).where(eq(quarantine.serviceId, first));
  const some = await post(GRACE, path, form);
  expect(some.status).toBe(200);
  expect(some.html).toContain("Your rates kept for 1 service. 1 service left alone: changed since you looked.");
  expect((await readService(second))?.providerRate).toBe(1_500_000);
  const refused = await post(GRACE, path, form);
  expect(refused.status).toBe(409);
  const left = sectionText(refused.html, "Left alone");
  expect(left).toContain("Fast likes Implausible price · Cost: $1.50 becomes → $9.00");
  expect(left).toContain("Quantity: 10 to 500 → 20 to 500");
  expect(left).toContain("What you saw was decided: our rate was kept.");
  expect((await readService(first))?.providerRate).toBe(1_000_000);
});

test("lifts no suppression that came after the one that the page showed, and names both", async () => {
  const address = `${crypto.randomUUID()}@shop.example`;
  const digest = addressDigest(address);
  await suppress(db, { address, reason: "bounced", detail: null, at: 60_000 });
  const path = `/admin/emails?state=suppressed&q=${address}&remove=${digest}`;
  const mine = { ...(await openForm(GRACE, path, "lift")), reason: "Called them" };
  const theirs = { ...(await openForm(ADA, path, "lift")), reason: "Called them" };
  expect((await post(ADA, path, theirs)).status).toBe(302);
  const complainedAt = Date.now() + 60_000;
  await suppress(db, { address, reason: "complained", detail: null, at: complainedAt });
  const refused = await post(GRACE, path, mine);
  expect(refused.status).toBe(409);
  const now = new Date(complainedAt).toISOString().slice(0, 16).replace("T", " ");
  expect(decoded(refused.html)).toContain(`suppressed again at ${now} UTC: `);
  expect(decoded(refused.html)).toContain("You saw the suppression of 1970-01-01 00:01 UTC. Nothing was removed.");
  expect(await isSuppressed(db, address)).toBe(true);
  expect(await formFields(refused.html, "lift")).toMatchObject({ at: String(complainedAt) });
});

test("lets one of many edits at once through, and shows the others what it saved", async () => {
  const id = await service({ rate: 2_000_000 });
  const path = `/admin/services/${id}`;
  const form = await openForm(GRACE, path, "service");
  const edits = atScale(8, 40);
  const all = Array.from({ length: edits }, (_, n) => post(n % 2 ? GRACE : ADA, path, { ...form, rate: `${n + 3}` }));
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 302)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(edits - 1);
  expect(await readService(id)).toMatchObject({ rate: (statuses.indexOf(302) + 3) * 1_000_000, version: 2 });
});

async function readService(id: number) {
  const [row] = await db.select().from(services).where(eq(services.id, id));
  return row;
}
