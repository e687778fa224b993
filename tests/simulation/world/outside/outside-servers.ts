import { STRIPE_BINDINGS } from "../customers/top-up-world.ts";
import { startWorldGoogle, type WorldGoogle } from "./world-google.ts";
import { MAIL_KEY, startWorldMail, type WorldMail } from "./world-mail.ts";
import { startWorldReceiver, type WorldReceiver } from "./world-receiver.ts";
import { startWorldStripe, type WorldStripe } from "./world-stripe.ts";

/** The servers of others that the product calls, other than its providers. `bindings` are its settings for them. */
export type OutsideServers = {
  stripe: WorldStripe;
  receiver: WorldReceiver;
  mail: WorldMail;
  google: WorldGoogle;
  bindings: Record<string, string>;
  close(): Promise<void>;
};

/** `siteUrl` is the product's. */
export async function startOutsideServers(siteUrl: string, customers: number): Promise<OutsideServers> {
  const [stripe, receiver, mail, google] = await Promise.all([
    startWorldStripe(),
    startWorldReceiver(),
    startWorldMail(),
    startWorldGoogle(siteUrl, customers),
  ]);
  return {
    stripe,
    receiver,
    mail,
    google,
    bindings: {
      ...STRIPE_BINDINGS,
      ...google.bindings,
      STRIPE_API_URL: stripe.url,
      EMAIL_API_URL: mail.url,
      EMAIL_API_KEY: MAIL_KEY,
    },
    close: async () => void (await Promise.all([stripe.close(), receiver.close(), mail.close(), google.close()])),
  };
}
