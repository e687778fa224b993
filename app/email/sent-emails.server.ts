import { z } from "zod";

const sentEmails = z.array(
  z.object({ at: z.number(), to: z.array(z.string()), subject: z.string(), text: z.string(), html: z.string() }),
);
/** `at` in ms. */
export type SentEmail = z.output<typeof sentEmails>[number];

/** Reads the emails sent by a local copy, newest first. Returns null in production, which keeps none. */
export async function readSentEmails(
  env: Pick<Env, "ENVIRONMENT" | "EMAIL_API_URL" | "EMAIL_API_KEY">,
): Promise<SentEmail[] | null> {
  if (env.ENVIRONMENT !== "local" || !env.EMAIL_API_URL) return null;
  const response = await fetch(env.EMAIL_API_URL, {
    headers: { Authorization: `Bearer ${env.EMAIL_API_KEY ?? ""}` },
    redirect: "manual",
  });
  if (!response.ok) throw new Error(`the email stand-in responded with ${response.status}`);
  return sentEmails.parse(await response.json());
}
