import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { users } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import { newAccount } from "#tests/workerd/new-account.ts";

const SECRET = "scrypt$16384$8$5$a-salt$a-key";

test("logs why a query failed and its statement, but none of its values", async () => {
  const db = connect(env.DB);
  const [taken, { userId }] = [await newAccount(), await newAccount()];
  const lines: string[] = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
  const change = { passwordHash: SECRET, email: taken.email };
  const done = await runLogged("an update failed", {}, async () => {
    await db.update(users).set(change).where(eq(users.id, userId));
  });
  expect(done).toBe(false);
  const [line = ""] = lines;
  expect(JSON.parse(line)).toMatchObject({
    message: "an update failed",
    error: expect.stringMatching(/UNIQUE constraint failed: users\.email.*update "users" set/),
    stack: expect.stringContaining("secrets-in-logs"),
  });
  for (const value of [SECRET, taken.email, userId]) expect(line).not.toContain(value);
});
