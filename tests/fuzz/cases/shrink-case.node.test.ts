import { expect, test } from "vitest";
import type { FuzzCase } from "./fuzz-case.ts";
import { shrinkCase } from "./shrink-case.ts";

const request = {
  method: "POST",
  target: "/a?b=1",
  headers: [
    ["X-Cause", "1"],
    ["X-Other", "1"],
  ],
  body: Buffer.from("cause=1&other=2"),
  framing: "length",
} satisfies FuzzCase["request"];

test("leaves out of a request what its failure doesn't need", async () => {
  const fails = async ({ request: { headers, body } }: FuzzCase) =>
    headers.some(([name]) => name === "X-Cause") && body.includes("cause");
  const smallest = await shrinkCase({ number: 1, route: "/a", caller: "visitor", request }, fails);
  expect(smallest.request).toMatchObject({ target: "/a", headers: [["X-Cause", "1"]] });
  expect(smallest.request.body.toString()).toBe("cause=1&");
});

test("leaves out frames that a socket's failure doesn't need, in their order", async () => {
  const fails = async ({ frames }: FuzzCase) => /b.*d/.test((frames ?? []).join());
  const socket = { number: 1, route: "/socket", caller: "visitor", request, frames: ["a", "b", "c", "d"] } as const;
  expect((await shrinkCase({ ...socket, frames: [...socket.frames] }, fails)).frames).toEqual(["b", "d"]);
});
