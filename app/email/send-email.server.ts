import { z } from "zod";
import { outsideJson } from "#app/http/outside-json.ts";
import { readAtMost } from "#app/http/requests/read-at-most.ts";
import { within } from "#app/http/within.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { type ApiError, outcomeOfResponse, outcomeOfThrown, type SendOutcome } from "./email-outcome.ts";

/**
 * `replyTo`: where an answer goes instead of EMAIL_FROM, which reads none. `headers`: those that Cloudflare allows
 * (https://developers.cloudflare.com/email-service/reference/headers/).
 */
export type Email = {
  to: string;
  subject: string;
  text: string;
  html: string;
  replyTo?: string;
  headers?: Record<string, string>;
};
export type EmailEnv = Pick<Env, "EMAIL" | "EMAIL_FROM" | "EMAIL_API_URL" | "EMAIL_API_KEY">;

/** The tag that says in the email API's events which email they are about. */
export const ID_TAG = "email_id";
const SEND_TIMEOUT_MS = 10_000;
/** Long, because an email whose call is given up may be sent a second time. */
const BINDING_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 65_536;
/** Objects, lists and members. */
const MAX_RESPONSE_PARTS = 1000;

const apiError = z.object({ name: z.string().catch(""), message: z.string().catch("") });

/**
 * Sends an email over HTTP in the shape of Resend's POST /emails if `EMAIL_API_URL` is set, otherwise through the
 * `send_email` binding. Never throws. The email API sends one email per `id` in 24 hours, however often we ask
 * (https://resend.com/docs/dashboard/emails/idempotency-keys); the binding has nothing like it.
 */
export async function sendEmail(env: EmailEnv, id: string, email: Email): Promise<SendOutcome> {
  try {
    if (env.EMAIL_API_URL) return await post(env, env.EMAIL_API_URL, id, email);
    const sent = env.EMAIL.send({ ...email, from: { email: env.EMAIL_FROM, name: PRODUCT_NAME } }).then(() => true);
    // A call that hangs would hold up all other emails.
    if ((await within(BINDING_TIMEOUT_MS, sent)) === null) throw new Error("no response from the send_email binding");
    return { kind: "sent" };
  } catch (thrown) {
    return outcomeOfThrown(thrown);
  }
}

async function post(env: EmailEnv, url: string, id: string, { replyTo, ...email }: Email): Promise<SendOutcome> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: `Bearer ${env.EMAIL_API_KEY ?? ""}`,
      "Idempotency-Key": id,
    },
    body: JSON.stringify({
      ...email,
      from: `${PRODUCT_NAME} <${env.EMAIL_FROM}>`,
      to: [email.to],
      ...(replyTo !== undefined && { reply_to: replyTo }),
      tags: [{ name: ID_TAG, value: id }],
    }),
    redirect: "manual",
    signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
  });
  const error = await readError(response);
  return outcomeOfResponse(response.status, error, response.headers.get("Retry-After"), Date.now());
}

async function readError(response: Response): Promise<ApiError> {
  const none = { name: "", message: "" };
  if (response.ok) {
    await response.body?.cancel();
    return none;
  }
  const bytes = await readAtMost(response, MAX_RESPONSE_BYTES);
  const parsed = apiError.safeParse(outsideJson(new TextDecoder().decode(bytes ?? undefined), MAX_RESPONSE_PARTS));
  return parsed.success ? parsed.data : none;
}
