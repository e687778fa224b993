import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { parse } from "csv-parse/sync";
import { desc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { exportName, pathOfPage } from "#app/console/resource/resource.ts";
import { ALL_RESOURCES } from "#app/console/resources/all-resources.ts";
import { ALL_STORES, storeOf } from "#app/console/stores/all-stores.server.ts";
import { connect } from "#app/db/db.server.ts";
import { auditLog, authSessions } from "#app/db/schema.server.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { decoded, openForm, postForm, readPage, sectionText } from "#tests/workerd/form-pages.ts";
import { fillResources, sampleOf } from "#tests/workerd/resource-samples.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

/** Each kind of record that staff manage keeps these promises, whatever it is. */

const GRACE = await signedIn("admin", "Grace Admin");
const ADA = await signedIn("admin", "Ada Admin");
const AGENT = await signedIn("agent", "Bo Agent");
/** More than two pages of a list have here. */
const MANY = 20;
const FIRST_PAGE = { search: "", sort: { key: "id", descending: true } };

test("has a store of each kind", () => {
  expect(ALL_RESOURCES.length).toBeGreaterThan(1);
  expect(ALL_STORES.map(({ resource }) => resource.type).sort()).toEqual(ALL_RESOURCES.map(({ type }) => type).sort());
});

for (const resource of ALL_RESOURCES) {
  const { page, type, form, once, roles, withoutProof, neverUndone } = resource;
  const [path, title] = [pathOfPage(resource), page.label];
  const store = storeOf(type);
  const sample = (name: string) => ({
    ...sampleOf(resource, name),
    intent: "save",
    ...(once && { once: crypto.randomUUID() }),
  });

  test(`${title}: stores a new one once with its audit entry, lists and exports it`, async () => {
    const before = await entriesOf(type);
    const fields = sample("sampleone");
    const created = await postForm(GRACE, path, fields);
    expect([200, 302], created.html).toContain(created.status);
    if (once) await postForm(GRACE, path, fields);
    const added = (await entriesOf(type)).slice(0, -before.length || undefined);
    expect(added).toMatchObject([{ action: `${type}.create`, actorId: GRACE.userId }]);
    expect(await readPage(ADA, path)).toContain("sampleone");
    const entry = (await readPage(ADA, `/admin/audit/${added[0]?.id}`)).replaceAll(/<[^>]*>/g, "");
    expect(entry).toMatch(/Grace Admin created .*the [\w ]+ [“/]sampleone/);
    if (!store.csv) return;
    const file = await SELF.fetch(`${SITE}/admin/exports/${exportName(resource)}`, { headers: { Cookie: ADA.cookie } });
    const rows: Record<string, string>[] = parse(await file.text(), { bom: true, columns: true });
    expect(rows).toHaveLength((await store.list(db, FIRST_PAGE, null, 1000)).rows.length);
    expect(JSON.stringify(rows)).toContain("sampleone");
  });

  test(`${title}: lets those change it whom it names, with a recent proof unless it says otherwise`, async () => {
    const isForAgents = roles?.includes("agent") ?? false;
    const before = await entriesOf(type);
    const { status } = await SELF.fetch(SITE + path, { headers: { Cookie: AGENT.cookie } });
    expect(status).toBe(isForAgents ? 200 : 404);
    if (!isForAgents) expect((await postForm(AGENT, path, sample("sampletwo"))).status).toBe(404);
    const late = await signedIn("admin");
    await db.update(authSessions).set({ verifiedAt: 1 }).where(eq(authSessions.id, late.sessionId));
    if (!withoutProof) {
      const headers = { ...SAME_SITE, Cookie: late.cookie };
      const body = new URLSearchParams(sample("samplethree"));
      const asked = await SELF.fetch(SITE + path, { method: "POST", headers, body, redirect: "manual" });
      expect(asked.headers.get("Location")).toMatch(/^\/auth\/verify\b/);
    }
    expect(await entriesOf(type)).toEqual(before);
  });

  test(`${title}: refuses a form with an error, shows it at its field and stores nothing`, async () => {
    const before = await entriesOf(type);
    const refused = await postForm(GRACE, path, { ...sample(""), [resource.nameField]: "" });
    expect(refused.status).toBe(400);
    expect(refused.html).toMatch(/aria-invalid="true"/);
    expect(await entriesOf(type)).toEqual(before);
  });

  test(`${title}: reads a page of its list in one statement, of no more rows however many there are`, async () => {
    const read: { rows: number; queries: number; rowsRead: number }[] = [];
    for (const from of [1, MANY + 1]) {
      await fillResources(MANY, { from, only: type });
      const { database, counts } = countedDatabase(env.DB);
      const { rows } = await store.list(connect(database), FIRST_PAGE, null, MANY / 2);
      read.push({ rows: rows.length, ...counts });
    }
    expect(read[0]?.queries).toBe(1);
    expect(read[1]).toEqual(read[0]);
  });

  if (neverUndone !== undefined) {
    test(`${title}: says on its entry why it can't be undone`, async () => {
      const entry = await readPage(ADA, `/admin/audit/${(await entriesOf(type))[0]?.id}`);
      expect(decoded(entry)).toContain(neverUndone);
    });
  }

  if (!form.save) continue;
  test(`${title}: shows what another person saved meanwhile, and undoes each change`, async () => {
    await postForm(GRACE, path, sample("sampletwo"));
    const id = (await entriesOf(type))[0]?.subjectId;
    const edited = `${path}?edit=${id}`;
    const [mine, theirs] = [await openForm(GRACE, edited, "save"), await openForm(ADA, edited, "save")];
    expect((await postForm(ADA, edited, { ...theirs, [resource.nameField]: "samplethree" })).status).toBe(302);
    const conflict = await postForm(GRACE, edited, { ...mine, [resource.nameField]: "samplefour" });
    expect(conflict.status).toBe(409);
    expect(sectionText(conflict.html, "Saved meanwhile")).toContain("Saved now samplethree Yours samplefour");
    expect(await undoNewest(type)).toBe(302);
    expect((await openForm(GRACE, edited, "save"))[resource.nameField]).toBe("sampletwo");
    const row = { id: String(id), version: "3", intent: "delete" };
    expect((await postForm(GRACE, path, { ...row, version: "1" })).status).toBe(302);
    expect((await openForm(GRACE, edited, "save"))[resource.nameField]).toBe("sampletwo");
    expect((await postForm(GRACE, path, row)).status).toBe(302);
    expect(await undoNewest(type)).toBe(302);
    expect(await readPage(GRACE, path)).toContain("sampletwo");
  });
}

/** Returns the audit entries about records of a kind, newest first. */
async function entriesOf(type: string) {
  const entries = await db.select().from(auditLog).orderBy(desc(auditLog.id));
  return entries.filter(({ action }) => action.startsWith(`${type}.`));
}

async function undoNewest(type: string): Promise<number> {
  const path = `/admin/audit/${(await entriesOf(type))[0]?.id}`;
  const digest = /name="digest" value="(\w+)"/.exec(await readPage(ADA, path))?.[1] ?? "";
  return (await postForm(ADA, path, { intent: "undo", digest })).status;
}
