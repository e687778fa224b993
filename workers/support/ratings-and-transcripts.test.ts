import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, ORIGIN, openConnection, roomOf } from "#tests/workerd/support-visitor.ts";

test("takes one rating of a closed conversation from its visitor, and shows it to the agent", async () => {
  const ada = await newVisitor();
  const agent = await signedIn("agent", "Bo");
  expect((await post(ada.sessionId, "rating", { rating: "good" }, ada.cookie)).status).toBe(409);
  await roomOf(ada.sessionId).setStatus("closed");
  const desk = await openConnection(ada.sessionId, agent.cookie);
  expect((await post(ada.sessionId, "rating", { rating: "good" }, agent.cookie)).status).toBe(409);
  expect((await post(ada.sessionId, "rating", { rating: "great" }, ada.cookie)).status).toBe(422);
  expect((await post(ada.sessionId, "rating", { rating: "good" }, ada.cookie)).status).toBe(204);
  expect((await post(ada.sessionId, "rating", { rating: "bad" }, ada.cookie)).status).toBe(409);
  const { message } = await desk.next("message");
  expect(message).toMatchObject({ sender_type: "system", message: "Ada rated this conversation: Good" });
  expect((await roomOf(ada.sessionId).read(0))?.session.status).toBe("closed");
});

test("emails a transcript of a closed conversation only, for its visitor only, a few times a day", async () => {
  const ada = await newVisitor("Ada", "ada@example.com");
  const agent = await signedIn("agent", "Bo");
  const mail = (cookie: string, body = {}) =>
    post(ada.sessionId, "transcript", body, cookie).then(({ status }) => status);
  const bob = await newVisitor("Bob");
  const customer = await signedIn("customer", "Cy");
  const strangers = ["", bob.cookie, customer.cookie];
  for (const cookie of strangers) expect(await mail(cookie)).toBe(404);
  expect(await mail(ada.cookie)).toBe(409);
  await roomOf(ada.sessionId).setStatus("closed");
  expect(await mail(agent.cookie)).toBe(409);
  for (const cookie of strangers) expect(await mail(cookie)).toBe(404);
  expect(await mail(ada.cookie, { email: "ada@example.com" })).toBe(422);
  expect([await mail(ada.cookie), await mail(ada.cookie), await mail(ada.cookie)]).toEqual([204, 204, 204]);
  expect(await mail(ada.cookie)).toBe(429);
});

function post(sessionId: string, what: string, body: object, cookie: string): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/support/sessions/${sessionId}/${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: ORIGIN, Cookie: cookie },
    body: JSON.stringify(body),
  });
}
