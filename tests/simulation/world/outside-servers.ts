import { STRIPE_BINDINGS } from "./top-up-world.ts";
import { startWorldReceiver, type WorldReceiver } from "./world-receiver.ts";
import { startWorldStripe, type WorldStripe } from "./world-stripe.ts";

/** The servers of others that the product calls, other than its providers. `bindings` are its settings for them. */
export type OutsideServers = {
  stripe: WorldStripe;
  receiver: WorldReceiver;
  bindings: Record<string, string>;
  close(): Promise<void>;
};

export async function startOutsideServers(): Promise<OutsideServers> {
  const [stripe, receiver] = await Promise.all([startWorldStripe(), startWorldReceiver()]);
  return {
    stripe,
    receiver,
    bindings: { ...STRIPE_BINDINGS, STRIPE_API_URL: stripe.url },
    close: async () => void (await Promise.all([stripe.close(), receiver.close()])),
  };
}
