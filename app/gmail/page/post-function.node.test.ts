import { afterEach, expect, test, vi } from "vitest";
import { postFunction } from "./post-function.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test.for([null, "token"])("posts JSON to a function with the access token %s", async (accessToken) => {
  const fetched = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(Response.json({ message: "Synced" }));
  expect(await postFunction("gmail-sync", accessToken, { userId: "u1" })).toEqual({ message: "Synced" });
  expect(fetched).toHaveBeenCalledWith("/functions/gmail-sync", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(accessToken && { Authorization: "Bearer token" }) },
    body: '{"userId":"u1"}',
  });
});

test("throws for a response that is no JSON", async () => {
  vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response("<html>"));
  await expect(postFunction("gmail-oauth-auth", null, {})).rejects.toThrow();
});
