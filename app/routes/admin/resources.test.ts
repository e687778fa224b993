import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { parse } from "csv-parse/sync";
import { desc } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Field } from "#app/console/resource/fields.ts";
import { exportName, titleOf } from "#app/console/resource/resource.ts";
import { ALL_RESOURCES } from "#app/console/resources/all-resources.ts";
import { storeOf } from "#app/console/stores/all-stores.server.ts";
import { connect } from "#app/db/db.server.ts";
import { auditLog } from "#app/db/schema.server.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { type Fields, openForm, postForm, readPage, sectionText } from "#tests/workerd/form-pages.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

/** Each kind of record that staff manage keeps these promises, whatever it is. */

const GRACE = await signedIn("admin", "Grace Admin");
const ADA = await signedIn("admin", "Ada Admin");

for (const resource of ALL_RESOURCES) {
  const { path, type, fields, form, once } = resource;
  const store = storeOf(type);
  const sample = (name: string): Fields => ({
    ...Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, sampleOf(field)])),
    [resource.nameField]: name,
    intent: "save",
    ...(once && { once: crypto.randomUUID() }),
  });

  test(`${titleOf(resource)}: stores a new one with its audit entry, lists and exports it`, async () => {
    const before = await entriesOf(type);
    const created = await postForm(GRACE, path, sample("sampleone"));
    expect([200, 302], created.html).toContain(created.status);
    const added = (await entriesOf(type)).slice(0, -before.length || undefined);
    expect(added).toMatchObject([{ action: `${type}.create`, actorId: GRACE.userId }]);
    expect(await readPage(ADA, path)).toContain("sampleone");
    const file = await SELF.fetch(`${SITE}/admin/exports/${exportName(resource)}`, { headers: { Cookie: ADA.cookie } });
    const rows: Record<string, string>[] = parse(await file.text(), { bom: true, columns: true });
    expect(rows).toHaveLength(
      (await store.list(db, { search: "", sort: { key: "id", descending: false } }, null, 1000)).rows.length,
    );
    expect(JSON.stringify(rows)).toContain("sampleone");
    const entry = (await readPage(ADA, `/admin/audit/${added[0]?.id}`)).replaceAll(/<[^>]*>/g, "");
    expect(entry).toMatch(/Grace Admin created the [\w ]+ [“/]sampleone/);
  });

  test(`${titleOf(resource)}: refuses a form with an error, shows it at its field and stores nothing`, async () => {
    const before = await entriesOf(type);
    const refused = await postForm(GRACE, path, { ...sample(""), [resource.nameField]: "" });
    expect(refused.status).toBe(400);
    expect(refused.html).toMatch(/aria-invalid="true"/);
    expect(await entriesOf(type)).toEqual(before);
  });

  test(`${titleOf(resource)}: reads a page of its list in one statement`, async () => {
    const { database, counts } = countedDatabase(env.DB);
    await store.list(connect(database), { search: "", sort: { key: "id", descending: false } }, null, 50);
    expect(counts.queries).toBe(1);
  });

  if (!form.save) continue;
  test(`${titleOf(resource)}: shows what another person saved meanwhile, and undoes each change`, async () => {
    await postForm(GRACE, path, sample("sampletwo"));
    const id = (await entriesOf(type))[0]?.subjectId;
    const page = `${path}?edit=${id}`;
    const [mine, theirs] = [await openForm(GRACE, page, "save"), await openForm(ADA, page, "save")];
    expect((await postForm(ADA, page, { ...theirs, [resource.nameField]: "samplethree" })).status).toBe(302);
    const conflict = await postForm(GRACE, page, { ...mine, [resource.nameField]: "samplefour" });
    expect(conflict.status).toBe(409);
    expect(sectionText(conflict.html, "Saved meanwhile")).toContain("Saved now samplethree Yours samplefour");
    expect(await undoNewest(type)).toBe(302);
    expect((await openForm(GRACE, page, "save"))[resource.nameField]).toBe("sampletwo");
    const row = { id: String(id), version: "3", intent: "delete" };
    expect((await postForm(GRACE, path, { ...row, version: "1" })).status).toBe(302);
    expect((await openForm(GRACE, page, "save"))[resource.nameField]).toBe("sampletwo");
    expect((await postForm(GRACE, path, row)).status).toBe(302);
    expect(await undoNewest(type)).toBe(302);
    expect(await readPage(GRACE, path)).toContain("sampletwo");
  });
}

function sampleOf(field: Field): string {
  if (field.optional && field.kind !== "text") return "";
  switch (field.kind) {
    case "line":
    case "text":
      return "Sample";
    case "money":
    case "percent":
    case "count":
      return "5";
    case "day":
    case "lastDay":
      return new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    case "choice":
      return Object.keys(field.values)[0] ?? "";
  }
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
