import { desc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { changeService, type ServiceTerms } from "#app/console/catalog/services/service-admin.server.ts";
import { auditLog, services } from "#app/db/schema.server.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { undoServiceChange } from "./undo-service.server.ts";

const BY = { userId: "staff-1", name: "Grace Admin" };
const [LOW, HIGH, COST] = [2_000_000, 9_000_000, 5_000_000];

/** What a change may do to each field of a service, as [before, after]. */
const RATES = [[LOW, HIGH] as const, [HIGH, LOW] as const, [LOW, LOW] as const, [HIGH, HIGH] as const];
const SALES = [[true, false] as const, [false, true] as const, [true, true] as const, [false, false] as const];
const WAYS = RATES.flatMap((rate) => SALES.map((enabled) => ({ rate, enabled })));

test.for(WAYS)("asks for agreement exactly where undoing is refused without it: $rate, $enabled", async (way) => {
  const { rate, enabled } = way;
  for (const cost of [null, COST]) {
    const id = await service({ rate: rate[0], enabled: enabled[0], providerRate: null });
    const terms: Partial<ServiceTerms> = { rate: rate[1], enabled: enabled[1], description: "Changed" };
    expect(await changeService(db, BY, id, terms, 1, { toLoss: true })).toMatchObject({ ok: true });
    await db.update(services).set({ providerRate: cost }).where(eq(services.id, id));
    const [entry] = await db.select().from(auditLog).orderBy(desc(auditLog.id)).limit(1);
    if (!entry) throw new Error("nothing is recorded");
    const { plan, run } = await undoServiceChange(db, entry);
    const isChanged = rate[0] !== rate[1] || enabled[0] !== enabled[1];
    const isLoss = isChanged && cost !== null && enabled[0] && rate[0] < cost;
    expect(plan, `cost ${cost}`).toMatchObject({ kind: "ready", asksForLoss: isLoss });
    expect(await run({ ...BY, undoes: entry.id }, { toLoss: false }), `cost ${cost}`).toMatchObject({ ok: !isLoss });
    if (isLoss) expect(await run({ ...BY, undoes: entry.id }, { toLoss: true })).toEqual({ ok: true });
    const [after] = await db.select().from(services).where(eq(services.id, id));
    expect(after).toMatchObject({ rate: rate[0], enabled: enabled[0], description: "" });
  }
});

test("says why terms don't go back that don't go together with what was changed since", async () => {
  const id = await service({ min: 10, max: 100 });
  const change = async (terms: Partial<ServiceTerms>, version: number) =>
    expect(await changeService(db, BY, id, terms, version, { toLoss: false })).toMatchObject({ ok: true });
  await change({ max: 500 }, 1);
  const [entry] = await db.select().from(auditLog).orderBy(desc(auditLog.id)).limit(1);
  if (!entry) throw new Error("nothing is recorded");
  await change({ min: 200 }, 2);
  const { plan, run } = await undoServiceChange(db, entry);
  expect(plan).toEqual({ kind: "never", why: expect.stringContaining("maximum must be at least the minimum") });
  expect(await run({ ...BY, undoes: entry.id }, { toLoss: true })).toMatchObject({ ok: false });
  const [after] = await db.select().from(services).where(eq(services.id, id));
  expect(after).toMatchObject({ min: 200, max: 500 });
});
