import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { pendingUploads } from "#app/db/schema.server.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { deleteAbandonedUploads, startUpload } from "./multipart-upload.server.ts";

test("deletes other abandoned uploads when deleting one fails, and retries that one later", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const { userId } = await customerWith(0);
  for (const name of ["a.txt", "b.txt"]) {
    const started = await startUpload(db, env.UPLOADS, userId, { name, size: 10, fingerprint: name });
    expect(started.ok).toBe(true);
  }
  await db.update(pendingUploads).set({ updatedAt: 1 }).where(eq(pendingUploads.userId, userId));
  const left = () => db.select().from(pendingUploads).where(eq(pendingUploads.userId, userId));
  const [failing] = await left();
  const bucket = new Proxy(env.UPLOADS, {
    get(real, name) {
      const value: unknown = Reflect.get(real, name);
      if (typeof value !== "function") return value;
      return (key: string, ...rest: unknown[]) => {
        if (key === failing?.key) throw new Error("the store is unavailable");
        return value.call(real, key, ...rest);
      };
    },
  });
  await deleteAbandonedUploads(db, bucket);
  expect(await left()).toEqual([failing]);
  expect(errors).toHaveBeenCalledTimes(1);
  errors.mockRestore();
  await deleteAbandonedUploads(db, env.UPLOADS);
  expect(await left()).toEqual([]);
});
