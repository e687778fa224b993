import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { auditLog, emailSuppressions, emails } from "#app/db/schema.server.ts";
import { deleteEmails } from "#app/email/email-personal-data.server.ts";
import { addressDigest, isSuppressed, suppress } from "#app/email/suppressions.server.ts";
import { SAME_SITE } from "#tests/workerd/all-routes.ts";
import { db } from "#tests/workerd/customer.ts";
import { queueTo, sendQueued } from "#tests/workerd/email-api.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { ORIGIN } from "#tests/workerd/support-visitor.ts";
import { faultyAddress } from "#tools/stand-ins/email-faults.ts";

const PAGE = "/admin/emails";

test("shows failed and waiting emails to admins only, without their contents", async () => {
  const [failed, waiting] = [faultyAddress("invalid"), faultyAddress("down")];
  await queueTo(failed);
  await queueTo(waiting);
  await sendQueued();
  const { cookie } = await signedIn("admin");
  const [failures, queue] = [await show(cookie), await show(cookie, "?state=waiting")];
  expect(failures).toContain(failed);
  expect(failures).not.toContain(waiting);
  expect(failures).toContain("HTTP 422 validation_error Invalid `html` field.");
  expect(queue).toContain(waiting);
  expect(queue).not.toContain(failed);
  expect(queue).toContain("HTTP 503");
  for (const page of [failures, queue]) expect(page).not.toMatch(/sealed|<p>Text/i);
  for (const role of ["agent", "customer"] as const) {
    const other = await signedIn(role);
    expect((await open(other.cookie)).status, role).toBe(404);
    expect((await lift(other.cookie, addressDigest(failed), 0)).status, role).toBe(404);
  }
  expect((await open("")).status).toBe(302);
});

test("lists 50 emails a page and links to the next", async () => {
  await db.delete(emails);
  for (let part = 0; part < 7; part++) await db.insert(emails).values(rowsOf(part * 8, 8));
  const { cookie } = await signedIn("admin");
  const first = await show(cookie);
  expect(first.match(/person\d+@test\.example<\/span>/g)).toHaveLength(50);
  expect(first).not.toContain("person5@");
  const next = /href="[^"?]*(\?[^"]*after=[^"]*)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const second = await show(cookie, next);
  expect(second.match(/person\d+@test\.example<\/span>/g)).toHaveLength(6);
  expect(second).toContain("person5@");
});

test("finds a suppressed address by its start, or as a whole once its account is deleted", async () => {
  const { userId, email } = await newAccount();
  const other = `${crypto.randomUUID()}@test.example`;
  for (const address of [email, other])
    await suppress(db, { address, reason: "bounced", detail: null, at: Date.now() });
  const { cookie } = await signedIn("admin");
  const search = (text: string) => show(cookie, `?${new URLSearchParams({ state: "suppressed", q: text })}`);
  const found = await search(email.slice(0, 20).toUpperCase());
  expect(found).toContain(`title="${email}"`);
  expect(found).not.toContain(other);
  await deleteEmails(db, userId);
  expect(await search(email.slice(0, 20))).toContain("No matching addresses");
  expect(await search(email)).toContain(`Deleted account ${addressDigest(email).slice(0, 8)}`);
});

test("lifts a suppression once, with a reason", async () => {
  const address = `${crypto.randomUUID()}@test.example`;
  const digest = addressDigest(address);
  const at = Date.now();
  await suppress(db, { address, reason: "complained", detail: null, at });
  const { cookie } = await signedIn("admin", "Al");
  expect(await show(cookie, `?state=suppressed&remove=${digest}`)).toContain("gets emails again");
  expect((await lift(cookie, digest, at, " ")).status).toBe(400);
  expect((await lift(cookie, "no digest", at)).status).toBe(400);
  expect(await isSuppressed(db, address)).toBe(true);
  expect((await lift(cookie, digest, at)).status).toBe(302);
  expect(await isSuppressed(db, address)).toBe(false);
  expect((await lift(cookie, digest, at)).status).toBe(409);
  const entries = await db.select().from(auditLog).where(eq(auditLog.subjectId, digest));
  expect(entries).toMatchObject([{ action: "email.allow", actorName: "Al", detail: { reason: "They asked for it" } }]);
  expect(await show(cookie, "?state=suppressed")).not.toContain(address);
});

test("tells only the owner of an address that it gets no emails", async () => {
  const owner = await signedIn();
  const page = async () => (await open(owner.cookie, "/dashboard/account")).text();
  expect(await page()).not.toContain("We can&#x27;t email you");
  await suppress(db, { address: owner.email, reason: "bounced", detail: null, at: Date.now() });
  expect(await page()).toContain("We can&#x27;t email you");
  const reset = (email: string) =>
    SELF.fetch(`${ORIGIN}/reset-password`, {
      method: "POST",
      headers: SAME_SITE,
      body: new URLSearchParams({ email }),
    }).then((response) => response.text());
  const shown = (text: string, name: string) =>
    /<main.*<\/main>/s
      .exec(text)?.[0]
      .replaceAll(name, "")
      .replaceAll(/<[^>]*>/g, "");
  const unknown = `${crypto.randomUUID()}@test.example`;
  const [suppressed, none] = [await reset(owner.email), await reset(unknown)];
  expect(suppressed).toContain("If there is an account for");
  expect(shown(suppressed, owner.email)).toBe(shown(none, unknown));
  await db.delete(emailSuppressions);
});

function rowsOf(from: number, count: number) {
  return Array.from({ length: count }, (_, n) => ({
    id: `failed-${from + n}`,
    recipient: `person${from + n}@test.example`,
    kind: "transcript" as const,
    status: "failed" as const,
    expiresAt: 1,
    // Several in the same millisecond.
    createdAt: 1_000_000 + Math.floor((from + n) / 4),
  }));
}

async function show(cookie: string, search = ""): Promise<string> {
  const response = await open(cookie, PAGE + search);
  expect(response.status).toBe(200);
  return response.text();
}

function open(cookie: string, path = PAGE): Promise<Response> {
  return SELF.fetch(ORIGIN + path, { headers: { Cookie: cookie }, redirect: "manual" });
}

function lift(cookie: string, digest: string, at: number, reason = "They asked for it"): Promise<Response> {
  return SELF.fetch(`${ORIGIN}${PAGE}?state=suppressed`, {
    method: "POST",
    headers: { ...SAME_SITE, Cookie: cookie },
    body: new URLSearchParams({ intent: "lift", digest, at: String(at), reason }),
    redirect: "manual",
  });
}
