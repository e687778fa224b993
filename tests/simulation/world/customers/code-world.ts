import type { FundsEvent } from "../../scripts/plan-funds.ts";
import { CODES, type TopUpEvent } from "../../scripts/plan-top-ups.ts";
import { MINUTE } from "../../scripts/simulated-durations.ts";
import type { Handlers } from "../actor.ts";
import type { World } from "../open-world.ts";
import type { Page } from "../people.ts";
import { persist } from "../persist.ts";
import type { Site } from "../site.ts";

/** A customer and a code that they want. `isCredited` is null while no response said so. */
export type Redemption = { code: number; customer: number; isCredited: boolean | null; responses: string[] };
/** One form that was sent. `at` in simulated ms since the script's beginning, the others in real ms since 1970. */
export type CodeAttempt = {
  /** Number of the code in the script, or null for a wrong one. */
  code: number | null;
  customer: number;
  address: string;
  at: number;
  from: number;
  to: number;
  outcome: "credited" | "already" | "expired" | "disabled" | "used up" | "unknown" | "limited" | "unclear";
};
/** A code that no longer works: its end began and was confirmed at these real times. */
export type EndedCode = { code: number; by: "expired" | "disabled"; from: number; to: number };
export type CodeWorld = {
  redemptions: Redemption[];
  attempts: CodeAttempt[];
  ended: EndedCode[];
  /** Sends the form of a top-up page that redeems a code and places the page's order. Returns null without a response. */
  redeemWithOrder(customer: number, code: number, form: OrderForm, signal: AbortSignal): Promise<Page | null>;
  /** Repeats the attempts that got no certain response. */
  tick(): Promise<void>;
  handlers: Handlers<Extract<TopUpEvent, { kind: "redeem" }> | Extract<FundsEvent, { kind: "guess" | "end_code" }>>;
};

/** A top-up page with an order, and the fields that place it. */
export type OrderForm = { path: string; fields: Record<string, string> };

type KnownCode = { text: string; id: number; batch: number };

const PAGE = "/dashboard/top-up";
/** Where a placed order is shown. */
export const PLACED = /^\/dashboard\?placed=(\d+)$/;
/** An account may try ten codes an hour. */
const RETRY_AFTER = 20 * MINUTE;
const SHARED_ADDRESS = "203.0.113.7";
const OUTCOMES: [CodeAttempt["outcome"], RegExp][] = [
  ["already", /You already redeemed this code/],
  ["expired", /This code has expired/],
  ["disabled", /This code was disabled/],
  ["used up", /This code has already been redeemed/],
  ["unknown", /We don&#x27;t recognize this code/],
  ["limited", /Too many attempts/],
];

/** Customers who redeem codes: at once, several of them, used up and ended ones, and some who guess. */
export async function openCodes(site: Site, world: World): Promise<CodeWorld> {
  const codes: KnownCode[] = [];
  for (const [n, { cents, maxUses }] of CODES.entries()) {
    const { html } = await world.admin.submit("/admin/codes", {
      intent: "save",
      name: `Codes ${n}`,
      amount: (cents / 100).toFixed(2),
      count: "1",
      maxUses: String(maxUses),
      expires: "",
      once: crypto.randomUUID(),
    });
    const [row] = await site.query<{ id: number; batch: number }>(
      "select id, batch_id as batch from redeem_codes order by id desc limit 1",
    );
    codes.push({ text: /GL(-[0-9A-Z]{4}){4}/.exec(html)?.[0] ?? "", ...(row ?? { id: 0, batch: 0 }) });
  }
  const redemptions: Redemption[] = [];
  const attempts: CodeAttempt[] = [];
  const ended: EndedCode[] = [];
  let retryAt = 0;

  async function send(
    customer: number,
    code: number | null,
    { from, form = { path: PAGE, fields: {} }, signal }: { from?: string; form?: OrderForm; signal?: AbortSignal } = {},
  ): Promise<{ outcome: CodeAttempt["outcome"]; page: Page | null } | null> {
    const person = world.customers[customer]?.person;
    if (!person || world.customers[customer]?.hasLeft) return null;
    const at = world.now();
    const started = Date.now();
    const address = from ?? person.address;
    const attempt: CodeAttempt = { code, customer, address, at, from: started, to: started, outcome: "unclear" };
    attempts.push(attempt);
    const text = code === null ? wrongCode() : (codes[code]?.text ?? "");
    const options = { from: address, ...(signal && { signal }) };
    const page = await person
      .submit(form.path, { ...form.fields, intent: "code", code: text }, options)
      .catch(() => null);
    attempt.to = Date.now();
    if (page?.status === 200) attempt.outcome = "credited";
    else if (page) attempt.outcome = OUTCOMES.find(([, sentence]) => sentence.test(page.html))?.[0] ?? "unclear";
    site.count(`code ${attempt.outcome}`);
    return { outcome: attempt.outcome, page };
  }

  function redemptionOf(code: number, customer: number): Redemption {
    const known = redemptions.find((one) => one.code === code && one.customer === customer);
    const redemption = known ?? { code, customer, isCredited: null, responses: [] };
    if (!known) redemptions.push(redemption);
    return redemption;
  }

  function note(redemption: Redemption, outcome: CodeAttempt["outcome"]): void {
    if (outcome === "unclear" || outcome === "limited") return;
    redemption.responses.push(outcome);
    if (outcome === "credited" || outcome === "already") redemption.isCredited = true;
    else redemption.isCredited ??= false;
  }

  async function attempt(redemption: Redemption): Promise<void> {
    const sent = await send(redemption.customer, redemption.code);
    if (sent) note(redemption, sent.outcome);
  }

  return {
    redemptions,
    attempts,
    ended,
    async redeemWithOrder(customer, code, form, signal) {
      const redemption = redemptionOf(code, customer);
      const sent = await send(customer, code, { form, signal });
      if (!sent?.page) return null;
      // It leads to the order only if the code was theirs, by this form or before. Which attempt counted, it doesn't say.
      note(redemption, PLACED.test(sent.page.location ?? "") ? "already" : sent.outcome);
      return sent.page;
    },
    async tick() {
      if (world.now() < retryAt) return;
      retryAt = world.now() + RETRY_AFTER;
      for (const redemption of redemptions) if (redemption.isCredited === null) await attempt(redemption);
    },
    handlers: {
      async redeem({ code, customers, copies }) {
        await Promise.all(
          customers.map(async (customer) => {
            const redemption = redemptionOf(code, customer);
            await Promise.all(Array.from({ length: copies }, () => attempt(redemption)));
          }),
        );
      },
      async guess({ by, customers, tries }) {
        const from = by === "address" ? SHARED_ADDRESS : undefined;
        const guesses = customers.flatMap((customer) =>
          Array.from({ length: tries }, () => send(customer, null, from === undefined ? {} : { from })),
        );
        await Promise.all(guesses);
      },
      async end_code({ code, by }) {
        const known = codes[code];
        if (!known || ended.some((one) => one.code === code)) return;
        const end: EndedCode = {
          code,
          by: by === "expiry" ? "expired" : "disabled",
          from: Date.now(),
          to: Number.POSITIVE_INFINITY,
        };
        ended.push(end);
        if (by === "expiry") {
          // The form takes a day, and the world needs a minute.
          const sql = "update redeem_batches set expires_at = ? where id = ?";
          await site.query(sql, site.now(), known.batch);
          end.to = Date.now();
          return;
        }
        const fields: Record<string, string> =
          by === "disabled code" ? { intent: "disable-code", code: String(known.id) } : { intent: "disable-batch" };
        const isEnded = await persist(site, async () => {
          const { status } = await world.admin.submit(`/admin/codes/${known.batch}`, fields);
          return status < 400 ? true : null;
        });
        if (isEnded) end.to = Date.now();
      },
    },
  };
}

function wrongCode(): string {
  const group = () => String(Math.floor(Math.random() * 10_000)).padStart(4, "0");
  return `GL-${group()}-${group()}-${group()}-${group()}`;
}
