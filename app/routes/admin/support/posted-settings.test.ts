import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, desc, eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { readSupportCards } from "#app/console/settings/support-settings-form.server.ts";
import { auditLog, settings, supportSettings } from "#app/db/schema.server.ts";
import { MICRO } from "#app/product.ts";
import { readSiteSettings } from "#app/settings/settings-store.server.ts";
import { SETTING_NAMES, type SettingName } from "#app/settings/site-settings.ts";
import { readSettings } from "#app/support/team/support-settings.server.ts";
import { DEFAULT_SETTINGS } from "#app/support/team/team-settings.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { db } from "#tests/workerd/customer.ts";
import { type SignedInAccount, signedIn, storedSignIn } from "#tests/workerd/signed-in-account.ts";

/** What a form sends for each setting, what is stored of it, and what it must refuse. */
const POSTED: Record<SettingName, { sent: Record<string, string>; stored: unknown; refused: string | null }> = {
  maintenance: {
    sent: { value: "Back at noon", on: "on" },
    stored: { on: true, text: "Back at noon" },
    refused: "x".repeat(301),
  },
  min_top_up: { sent: { value: "12.50" }, stored: 12.5 * MICRO, refused: "0.50" },
  refund_policy: { sent: { value: "One.\nTwo." }, stored: ["One.", "Two."], refused: "x\n".repeat(6) },
  terms_url: {
    sent: { value: "https://example.com/terms" },
    stored: "https://example.com/terms",
    refused: "http://x.y",
  },
  alert_emails: { sent: { value: "ops@shop.example" }, stored: ["ops@shop.example"], refused: "nobody" },
  report_emails: { sent: { value: "owner@shop.example" }, stored: ["owner@shop.example"], refused: "nobody" },
  link_check: { sent: { value: "off" }, stored: "off", refused: "loose" },
  conversations_kept_days: { sent: { value: "365" }, stored: 365, refused: "30" },
  emails_kept_days: { sent: { value: "14" }, stored: 14, refused: "31" },
  webhook_deliveries_kept_days: { sent: { value: "60" }, stored: 60, refused: "91" },
  provider_log_kept_days: { sent: { value: "60" }, stored: 60, refused: "6" },
};

afterEach(async () => {
  await db.delete(settings);
  await db.delete(supportSettings);
  await db.delete(auditLog);
});

test.for(SETTING_NAMES)(
  "saves %s by its form, says who did, and refuses a value out of bounds and a stale form",
  async (name) => {
    const { sent, stored, refused } = POSTED[name];
    const admin = await signedIn("admin", "Grace Admin");
    const intent = `setting ${name}`;
    const agent = await storedSignIn("agent");
    expect((await post(agent, { intent, version: "0", ...sent })).status).toBe(404);
    if (refused !== null) expect((await post(admin, { intent, version: "0", value: refused })).status).toBe(400);
    expect(await db.select().from(settings)).toEqual([]);
    expect((await post(admin, { intent, version: "0", ...sent })).status).toBe(302);
    expect((await readSiteSettings(db, env))[name]).toEqual(stored);
    const [entry] = await db.select().from(auditLog).orderBy(desc(auditLog.id)).limit(1);
    expect(entry).toMatchObject({ action: "setting.change", subjectId: name, actorId: admin.userId });
    expect(Object.keys(entry?.detail ?? {})).toEqual([name]);
    const stale = await post(admin, { intent, version: "0", ...sent });
    expect([stale.status, (await stale.text()).includes("Grace Admin changed this")]).toEqual([409, true]);
    expect(factsOf(await open(admin))).toContainEqual(expect.stringContaining("Changed by Grace Admin"));
  },
);

test("shows the default, the bounds and the last change of each support setting", async () => {
  const [grace, ada] = [await signedIn("admin", "Grace Admin"), await signedIn("admin", "Ada Admin")];
  const first = factsOf(await open(grace));
  expect(first.filter((text) => text.includes("Never changed."))).toHaveLength(SETTING_NAMES.length + 5);
  const hours = Object.fromEntries(
    [0, 1, 2, 3, 4].flatMap((day) => [
      [`from-${day}`, "09:00"],
      [`to-${day}`, "18:00"],
    ]),
  );
  const form = { ...hours, timeZone: "UTC", awayMessage: DEFAULT_SETTINGS.awayMessage };
  expect((await post(grace, { ...form, version: "1", contactEmail: "help@shop.example" })).status).toBe(302);
  expect(
    (await post(ada, { ...form, version: "2", contactEmail: "", responseMinutes: "30", "to-4": "17:00" })).status,
  ).toBe(302);
  expect(await facts()).toMatchObject({
    hours: { isInitial: false, changed: { by: "Ada Admin" } },
    awayMessage: { isInitial: true, changed: null },
    contactEmail: { isInitial: true, changed: { by: "Ada Admin" }, initial: "empty" },
    responseMinutes: {
      isInitial: false,
      changed: { by: "Ada Admin" },
      bounds: "1 to 10,080 minutes (a week), or empty",
    },
    assignsInTurn: { isInitial: true, changed: null },
  });
  const shown = factsOf(await open(grace));
  expect(shown).toContainEqual(
    expect.stringMatching(/One address .*Default: empty\. Changed by Ada Admin .*, to the default\./),
  );
  // Whoever is gone has no name any more.
  await db
    .update(auditLog)
    .set({ actorName: "" })
    .where(and(eq(auditLog.subjectId, "support"), eq(auditLog.actorId, ada.userId)));
  expect((await facts()).hours?.changed?.by).toBe("A deleted account");
});

test("says where the product's name is set", async () => {
  const page = await open(await signedIn("admin"));
  expect(page).toContain("Product name");
  expect(page).toContain("app/product.ts");
});

/** Returns the notes under each support setting, or under its card where the settings share one. */
async function facts() {
  const cards = await readSupportCards(db, await readSettings(db));
  return Object.fromEntries(
    cards.flatMap(({ id, fact, settings }) => [
      [id, fact] as const,
      ...settings.map((one) => [one.name, one] as const),
    ]),
  );
}

async function open({ cookie }: SignedInAccount): Promise<string> {
  const response = await SELF.fetch(`${SITE}/admin/settings`, { headers: { Cookie: cookie } });
  expect(response.status).toBe(200);
  return response.text();
}

/** Returns the lines below the settings, without their markup. */
function factsOf(html: string): string[] {
  const lines = [...html.matchAll(/<p class="max-w-prose text-xs text-muted[^"]*">(.*?)<\/p>/gs)];
  return lines.map(([, line = ""]) => line.replaceAll(/<!--.*?-->|<[^>]+>/g, ""));
}

function post({ cookie }: SignedInAccount, fields: Record<string, string>): Promise<Response> {
  const headers = { Cookie: cookie, ...SAME_SITE };
  const body = new URLSearchParams(fields);
  return SELF.fetch(`${SITE}/admin/settings`, { method: "POST", headers, body, redirect: "manual" });
}
