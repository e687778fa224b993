import { CODES, type TopUpEvent } from "../../scripts/plan-top-ups.ts";
import { MINUTE } from "../../scripts/simulated-durations.ts";
import type { Handlers } from "../actor.ts";
import type { World } from "../open-world.ts";
import type { Site } from "../site.ts";

/** An attempt of a customer to redeem a code. `isCredited` is null while no response said so. */
export type Redemption = { code: number; customer: number; isCredited: boolean | null; responses: string[] };
export type CodeWorld = {
  redemptions: Redemption[];
  /** Repeats the attempts that got no certain response. */
  tick(): Promise<void>;
  handlers: Handlers<Extract<TopUpEvent, { kind: "redeem" }>>;
};

const PAGE = "/dashboard/top-up";
/** An account may try ten codes an hour. */
const RETRY_AFTER = 20 * MINUTE;

/** Customers who redeem codes: twice at once, several customers at once, and codes that are used up. */
export async function openCodes(site: Site, world: World): Promise<CodeWorld> {
  const codes: string[] = [];
  for (const [n, { cents, maxUses }] of CODES.entries()) {
    const { html } = await world.admin.submit("/admin/codes", {
      name: `Codes ${n}`,
      amount: (cents / 100).toFixed(2),
      count: "1",
      maxUses: String(maxUses),
      expires: "",
      once: crypto.randomUUID(),
    });
    codes.push(/GL(-[0-9A-Z]{4}){4}/.exec(html)?.[0] ?? "");
  }
  const redemptions: Redemption[] = [];
  let retryAt = 0;

  async function attempt(redemption: Redemption): Promise<void> {
    const person = world.customers[redemption.customer]?.person;
    const code = codes[redemption.code];
    if (!person || !code || world.customers[redemption.customer]?.hasLeft) return;
    const page = await person.submit(PAGE, { intent: "code", code }).catch(() => null);
    const isClear = page && page.status < 500 && page.status !== 429 && page.status !== 302 && page.status !== 401;
    if (!isClear) return;
    redemption.responses.push(`${page.status}`);
    if (page.status === 200) {
      site.count("code redeemed");
      redemption.isCredited = true;
    } else if (/You already redeemed this code/.test(page.html)) {
      redemption.isCredited = true;
    } else {
      site.count("code refused");
      redemption.isCredited ??= false;
    }
  }

  return {
    redemptions,
    async tick() {
      if (world.now() < retryAt) return;
      retryAt = world.now() + RETRY_AFTER;
      for (const redemption of redemptions) if (redemption.isCredited === null) await attempt(redemption);
    },
    handlers: {
      async redeem({ code, customers, copies }) {
        await Promise.all(
          customers.map(async (customer) => {
            const known = redemptions.find((one) => one.code === code && one.customer === customer);
            const redemption = known ?? { code, customer, isCredited: null, responses: [] };
            if (!known) redemptions.push(redemption);
            await Promise.all(Array.from({ length: copies }, () => attempt(redemption)));
          }),
        );
      },
    },
  };
}
