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
