import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { MAX_WAITING, withHashing } from "#app/accounts/password/hash-queue.server.ts";
import { verifyPassword } from "#app/accounts/password/password-hash.server.ts";
import { atScale } from "#tests/workerd/at-scale.ts";

const SITE = "https://growline.example";
const SIGN_INS = 100;

test("cannot stop others by 100 wrong sign-ins from as many addresses", async () => {
  let checked = 0;
  const signIns = Array.from({ length: SIGN_INS }, (_, at) =>
    withHashing({ waitUntil: () => {} }, { network: `203.0.113.${at}` }, async (caller) => {
      await verifyPassword("wrong", null, caller);
      checked++;
    }),
  );
  // What a page does meanwhile: it waits for a few things, each time for one hash at most.
  for (let waits = 0; waits < 5; waits++) await new Promise((resolve) => setTimeout(resolve, 0));
  expect(checked).toBeLessThanOrEqual(5);

  const refused = (await Promise.all(signIns)).filter((result) => !result.ok);
  expect(checked).toBe(MAX_WAITING + 1);
  expect(refused).toHaveLength(SIGN_INS - checked);
  for (const refusal of refused) expect(refusal).toMatchObject({ status: 429, headers: { "Retry-After": "10" } });
});

test("checks or refuses each of many requests that hash at once, and fails none", async () => {
  const statuses = await Promise.all(
    Array.from({ length: atScale(6, 20) }, async (_, at) => {
      const response = await SELF.fetch(
        from(`198.51.100.${at}`, JSON.stringify({ email: "nobody@test.example", password: "wrong" })),
      );
      await response.body?.cancel();
      return response.status;
    }),
  );
  expect(statuses.filter((status) => status !== 429)).toEqual(expect.arrayContaining([400]));
  expect(statuses.filter((status) => status !== 400 && status !== 429)).toEqual([]);
});

function from(address: string, body?: string): Request {
  return new Request(`${SITE}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "CF-Connecting-IP": address },
    body,
  });
}
