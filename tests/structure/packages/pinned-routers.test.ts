import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..", "..");
const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  packages: Record<string, { version: string }>;
};

/** The first versions without the open redirect CVE-2026-53668, which Remix does not ask for by itself. */
const FIXED = { "react-router": "6.30.6", "react-router-dom": "6.30.6", "@remix-run/router": "1.23.4" };

/** Returns the folders of the packages in a folder of node_modules and, within those, in theirs. */
function packagesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  const own = names.flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(folder, name)).map((scoped) => `${name}/${scoped}`) : name,
  );
  return own.flatMap((name) => [join(folder, name), ...packagesIn(join(folder, name, "node_modules"))]);
}

test("installs one copy of each part of the router, without the known open redirect", () => {
  const folders = packagesIn(join(root, "node_modules"));
  expect(folders.length).toBeGreaterThan(500);
  for (const [name, version] of Object.entries(FIXED)) {
    const copies = Object.entries(packages).filter(([path]) => path.endsWith(`node_modules/${name}`));
    expect(copies.map(([path, { version }]) => [path, version])).toEqual([[`node_modules/${name}`, version]]);
    const installed = JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8"));
    expect(installed.version).toBe(version);
    expect(folders.filter((folder) => folder.endsWith(join("node_modules", name)))).toEqual([
      join(root, "node_modules", name),
    ]);
  }
});
