import { PRODUCT_NAME } from "#app/product.ts";

export type Mail = { to: string; subject: string; text: string; html: string };
export type MailEnv = Pick<Env, "EMAIL" | "MAIL_FROM" | "MAIL_API_URL" | "MAIL_API_KEY">;

const SEND_TIMEOUT_MS = 10_000;

/** Over HTTP when `MAIL_API_URL` is set, in the shape of Resend's POST /emails, else by the `send_email` binding. */
export async function sendMail(env: MailEnv, mail: Mail): Promise<void> {
  if (!env.MAIL_API_URL) {
    await env.EMAIL.send({ ...mail, from: { email: env.MAIL_FROM, name: PRODUCT_NAME } });
    return;
  }
  const answer = await fetch(env.MAIL_API_URL, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${env.MAIL_API_KEY ?? ""}` },
    body: JSON.stringify({ ...mail, from: `${PRODUCT_NAME} <${env.MAIL_FROM}>`, to: [mail.to] }),
    signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`the mail sender answered ${answer.status}`);
  await answer.body?.cancel();
}
