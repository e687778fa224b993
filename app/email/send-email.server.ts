import { PRODUCT_NAME } from "#app/product.ts";

export type Email = { to: string; subject: string; text: string; html: string };
export type EmailEnv = Pick<Env, "EMAIL" | "EMAIL_FROM" | "EMAIL_API_URL" | "EMAIL_API_KEY">;

const SEND_TIMEOUT_MS = 10_000;

/**
 * Sends an email over HTTP in the shape of Resend's POST /emails if `EMAIL_API_URL` is set, otherwise through the
 * `send_email` binding. Throws if the sender refuses it.
 */
export async function sendEmail(env: EmailEnv, email: Email): Promise<void> {
  if (!env.EMAIL_API_URL) {
    await env.EMAIL.send({ ...email, from: { email: env.EMAIL_FROM, name: PRODUCT_NAME } });
    return;
  }
  const response = await fetch(env.EMAIL_API_URL, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${env.EMAIL_API_KEY ?? ""}` },
    body: JSON.stringify({ ...email, from: `${PRODUCT_NAME} <${env.EMAIL_FROM}>`, to: [email.to] }),
    signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`the email API responded with ${response.status}`);
  await response.body?.cancel();
}
