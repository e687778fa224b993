import { env } from "cloudflare:workers";
import { afterEach, expect, test } from "vitest";
import { emails, settings } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { submitSetting } from "./site-settings-form.server.ts";

const SITE = withoutDispatcher({
  ...env,
  PUBLIC_ORIGIN: "https://growline.example",
  ALERT_EMAIL: "Ops@test.example",
});
const ADMIN = { userId: "admin", name: "Al Admin" };

afterEach(async () => {
  await db.delete(settings);
  await db.delete(emails);
});

test("emails everybody who was told of alerts before a change, also those whom it removes", async () => {
  await save("night@test.example\nops@test.example", 0);
  expect(await recipients()).toEqual(["Ops@test.example"]);
  await db.delete(emails);

  await save("thief@evil.example", 1);
  expect(await recipients()).toEqual(["Ops@test.example", "night@test.example"]);
  const [{ id = "", sealedContent = "" } = {}] = await db.select().from(emails);
  const { subject, text } = await openContent(env, id, sealedContent ?? "");
  expect(subject).toBe("[Growline] Who gets alerts was changed");
  for (const part of ["Al Admin", "night@test.example", "thief@evil.example", "https://growline.example/admin/audit"]) {
    expect(text).toContain(part);
  }
});

test("emails nobody about other settings, and about a change that was refused or changed nothing", async () => {
  await save("night@test.example", 0);
  await db.delete(emails);
  await save("night@test.example", 1);
  await save("late@test.example", 0);
  await save("nobody", 1);
  await save("10", 0, "emails_kept_days");
  expect(await recipients()).toEqual([]);
});

test("changes nothing while the emails about it can't be written", async () => {
  await expect(save("thief@evil.example", 0, "alert_emails", { ...SITE, ENCRYPTION_KEYS: "" })).rejects.toThrow();
  expect(await db.$count(settings)).toBe(0);
});

async function save(
  value: string,
  version: number,
  name: "alert_emails" | "emails_kept_days" = "alert_emails",
  of = SITE,
) {
  const form = new FormData();
  form.set("value", value);
  form.set("version", String(version));
  await submitSetting({ db, env: of, waitUntil: () => {} }, ADMIN, name, form);
}

async function recipients(): Promise<string[]> {
  return (await db.select().from(emails)).map(({ recipient }) => recipient).toSorted();
}
