import { STRIPE_BINDINGS } from "../customers/top-up-world.ts";
import { MAIL_KEY, startWorldMail, type WorldMail } from "./world-mail.ts";
import { startWorldReceiver, type WorldReceiver } from "./world-receiver.ts";
import { startWorldStripe, type WorldStripe } from "./world-stripe.ts";

/** The servers of others that the product calls, other than its providers. `bindings` are its settings for them. */
export type OutsideServers = {
  stripe: WorldStripe;
  receiver: WorldReceiver;
  mail: WorldMail;
  bindings: Record<string, string>;
  close(): Promise<void>;
};

export async function startOutsideServers(): Promise<OutsideServers> {
  const [stripe, receiver, mail] = await Promise.all([startWorldStripe(), startWorldReceiver(), startWorldMail()]);
  return {
    stripe,
    receiver,
    mail,
    bindings: { ...STRIPE_BINDINGS, STRIPE_API_URL: stripe.url, EMAIL_API_URL: mail.url, EMAIL_API_KEY: MAIL_KEY },
    close: async () => void (await Promise.all([stripe.close(), receiver.close(), mail.close()])),
  };
}
