import { z } from "zod";

const mailbox = z.array(
  z.object({ at: z.number(), to: z.array(z.string()), subject: z.string(), text: z.string(), html: z.string() }),
);
/** `at` in ms. */
export type KeptMail = z.output<typeof mailbox>[number];

/** What was mailed on this machine, newest first. Null in production, where mails are not kept. */
export async function readMailbox(
  env: Pick<Env, "ENVIRONMENT" | "MAIL_API_URL" | "MAIL_API_KEY">,
): Promise<KeptMail[] | null> {
  if (env.ENVIRONMENT !== "local" || !env.MAIL_API_URL) return null;
  const answer = await fetch(env.MAIL_API_URL, { headers: { Authorization: `Bearer ${env.MAIL_API_KEY ?? ""}` } });
  if (!answer.ok) throw new Error(`the mailbox answered ${answer.status}`);
  return mailbox.parse(await answer.json());
}
