import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { loadContext } from "#tests/workerd/test-context.ts";
import { loader } from "./privacy-policy.tsx";

test("announces for how long conversations are kept, if they are deleted", async () => {
  const announced = (days: string | undefined) => {
    const context = loadContext({ env: { ...env, CONVERSATIONS_KEPT_DAYS: days } });
    return loader({ context, request: new Request("https://growline.example/privacy-policy"), params: {} });
  };
  expect(await announced("730")).toEqual({ conversationDays: 730 });
  expect(await announced(undefined)).toEqual({ conversationDays: null });
});
