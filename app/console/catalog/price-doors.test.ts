import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { desc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import { prepareCatalogUndo } from "#app/console/undo/prepare-undo.server.ts";
import { shownUndo, submitEntryUndo } from "#app/console/undo/undo-form.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import {
  auditLog,
  auditSubjects,
  catalogChanges,
  catalogVersion,
  priceRules,
  providers,
  quarantine,
  services,
} from "#app/db/schema.server.ts";
import { beginEdit } from "#app/http/edits/edit-input.server.ts";
import { previewImport } from "#app/orders/providers/catalog-import.server.ts";
import { MAX_RATE, REFUSALS, type Refusal } from "#app/orders/services/service-guard.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { type Decision, decideWaiting, listWaiting } from "./imports/quarantine-decisions.server.ts";
import { submitQuarantineForm } from "./imports/quarantine-form.server.ts";
import { applyPlan, planChange, planUndo, readBulkEntry } from "./services/bulk/apply-bulk.server.ts";
import type { BulkChange } from "./services/bulk/bulk-change.ts";
import { leftText } from "./services/bulk/bulk-change-text.ts";
import { submitBulkForm, submitUndoForm } from "./services/bulk/bulk-form.server.ts";
import { submitProviderForm } from "./services/provider-admin-form.server.ts";
import { changeService } from "./services/service-admin.server.ts";
import { serviceTexts, submitServiceForm } from "./services/service-admin-form.server.ts";
import { submitCellForm } from "./services/table/service-cell-form.server.ts";

/** A price is changed by many doors. A change that is forbidden at one of them is forbidden at each, in the same words. */

const STAFF: Actor = { userId: "staff-1", name: "Grace Admin" };
const [OURS, HIGH, COST] = [2_000_000, 9_000_000, 1_000_000];
const TOO_HIGH = MAX_RATE + 1;
const AGREED = { toLoss: true };

/** Tries a change that was prepared. Returns all that the door says, and whether it was made. */
type Attempt = (agrees: boolean) => Promise<{ ok: boolean; words: string }>;
type Terms = Partial<typeof services.$inferInsert>;

/** Sells something for $2.00 that costs $1.00, by a rule. */
async function shop(terms: Terms = {}, minimum = 0) {
  const providerId = await sandboxProvider();
  await db.insert(priceRules).values({ providerId, category: "", margin: 5_000, minimum });
  const known = { rate: OURS, ruleRate: OURS, decidedRate: OURS, providerRate: COST, decidedCost: COST };
  const id = await service({ providerId, providerServiceId: "1", max: 1000, ...known, ...terms });
  return { id, providerId };
}
type Shop = Awaited<ReturnType<typeof shop>>;

const page =
  (rate: string) =>
  async ({ id }: Shop): Promise<Attempt> => {
    const row = await read(id);
    const texts = serviceTexts(row);
    const fields = { ...texts, ...beginEdit(row.version, texts), rate };
    return async (agrees) => said(await submitServiceForm(db, STAFF, id, formOf(fields, agrees)));
  };

const cell =
  (value: string) =>
  async ({ id }: Shop): Promise<Attempt> => {
    const { version } = await read(id);
    const fields = { id: String(id), field: "rate", value, version: String(version) };
    return async (agrees) => {
      const result = await submitCellForm(db, STAFF, formOf(fields, agrees));
      return { ok: result?.ok === true, words: result?.message ?? "" };
    };
  };

const bulk =
  (by: number) =>
  async ({ id }: Shop): Promise<Attempt> => {
    const change: BulkChange = { kind: "price", part: by * 100, step: null };
    const planned = await planChange(db, { ids: [id] }, change);
    const params = new URLSearchParams({ id: String(id), change: "price", by: String(by) });
    const form = { intent: "apply", digest: planned?.digest ?? "" };
    const left = planned?.plan.left.map(({ why }) => leftText(why)).join() ?? "";
    return async (agrees) => said(await submitBulkForm(db, STAFF, params, formOf(form, agrees)), left);
  };

const importing =
  (rate: string) =>
  async ({ providerId }: Shop): Promise<Attempt> => {
    const entry = { service: "1", name: "Likes", category: "Likes", type: "Default", rate, min: "10", max: "1000" };
    providerReplies(() => Response.json([entry]));
    const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
    if (!provider) throw new Error("no provider");
    const preview = await previewImport(db, env, provider);
    if (!preview.ok) throw new Error(preview.reason);
    const fields = { intent: "import", digest: preview.digest, picked: JSON.stringify(["1"]) };
    const context = { db, env } as unknown as AppLoadContext;
    return async (agrees) =>
      said(await submitProviderForm(context, STAFF, providerId, formOf(fields, agrees), () => {}));
  };

/** Decides on an offer that has paused the service. */
const quarantined =
  (decision: Decision, rate: number) =>
  async (shop: Shop): Promise<Attempt> => {
    await offer(shop, rate, { paused: true });
    const [row] = await listWaiting(db, shop.providerId);
    const fields = { intent: decision, picked: JSON.stringify([row?.key]) };
    const url = `https://growline.example/admin/providers/quarantine?provider=${shop.providerId}`;
    return async (agrees) => said(await submitQuarantineForm(db, STAFF, formOf(fields, agrees), url));
  };

/** Undoes a change of one service that raised its rate, which has cost more since. */
async function undoing({ id }: Shop): Promise<Attempt> {
  const { version } = await read(id);
  await changeService(db, STAFF, id, { rate: HIGH }, version, AGREED);
  await db.update(services).set({ providerRate: 5_000_000 }).where(eq(services.id, id));
  return undoOfLast();
}

/** Undoes a change of many services that raised their rates. */
async function undoingBulk({ id }: Shop): Promise<Attempt> {
  const planned = await planChange(db, { ids: [id] }, { kind: "margin", margin: 9_000, step: null });
  if (!planned) throw new Error("too many services");
  const applied = await applyPlan(db, STAFF, planned, { digest: planned.digest, toLoss: true }, {});
  if (!applied.ok) throw new Error(applied.reason);
  await db.update(services).set({ providerRate: 5_000_000 }).where(eq(services.id, id));
  const entry = await readBulkEntry(db, applied.entryId);
  if (!entry) throw new Error("no entry");
  const { digest, plan } = await planUndo(db, entry);
  const left = plan.left.map(({ why }) => leftText(why)).join();
  const fields = { intent: "apply", digest };
  return async (agrees) => said(await submitUndoForm(db, STAFF, applied.entryId, formOf(fields, agrees)), left);
}

/** Undoes a decision that took a higher price, about an offer that the service was on sale with. */
async function undoingDecision(shop: Shop): Promise<Attempt> {
  await offer(shop, 5_000_000, { paused: false });
  await decide(shop, "take");
  return undoOfLast();
}

/** Decides again to keep a rate below cost, which was undone. */
async function undoingReopening(shop: Shop): Promise<Attempt> {
  await offer(shop, 5_000_000, { paused: true });
  await decide(shop, "keep");
  expect(await (await undoOfLast())(true)).toMatchObject({ ok: true });
  return undoOfLast();
}

/** Every door by which a rate can come to be below cost. A rule's rate covers the cost it is made from: no import can do it. */
const BELOW_COST: Record<string, (shop: Shop) => Promise<Attempt>> = {
  page: page("0.5"),
  cell: cell("0.5"),
  bulk: bulk(-75),
  "quarantine release": quarantined("keep", 5_000_000),
  undo: undoing,
  "undo of many": undoingBulk,
  "undo of a decision": undoingDecision,
  "undo of a reopening": undoingReopening,
};

test.each(Object.keys(BELOW_COST))("asks at the door %s before a price falls below cost", async (door) => {
  const own = await shop({ enabled: !/release|reopening/.test(door) });
  const attempt = await (BELOW_COST[door] as (shop: Shop) => Promise<Attempt>)(own);
  await expectRefused(attempt, "below_cost");
  expect(await attempt(true)).toMatchObject({ ok: true });
  const { rate, enabled, providerRate } = await read(own.id);
  const [finding] = await listWaiting(db, own.providerId);
  expect(enabled && rate < Math.max(providerRate ?? 0, finding?.cost[1] ?? 0)).toBe(true);
});

/** Every door, with a rate above the highest: one that is typed, calculated, given by a rule, or was stored once. */
const ABOVE: Record<string, { shop?: () => Promise<Shop>; prepare: (shop: Shop) => Promise<Attempt> }> = {
  page: { prepare: page("1000000000") },
  cell: { prepare: cell("1000000000") },
  bulk: { shop: () => shop({ rate: MAX_RATE - 1 }), prepare: bulk(10) },
  import: { shop: () => shop({}, TOO_HIGH), prepare: importing("1.10") },
  "quarantine release": { shop: () => shop({ enabled: false }, TOO_HIGH), prepare: quarantined("take", 1_100_000) },
  undo: { shop: () => shop({ rate: TOO_HIGH }), prepare: undoing },
  "undo of many": { shop: () => shop({ rate: TOO_HIGH }), prepare: undoingBulk },
  "undo of a decision": { shop: () => shop({ rate: TOO_HIGH }), prepare: undoingDecision },
};

test.each(Object.keys(ABOVE))("refuses a price above the highest at the door %s", async (door) => {
  const { shop: open = shop, prepare } = ABOVE[door] as (typeof ABOVE)[string];
  const attempt = await prepare(await open());
  await expectRefused(attempt, "too_high");
  expect(await attempt(true)).toMatchObject({ ok: false });
});

const OUTDATED: Record<string, (shop: Shop) => Promise<Attempt>> = {
  cell: cell("3"),
  bulk: bulk(10),
  import: importing("1.10"),
  "quarantine release": quarantined("take", 1_100_000),
  undo: undoing,
  "undo of many": undoingBulk,
  "undo of a decision": undoingDecision,
};

test.each(Object.keys(OUTDATED))("refuses at the door %s what somebody else changed meanwhile", async (door) => {
  const own = await shop();
  const attempt = await (OUTDATED[door] as (shop: Shop) => Promise<Attempt>)(own);
  const { version } = await read(own.id);
  await db
    .update(services)
    .set({ rate: 7_000_000, version: version + 1 })
    .where(eq(services.id, own.id));
  await expectRefused(attempt, "stale", true);
});

/** Asserts that an attempt is refused in the words of `REFUSALS` and writes nothing. */
async function expectRefused(attempt: Attempt, refusal: Refusal, agrees = false) {
  const before = await everything();
  const { ok, words } = await attempt(agrees);
  expect({ ok, words: words.toLowerCase() }).toEqual({
    ok: false,
    words: expect.stringContaining(REFUSALS[refusal].why),
  });
  expect(await everything()).toEqual(before);
}

/** Returns all that a change of a service may write. */
async function everything() {
  const tables = [services, auditLog, auditSubjects, quarantine, catalogChanges, catalogVersion, priceRules];
  return Promise.all(tables.map((table) => db.select().from(table)));
}

async function offer({ id, providerId }: Shop, rate: number, { paused }: { paused: boolean }) {
  const terms = { category: "Likes", type: "Default", min: 10, max: 1000 } as const;
  const offered = { ...terms, rate, dripfeed: false, refill: false, cancel: false };
  await db.insert(quarantine).values({ providerId, serviceId: id, reason: "rise", paused, foundAt: 1, offered });
}

async function decide({ providerId }: Shop, decision: Decision) {
  const keys = (await listWaiting(db, providerId)).map(({ key }) => key);
  expect(await decideWaiting(db, STAFF, decision, new Set(keys), AGREED)).toMatchObject({ ok: true, decided: 1 });
}

async function undoOfLast(): Promise<Attempt> {
  const [entry] = await db.select().from(auditLog).orderBy(desc(auditLog.id)).limit(1);
  const prepared = entry && (await prepareCatalogUndo(db, env, entry));
  if (!prepared) throw new Error("nothing to undo");
  const { plan } = prepared;
  const why = plan.kind === "never" ? plan.why : "";
  const fields = { intent: "undo", digest: shownUndo(prepared).digest };
  return async (agrees) => said(await submitEntryUndo(STAFF, entry, prepared, formOf(fields, agrees)), why);
}

function said(outcome: FormOutcome<FormResult> | null, shownBefore = ""): { ok: boolean; words: string } {
  if (!outcome) throw new Error("the form is unknown");
  if (outcome.kind === "done") return { ok: true, words: outcome.message };
  const { ok, message = "", fieldErrors = {} } = outcome.result;
  return { ok, words: [shownBefore, message, ...Object.values(fieldErrors)].join(" ") };
}

function formOf(fields: Record<string, string>, agrees: boolean): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  if (agrees) data.set("loss", "on");
  return data;
}

async function read(id: number) {
  const [row] = await db.select().from(services).where(eq(services.id, id));
  if (!row) throw new Error("no such service");
  return row;
}
