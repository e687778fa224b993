import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import { submitAdjustmentForm } from "./customer-admin-form.server.ts";

const STAFF = { userId: "staff-1", name: "Grace Admin" };
const stalled = stalls();

afterEach(async () => {
  vi.restoreAllMocks();
  await stalled.end();
});

test.each(["beforeCalls", "losingAnswers"] as const)(
  "credits a customer once although the database stood still, when the form is submitted again (%s)",
  async (begin) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { userId } = await customerWith(MICRO);
    const fields = {
      intent: "adjust",
      direction: "credit",
      amount: "2",
      reason: "Goodwill",
      once: crypto.randomUUID(),
    };
    const database = stalled.on(env.DB);
    let isLost = begin === "losingAnswers";
    const batch = (statements: D1PreparedStatement[]) => {
      if (isLost) stalled.losingAnswers();
      isLost = false;
      return database.batch(statements);
    };
    const prepare = (text: string) => database.prepare(text);
    const standing = connect({ prepare, batch } as unknown as D1Database, undefined, stalled.wait);
    const submit = (values: Record<string, string>) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(values)) form.set(name, value);
      return submitAdjustmentForm(standing, STAFF, userId, form);
    };
    if (!isLost) stalled.beforeCalls();
    const outcome = await submit(fields);
    await stalled.end();
    const { intent, ...values } = fields;
    expect(outcome).toMatchObject({ kind: "shown", status: 503, result: { intent, ok: false, values } });
    if (outcome.kind !== "shown") throw new Error("unreachable");
    await submit({ intent, ...outcome.result.values });
    const again = await submit(fields);
    expect(again).toMatchObject({
      kind: "shown",
      status: 409,
      result: { message: expect.stringContaining("already") },
    });
    // After any other refusal the form is a new one.
    expect(again).not.toHaveProperty("result.values.once");
    expect(await readBalance(db, userId)).toBe(3 * MICRO);
    expect(await checkLedger(db)).toEqual([]);
  },
);
