import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isBucketFolder, openBucketFolder } from "./bucket-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "growline-bucket-"));
const bucket = openBucketFolder(folder);

beforeAll(() => {
  const keys = [
    "backups/2026-11-24T03-17-00Z/000001",
    "backups/2026-11-23T03-17-00Z/manifest",
    "erasures/a",
    "erasures/b",
  ];
  for (const key of [...keys, "files/user/one"]) {
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), "0123456789");
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("lists keys below a prefix, or the folders there", async () => {
  expect(isBucketFolder(folder)).toBe(true);
  expect(isBucketFolder(join(folder, "files"))).toBe(false);
  const { delimitedPrefixes } = await bucket.list({ prefix: "backups/", delimiter: "/" });
  expect(delimitedPrefixes).toEqual(["backups/2026-11-23T03-17-00Z/", "backups/2026-11-24T03-17-00Z/"]);
  const { objects, truncated } = await bucket.list({ prefix: "erasures/" });
  expect([objects.map(({ key }) => key), truncated]).toEqual([["erasures/a", "erasures/b"], false]);
  expect((await bucket.list({ prefix: "nothing/" })).objects).toEqual([]);
});

test("reads an object or a part of it, and none outside of the folder", async () => {
  expect((await bucket.head("files/user/one"))?.size).toBe(10);
  const text = async (key: string, range?: { offset: number; length: number }) => {
    const found = await bucket.get(key, range ? { range } : {});
    return found && Buffer.from(await found.arrayBuffer()).toString();
  };
  expect(await text("files/user/one")).toBe("0123456789");
  expect(await text("files/user/one", { offset: 3, length: 4 })).toBe("3456");
  expect(await text("files/user/one", { offset: 8, length: 32 })).toBe("89");
  for (const missing of ["files/user/two", "files/user", "files/../../../etc/hostname"]) {
    expect([await bucket.head(missing), await text(missing)], missing).toEqual([null, null]);
  }
});
