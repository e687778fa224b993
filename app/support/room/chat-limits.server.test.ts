import { expect, test } from "vitest";
import type { LimitResult } from "#app/db/rate-limit.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { limitStarts, limitTranscripts, startUpload } from "./chat-limits.server.ts";

test("lets an address start 30 conversations an hour, and another one its own", async () => {
  const [one, other] = [from(newAddress()), from(newAddress())];
  for (let n = 0; n < 30; n++) expect(await limitStarts(db, one)).toEqual({ ok: true });
  expect(secondsOf(await limitStarts(db, one))).toBe(3600);
  expect(await limitStarts(db, other)).toEqual({ ok: true });
});

test("lets an author send three files at once and an address six, and keeps no place of one that is refused", () => {
  const [office, elsewhere] = [from(newAddress()), from(newAddress())];
  const start = (request: Request, author: string, files: number) =>
    Array.from({ length: files }, () => startUpload(request, author));
  const end = (started: ((() => void) | null)[]) => {
    for (const one of started) one?.();
  };
  const [eager, waiting] = [unique(), unique()];
  const full = [...start(office, eager, 3), ...start(office, unique(), 3)];
  expect(full).not.toContain(null);
  expect(start(office, waiting, 3)).toEqual([null, null, null]);
  expect(start(elsewhere, eager, 6)).toEqual(Array(6).fill(null));
  end(full);
  const next = [...start(office, waiting, 3), ...start(elsewhere, eager, 3), ...start(elsewhere, unique(), 3)];
  expect(next).not.toContain(null);
  end(next);
});

test("counts nobody whose address is unknown", async () => {
  for (let n = 0; n < 31; n++) expect(await limitStarts(db, from(null))).toEqual({ ok: true });
  const transcript = () => limitTranscripts(db, from(null), { sessionId: unique(), recipient: unique() });
  for (let n = 0; n < 11; n++) expect(await transcript()).toEqual({ ok: true });
});

test.for<[what: string, max: number, request: () => Request, same: { sessionId?: string; recipient?: string }]>([
  ["three transcripts of a conversation", 3, () => from(newAddress()), { sessionId: unique() }],
  ["three transcripts to a recipient", 3, () => from(newAddress()), { recipient: unique() }],
  [
    "ten transcripts from an address",
    10,
    (
      (address) => () =>
        from(address)
    )(newAddress()),
    {},
  ],
])("sends %s a day", async ([, max, request, same]) => {
  const send = () => limitTranscripts(db, request(), { sessionId: unique(), recipient: unique(), ...same });
  for (let n = 0; n < max; n++) expect(await send()).toEqual({ ok: true });
  expect(secondsOf(await send())).toBe(86_400);
});

test("knows a recipient however the address is written", async () => {
  const recipient = unique();
  for (const written of [recipient, recipient.toUpperCase(), recipient]) {
    const given = { sessionId: unique(), recipient: written };
    expect(await limitTranscripts(db, from(newAddress()), given)).toEqual({ ok: true });
  }
  const fourth = { sessionId: unique(), recipient: recipient.toUpperCase() };
  expect((await limitTranscripts(db, from(newAddress()), fourth)).ok).toBe(false);
});

/** Returns the wait in seconds, up to a minute more for the time that the test took. */
function secondsOf(result: LimitResult): number {
  return result.ok ? 0 : Math.ceil(result.retryAfterSeconds / 60) * 60;
}

function unique(): string {
  return `${crypto.randomUUID()}@mail.example`;
}

function newAddress(): string {
  const groups = crypto.getRandomValues(new Uint16Array(3));
  return `2001:${[...groups].map((group) => group.toString(16)).join(":")}::1`;
}

function from(address: string | null): Request {
  return new Request("https://growline.example/", { headers: address ? { "CF-Connecting-IP": address } : {} });
}
