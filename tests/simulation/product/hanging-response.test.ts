import { expect, test } from "vitest";
import { judgeLog } from "../oracles/log-oracle.ts";
import { fetchWithoutHanging, HANGS } from "./hanging-response.ts";

const URL_THERE = "https://outside.example/call";

/** Calls an outside that hangs, in a world whose time passes at once. */
function call(input: RequestInfo | URL, init?: RequestInit) {
  const reported: string[] = [];
  const waited: number[] = [];
  const wait = async (ms: number) => {
    waited.push(ms);
    // A limit of real time that the test sets may come first.
    await new Promise((resolve) => setTimeout(resolve, ms / 60));
  };
  const hanging = async () => new Response(null, { headers: { [HANGS]: "1" } });
  const answered = fetchWithoutHanging(hanging, wait, (url) => reported.push(url))(input, init);
  return { answered, reported, waited };
}

test("ends a call that has a limit by its timeout, at once", async () => {
  const { answered, reported, waited } = call(URL_THERE, { signal: AbortSignal.timeout(60_000) });
  await expect(answered).rejects.toMatchObject({ name: "TimeoutError" });
  expect([reported, waited]).toEqual([[], [300]]);
});

test("ends a call whose request has a limit by that limit", async () => {
  const { answered, reported } = call(new Request(URL_THERE, { signal: AbortSignal.timeout(5) }));
  await expect(answered).rejects.toMatchObject({ name: "TimeoutError" });
  expect(reported).toEqual([]);
});

test("reports a call without a limit, which fails by another error than a timeout", async () => {
  for (const input of [URL_THERE, new URL(URL_THERE), new Request(URL_THERE)]) {
    const { answered, reported } = call(input);
    await expect(answered).rejects.toMatchObject({ name: "TypeError" });
    expect(reported).toEqual([URL_THERE]);
  }
});

test("judges a call without a limit as a violation", () => {
  const line = { level: "error", message: "a call has no time limit", text: "", at: 0 };
  expect(judgeLog([line])).toHaveLength(1);
});

test("leaves other responses as they are", async () => {
  const response = new Response("ok");
  const passed = fetchWithoutHanging(
    async () => response,
    async () => {},
    () => {},
  );
  expect(await passed(URL_THERE)).toBe(response);
});
