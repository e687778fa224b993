import type { FuzzedCopy } from "../product/fuzzed-copy.ts";

/** Pages of the console that no page links to without scripts: a selection, and what is to be done with it. */
export const SELECTIONS = [
  "/admin/services/bulk?id=1&id=2&change=price&by=10",
  "/admin/services/bulk?all=1&network=YouTube&change=margin&by=35",
  "/admin/services/bulk?id=3&id=4&change=round&step=0.05",
  "/admin/services/bulk?id=5&change=off",
  "/admin/services/bulk?id=6&id=7&change=category&to=Fuzzed",
];

/**
 * Fills the console's lists, so that its pages show the forms of what is in them: held orders, changes in quarantine, price
 * rules, tiers, percent codes, announcements and a changed setting. Returns the pages of selected orders.
 */
export async function plantConsole({ url, query }: FuzzedCopy, cookie: string): Promise<string[]> {
  const post = async (path: string, form: Record<string, string>) => {
    const init = { method: "POST", headers: { Cookie: cookie }, body: new URLSearchParams(form) } as const;
    const { status } = await fetch(url + path, { ...init, redirect: "manual" });
    if (status >= 400) throw new Error(`${path} refused ${form.intent}: ${status}`);
  };
  const once = () => crypto.randomUUID();
  await post("/admin/providers/1", { intent: "add-rule", category: "", margin: "35", roundTo: "0.01", minimum: "0" });
  await post("/admin/tiers", { intent: "save", name: "Fixed", kind: "fixed", percent: "", once: once() });
  const code = { name: "Autumn", code: "FUZZ-CODE", percent: "10", maxDiscount: "", minCharge: "", uses: "5" };
  const days = { perCustomer: "2", starts: "", ends: "", network: "" };
  await post("/admin/percent-codes", { intent: "save", ...code, ...days, once: once() });
  const [startsAt = "", endsAt = ""] = [0, 5].map((day) => new Date(Date.now() + day * 86_400_000).toISOString());
  const times = { startsAt: startsAt.slice(0, 16), endsAt: endsAt.slice(0, 16) };
  for (const kind of ["banner", "update"]) {
    const texts = { kind, audience: "everyone", body: `A ${kind}`, link: "", linkLabel: "" };
    await post("/admin/announcements", { intent: "save", ...texts, ...times, once: once() });
  }
  await post("/admin/settings", { intent: "setting min_top_up", value: "6", version: "0" });
  const offer = `json_object('category', category, 'type', type, 'rate', provider_rate * 2, 'min', min, 'max', max,
    'dripfeed', json('false'), 'refill', json('false'), 'cancel', json('false'))`;
  await query(`insert into quarantine (provider_id, service_id, reason, offered, paused, found_at)
    select provider_id, id, iif(id = 10, 'gone', 'rise'), iif(id = 10, null, ${offer}), 0, 1 from services
    where id between 8 and 10 and provider_id is not null`);
  const held = await query<{
    id: number;
  }>(`update orders set fulfillment = 'held', held_for = 'cut_off', status = 'Pending',
    refunded = 0 where id in (select o.id from orders o where o.refunded = 0 and o.provider_id is not null and o.is_test = 0
    order by o.id desc limit 3) returning id`);
  const ids = new URLSearchParams(held.map(({ id }) => ["id", String(id)]));
  return ["again", "refund", "follow"].map((decide) => `/admin/orders/bulk?${ids}&decide=${decide}`);
}
