import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

const READS = /\bread(Form|FilesForm|JsonBody|Json|AtMost)\(request\b/g;
const AUTHORIZES =
  /\b(require(Viewer|HeldViewer|Role|StaffCall|ProvenTokenViewer)|read(Viewer|TokenViewer)|authorizeRoom|callerOf)\(/g;

test("an action authorizes its sender after the body, who decides how long it takes to arrive", () => {
  const actions = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..")))
    .filter(([path]) => /^app\/routes\/(?!.*\.test\.)/.test(path))
    .flatMap(([path, source]) => {
      const action = /^export async function action\b.*?^}$/ms.exec(source)?.[0];
      return action === undefined
        ? []
        : [{ path, read: lastOf(READS, action), authorized: lastOf(AUTHORIZES, action) }];
    })
    .filter(({ read, authorized }) => read >= 0 && authorized >= 0);
  expect(actions.length).toBeGreaterThan(25);
  expect(actions.filter(({ read, authorized }) => authorized < read).map(({ path }) => path)).toEqual([]);
});

/** Returns where the last match starts, or -1. */
function lastOf(pattern: RegExp, text: string): number {
  return [...text.matchAll(pattern)].at(-1)?.index ?? -1;
}
