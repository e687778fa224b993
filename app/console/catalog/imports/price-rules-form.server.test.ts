import { asc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { priceRules } from "#app/db/schema.server.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { ADD_RULE, CHANGE_RULE, REMOVE_RULE } from "./price-rules-card.tsx";
import { submitRuleForm } from "./price-rules-form.server.ts";

test("changes and removes a rule by its stored name, and no other one", async () => {
  const providerId = await sandboxProvider();
  const stored = ["", "X", "X\u200b", "\u200b"];
  await db.insert(priceRules).values(stored.map((category) => ({ providerId, category, margin: 1_000 })));
  for (const category of ["X\u200b", "\u200b"]) {
    const terms = { margin: "20", roundTo: "0.01", minimum: "0" };
    const changed = await submit(providerId, { intent: CHANGE_RULE, category, version: "1", ...terms });
    expect(changed).toMatchObject({ kind: "done" });
  }
  expect(await marginsOf(providerId)).toEqual({ "": 1_000, X: 1_000, "X\u200b": 2_000, "\u200b": 2_000 });
  for (const category of ["X\u200b", "\u200b"]) {
    const removed = await submit(providerId, { intent: REMOVE_RULE, category, version: "2" });
    expect(removed).toMatchObject({ kind: "done" });
  }
  expect(await marginsOf(providerId)).toEqual({ "": 1_000, X: 1_000 });
});

test("cleans the category of a new rule", async () => {
  const providerId = await sandboxProvider();
  const fields = { intent: ADD_RULE, margin: "20", roundTo: "0.01", minimum: "0" };
  expect(await submit(providerId, { ...fields, category: " X\u200b" })).toMatchObject({ kind: "done" });
  expect(await marginsOf(providerId)).toEqual({ X: 2_000 });
});

async function submit(providerId: number, fields: Record<string, string>) {
  const { userId } = await customerWith(0);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return submitRuleForm(db, { userId, name: "Admin" }, providerId, form);
}

async function marginsOf(providerId: number): Promise<Record<string, number>> {
  const ofProvider = eq(priceRules.providerId, providerId);
  const rules = await db.select().from(priceRules).where(ofProvider).orderBy(asc(priceRules.category));
  return Object.fromEntries(rules.map(({ category, margin }) => [category, margin]));
}
