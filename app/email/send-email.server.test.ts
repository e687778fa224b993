import { env } from "cloudflare:workers";
import { expect, onTestFinished, test, vi } from "vitest";
import { sendEmail } from "./send-email.server.ts";

test("gives up a call of the send_email binding that hangs, to try again later", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const EMAIL = { send: () => new Promise(() => {}) } as unknown as SendEmail;
  const { EMAIL_API_URL: _, ...bindings } = env;
  const outcome = sendEmail({ ...bindings, EMAIL }, "1", { to: "a@b.example", subject: "S", text: "T", html: "T" });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await outcome).toMatchObject({ kind: "retry", isBusy: false });
});

test("names the address for answers to the email API and to the send_email binding, if there is one", async () => {
  const bodies: unknown[] = [];
  vi.stubGlobal("fetch", async (_: string, { body }: RequestInit) => {
    bodies.push(JSON.parse(String(body)));
    return new Response("{}");
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const email = { to: "a@b.example", subject: "S", text: "T", html: "T" };
  const api = { ...env, EMAIL_API_URL: "https://email-api.example/emails" };
  await sendEmail(api, "1", { ...email, replyTo: "token@reply.example" });
  await sendEmail(api, "2", email);
  expect(bodies[0]).toMatchObject({ reply_to: "token@reply.example", to: ["a@b.example"] });
  expect(bodies[0]).not.toHaveProperty("replyTo");
  expect(bodies[1]).not.toHaveProperty("reply_to");
  const sent: unknown[] = [];
  const EMAIL = { send: async (one: unknown) => sent.push(one) } as unknown as SendEmail;
  const { EMAIL_API_URL: _, ...binding } = env;
  await sendEmail({ ...binding, EMAIL }, "3", { ...email, replyTo: "token@reply.example" });
  expect(sent[0]).toMatchObject({ replyTo: "token@reply.example" });
});
