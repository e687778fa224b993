import { env as bindings } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { afterEach, expect, test, vi } from "vitest";
import { gmailSyncStatus } from "#app/db/schema.server.ts";
import { readSyncRow } from "#app/gmail/sync/mailbox-sync-state.server.ts";
import { readTokenRow, storeGrant } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { GOOGLE_CLIENT, scriptedGoogle } from "#tests/stand-ins/scripted-fetch.ts";
import { db } from "#tests/workerd/customer.ts";
import { someone } from "#tests/workerd/gmail-mailbox.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { submitGmailForm } from "./gmail-sync-form.server.ts";

const GRANT = { accessToken: "a", refreshToken: "r", scope: "read", expiresAt: 5, emailAddress: "ada@mail.example" };

afterEach(() => {
  vi.restoreAllMocks();
});

test("turns automatic sync on, which wakes the dispatcher, and off", async () => {
  await db.delete(gmailSyncStatus);
  const owner = someone();
  const woken: string[] = [];
  const GMAIL_DISPATCHER = {
    getByName: (name: string) => ({ wake: async (queue: string) => woken.push(name, queue) }),
  };
  const waiting: Promise<unknown>[] = [];
  const given = {
    env: { ...bindings, GMAIL_DISPATCHER } as unknown as Env,
    waitUntil: (work: Promise<unknown>) => waiting.push(work),
  };
  expect(await submit(owner, { intent: "auto-sync", on: "1" }, given)).toEqual({ kind: "done", message: null });
  await Promise.all(waiting);
  expect(woken).toEqual(["mailboxes", "mailboxes"]);
  expect(await readSyncRow(db, owner)).toMatchObject({ autoSync: true });
  await submit(owner, { intent: "auto-sync", on: "0" }, given);
  await Promise.all(waiting);
  expect(woken).toHaveLength(2);
  expect(await readSyncRow(db, owner)).toMatchObject({ autoSync: false, nextSyncAt: null });
});

test.for([
  ["reached", 200],
  ["away", 503],
] as const)("disconnects a mailbox only when Google is %s", async ([, status]) => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const owner = someone();
  const env = { ...bindings, ...GOOGLE_CLIENT } as unknown as Env;
  await storeGrant(db, env, owner, GRANT);
  scriptedGoogle(() => new Response("{}", { status }));
  const outcome = await submit(owner, { intent: "disconnect" }, { env });
  const message = "We couldn't reach Google, so nothing was disconnected. Please try again in a minute.";
  const failed = { kind: "shown", status: 503, result: expect.objectContaining({ message }) };
  expect(outcome).toEqual(status === 200 ? { kind: "done", message: "Gmail disconnected." } : failed);
  expect(await readTokenRow(db, owner)).toEqual(status === 200 ? null : expect.anything());
});

test("does not take a failure of the database for one of Google's", async () => {
  const failing = loadContext().db;
  vi.spyOn(failing, "batch").mockRejectedValueOnce(new Error("Network connection lost"));
  await expect(submit(someone(), { intent: "disconnect" }, { db: failing })).rejects.toThrow("Network connection lost");
});

test("syncs on request, and says how it went", async () => {
  const owner = someone();
  expect(await submit(owner, { intent: "sync" })).toEqual({ kind: "done", message: "No Gmail account connected" });
  const env = { ...bindings, ...GOOGLE_CLIENT } as unknown as Env;
  await storeGrant(db, env, owner, { ...GRANT, expiresAt: Date.now() * 2 });
  await db.insert(gmailSyncStatus).values({ ...owner, historyId: "7" });
  scriptedGoogle(() => Response.json({}));
  const message = "Nothing new since the last sync";
  expect(await submit(owner, { intent: "sync" }, { env })).toEqual({ kind: "done", message });
});

test.for([{}, { intent: "delete" }, { intent: "auto-sync" }, { intent: "auto-sync", on: "2" }])(
  "refuses the form %j",
  async (fields) => {
    expect(await submit(someone(), fields as Record<string, string>)).toBeNull();
  },
);

function submit(
  owner: ReturnType<typeof someone>,
  fields: Record<string, string>,
  given: Partial<AppLoadContext> = {},
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return submitGmailForm(loadContext(given), owner, form);
}
