import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

const sources = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..")));

test("ends sessions in one place only, which makes the worker close their chat sockets", () => {
  const ending = sources
    .filter(([, source]) => /update\(authSessions\)[\s\S]{0,200}?revokedAt:|update auth_sessions/i.test(source))
    .map(([path]) => path);
  expect(ending).toEqual(["app/accounts/session/auth-sessions.server.ts"]);
});

test("deletes sessions only with their account, and those that ended long ago", () => {
  const deleting = sources
    .filter(([, source]) =>
      /delete\(authSessions|deleteInChunks\(\w+, authSessions|delete from auth_sessions/i.test(source),
    )
    .map(([path]) => path);
  expect(deleting).toEqual(["app/accounts/deletion/expired-rows.server.ts"]);
});

test("takes no session that its caller may leave out, which would skip the check in silence", () => {
  const mayBeMissing =
    /\bsessionId(\?:|: string \| null)|\w+\?: (Pick<)?(SessionOwner|Viewer)\b|: SessionOwner \| (null|undefined)/;
  const found = sources.filter(([path, source]) => path.endsWith(".server.ts") && mayBeMissing.test(source));
  expect(found.map(([path]) => path)).toEqual([
    // Records acts of jobs and of Stripe, which have no session. Staff act through `asStaff`.
    "app/db/audit.server.ts",
    // The key of a demo account, which nobody asks for.
    "app/orders/api/api-keys.server.ts",
  ]);
});
