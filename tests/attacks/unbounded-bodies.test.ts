import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { uploadParts } from "#app/db/schema.server.ts";
import { readAtMost } from "#app/http/requests/read-at-most.ts";
import { PART_BYTES } from "#app/uploads/upload-limits.ts";
import { routesWithAction, SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { db } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

const MIB = 1024 * 1024;
const CHUNK = 256 * 1024;
const FORTY_MIB = 40 * MIB;
/** Bytes that the runtime reads ahead of the worker. */
const READ_AHEAD = MIB;
/** Routes that read more than 64 KB say so here. */
const LIMITS: Record<string, number> = {
  "/upload": 10 * MIB,
  "/upload/parts/:id": PART_BYTES,
  "/support/sessions/:id/files": 5 * MIB,
  "/dashboard": 2_000_000,
  "/dashboard/orders/mass": 12 * MIB + 64 * 1024,
  "/dashboard/orders/mass/check": 12 * MIB + 64 * 1024,
};
const DEFAULT_LIMIT = MIB;

test("stops reading a part at its size, whatever Content-Length says, and stores nothing of it", async () => {
  const { cookie } = await signedIn();
  const id = await begin(cookie, PART_BYTES);
  for (const claimed of [null, String(PART_BYTES), "1"]) {
    const { stream, pulled } = endless();
    const headers: Record<string, string> = { ...SAME_SITE, Cookie: cookie };
    if (claimed !== null) headers["Content-Length"] = claimed;
    const response = await SELF.fetch(`${SITE}/upload/parts/${id}?part=1`, { method: "PUT", headers, body: stream });
    expect([response.status, await response.text()], `${claimed}`).toEqual([
      413,
      '{"error":"This part is too large."}',
    ]);
    expect(pulled()).toBeLessThanOrEqual(PART_BYTES + READ_AHEAD);
    expect(await db.select().from(uploadParts).where(eq(uploadParts.uploadId, id))).toEqual([]);
  }
});

test("reads nothing of a part that no upload waits for", async () => {
  const { cookie } = await signedIn();
  const id = await begin(cookie, PART_BYTES);
  for (const path of [`${id}?part=2`, `${id}?part=0`, "unknown?part=1"]) {
    const { stream, pulled } = endless();
    const headers = { ...SAME_SITE, Cookie: cookie };
    const response = await SELF.fetch(`${SITE}/upload/parts/${path}`, { method: "PUT", headers, body: stream });
    expect(response.status).toBeLessThan(500);
    expect(response.status).toBeGreaterThanOrEqual(400);
    await response.text();
    expect(pulled(), path).toBeLessThanOrEqual(READ_AHEAD);
  }
});

test("reads at most the stated size on every route, for every kind of body", async () => {
  const { pages, resources } = routesWithAction();
  const admin = await signedIn("admin");
  for (const [at, route] of [...pages, ...resources].entries()) {
    const path = route.replaceAll(/:\w+/g, "1");
    const forms = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];
    const [form = "", otherForm = ""] = at % 2 === 0 ? forms : forms.toReversed();
    const types = pages.includes(route) ? [form, otherForm, "application/json"] : ["application/json", form, otherForm];
    // In `npm test` one each: the pages take turns with the kinds of form, which one function reads for all of them.
    for (const type of types.slice(0, route in LIMITS ? 3 : atScale(1, 3))) {
      const { stream, pulled } = endless();
      const headers = { ...SAME_SITE, Cookie: admin.cookie, "Content-Type": type };
      const init = { method: "POST", headers, body: stream };
      const response = await SELF.fetch(SITE + path, { ...init, redirect: "manual" });
      await response.text();
      expect(response.status, `${path} ${type}`).toBeLessThan(500);
      expect(pulled(), `${path} ${type}`).toBeLessThanOrEqual((LIMITS[route] ?? DEFAULT_LIMIT) + READ_AHEAD);
      if (path.startsWith("/auth/logout") || path === "/logout") Object.assign(admin, await signedIn("admin"));
    }
  }
});

test("keeps only the bytes of a body that arrives byte by byte", async () => {
  const count = atScale(5_000, 50_000);
  let sent = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      // As the runtime hands them out: one byte of a buffer.
      controller.enqueue(new Uint8Array(64 * 1024).subarray(0, 1));
      if (++sent === count) controller.close();
    },
  });
  const bytes = await readAtMost({ body, headers: new Headers() }, MIB);
  expect([bytes?.byteLength, bytes?.buffer.byteLength]).toEqual([count, count]);
});

async function begin(cookie: string, size: number): Promise<string> {
  const response = await SELF.fetch(`${SITE}/upload/parts`, {
    method: "POST",
    headers: { ...SAME_SITE, Cookie: cookie },
    body: JSON.stringify({ name: "a.csv", size }),
  });
  return (await response.json<{ id: string }>()).id;
}

/** A body of 40 MiB without a length, and how many bytes of it were pulled. */
function endless(): { stream: ReadableStream<Uint8Array<ArrayBuffer>>; pulled: () => number } {
  let pulled = 0;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (pulled >= FORTY_MIB) return controller.close();
      pulled += CHUNK;
      controller.enqueue(new Uint8Array(CHUNK).fill(97));
    },
  });
  return { stream, pulled: () => pulled };
}
