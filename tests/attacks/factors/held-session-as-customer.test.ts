import { env } from "cloudflare:workers";
import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { apiKeys } from "#app/db/schema.server.ts";
import { loader as showDeletion } from "#app/routes/account/delete.tsx";
import { action as makeTestKey, loader as showDocs } from "#app/routes/api/docs.tsx";
import { loader as showGmail } from "#app/routes/gmail/sync-page.tsx";
import { loader as showFrame } from "#app/routes/site/framed.tsx";
import { authorizeRoom } from "#app/routes/support/room-request.server.ts";
import { loader as showChat } from "#app/routes/support/session.ts";
import { db, newKey } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { upgradeSupportSocket } from "#workers/support/sockets/upgrade-socket.ts";

const ORIGIN = "https://growline.example";
const required = loadContext({ env: { ...env, STAFF_SECOND_FACTOR: "required" } });

test("cannot act as a customer, or read what is the account's, with the password of staff alone", async () => {
  const staff = await signedIn("agent");
  await newKey(staff.userId, { name: "shop", scopes: ["read"] });
  const call = (path: string, method = "GET"): LoaderFunctionArgs => {
    const request = new Request(`${ORIGIN}${path}`, { method, headers: { Cookie: staff.cookie } });
    return { request, context: required, params: {} };
  };

  expect(await showDocs(call("/api/docs"))).toMatchObject({ signedIn: false });
  expect(await makeTestKey(call("/api-docs", "POST"))).toMatchObject({ init: { status: 401 } });
  expect(await db.$count(apiKeys, eq(apiKeys.userId, staff.userId))).toBe(1);
  expect(await showGmail(call("/gmail-sync"))).toMatchObject({
    data: { userId: "00000000-0000-0000-0000-000000000000", mail: null },
  });
  expect(await showFrame(call("/account/two-step"))).toEqual({ wallet: null });
  const chat = await showChat(call("/support/session"));
  expect(await chat.json()).toEqual({ session: null, profile: null });
  const room = `user_${staff.userId}`;
  const { request } = call(`/support/sessions/${room}/messages`);
  await expect(authorizeRoom(request, required, room)).rejects.toMatchObject({ status: 404 });
  const headers = { Cookie: staff.cookie, Upgrade: "websocket", Origin: ORIGIN };
  const socket = await upgradeSupportSocket(
    new Request(`${ORIGIN}/support/sessions/${room}/socket`, { headers }),
    required,
  );
  expect(socket?.status).toBe(403);
  const isSetup = (response: Response) => response.headers.get("Location") === "/account/two-step";
  await expect(showDeletion(call("/account/delete"))).rejects.toSatisfy(isSetup);
});
