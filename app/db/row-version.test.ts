import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { db, service } from "#tests/workerd/customer.ts";
import { isStale, nextVersion } from "./row-version.server.ts";
import { services } from "./schema.server.ts";

const versionOf = async (id: number) => {
  const [row] = await db.select({ version: services.version }).from(services).where(eq(services.id, id));
  return row?.version;
};

test("refuses the whole batch of an update that began from an older version", async () => {
  const id = await service();
  const other = await service();
  const change = (rate: number, version: number) =>
    db
      .update(services)
      .set({ rate, version: nextVersion(services.version, version) })
      .where(eq(services.id, id));
  await change(900_000, 1);
  expect(await versionOf(id)).toBe(2);
  const renamed = db.update(services).set({ name: "Lost" }).where(eq(services.id, other));
  const error = await db.batch([renamed, change(200_000, 1)]).catch((refused: unknown) => refused);
  expect(isStale(error, "services")).toBe(true);
  expect(isStale(error, "providers")).toBe(false);
  const [row] = await db.select().from(services).where(eq(services.id, id));
  expect(row).toMatchObject({ rate: 900_000, version: 2 });
  const [untouched] = await db.select().from(services).where(eq(services.id, other));
  expect(untouched?.name).not.toBe("Lost");
});
