import { env } from "cloudflare:workers";
import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { endSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { profiles, wallets } from "#app/db/schema.server.ts";
import { listApiKeys } from "#app/orders/api/api-keys.server.ts";
import { action as changeCustomer } from "#app/routes/admin/customers/customer.tsx";
import { action as actOnConversation } from "#app/routes/admin/support/conversation-action.ts";
import { action as changeApi } from "#app/routes/dashboard/api-page.tsx";
import { action as sendMessage } from "#app/routes/support/messages.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

// The sender of a request decides when its body ends, minutes after its headers.

const ORIGIN = "https://growline.example";
const FORM = "application/x-www-form-urlencoded";
const context = loadContext();

test("cannot make an API key with a form that ends after the session", async () => {
  const thief = await signedIn();
  const body = new URLSearchParams({ intent: "create-key", name: "Planted", may: "order" });
  const request = held(thief, "/dashboard/api", FORM, body.toString(), () => endSessions(db, thief.userId));
  const response = await outcomeOf(changeApi, request);
  expect(response.headers.get("Location")).toMatch(/^\/auth\/login/);
  expect(await listApiKeys(db, thief.userId)).toEqual([]);
});

test("cannot move money with a form that ends after the demotion", async () => {
  const admin = await signedIn("admin");
  const { userId } = await customerWith(0);
  const fields = { intent: "adjust", direction: "topup", amount: "500", reason: "Refund", once: crypto.randomUUID() };
  const body = new URLSearchParams(fields).toString();
  const demote = () => db.update(profiles).set({ role: "customer" }).where(eq(profiles.userId, admin.userId));
  const request = held(admin, `/admin/customers/${userId}`, FORM, body, demote);
  expect((await outcomeOf(changeCustomer, request, { id: userId })).status).toBe(404);
  const [wallet] = await db.select().from(wallets).where(eq(wallets.userId, userId));
  expect(wallet?.balance).toBe(0);
});

test("cannot write as an agent with a body that ends after the session", async () => {
  const agent = await signedIn("agent");
  const customer = await signedIn();
  const id = `user_${customer.userId}`;
  const room = env.SUPPORT_ROOM.getByName(id);
  await room.open({ sessionId: id, userId: customer.userId, name: "Test", email: customer.email, origin: ORIGIN });
  const before = (await room.read(0))?.messages.length;
  const message = JSON.stringify({ clientId: "held", body: "Send us your password" });
  const end = () => endSessions(db, agent.userId);
  const sent = held(agent, `/support/sessions/${id}/messages`, "application/json", message, end);
  expect((await outcomeOf(sendMessage, sent, { id })).status).toBe(404);
  expect((await room.read(0))?.messages.length).toBe(before);
  const second = await signedIn("agent");
  const close = JSON.stringify({ action: "status", status: "closed" });
  const endSecond = () => endSessions(db, second.userId);
  const acted = held(second, `/admin/conversations/${id}`, "application/json", close, endSecond);
  expect((await outcomeOf(actOnConversation, acted, { id })).headers.get("Location")).toMatch(/^\/auth\/login/);
  expect((await room.session())?.status).toBe("open");
});

/** Returns a request whose body is sent after `meanwhile`, which runs as soon as the body is read. */
function held(
  { cookie }: SignedInAccount,
  path: string,
  contentType: string,
  text: string,
  meanwhile: () => PromiseLike<unknown>,
): Request {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await meanwhile();
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { Cookie: cookie, "Content-Type": contentType, Origin: ORIGIN };
  return new Request(`${ORIGIN}${path}`, { method: "POST", headers, body });
}

type Action = (args: ActionFunctionArgs) => Promise<unknown>;

/** Returns the response that the action returns or throws. */
async function outcomeOf(action: unknown, request: Request, params: Record<string, string> = {}): Promise<Response> {
  const given = await (action as Action)({ request, params, context }).catch((thrown: unknown) => thrown);
  return given instanceof Response ? given : Response.json(null);
}
