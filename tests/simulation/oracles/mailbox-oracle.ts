import { SECOND } from "../scripts/simulated-durations.ts";
import { type MailboxWorld, syncToTheEnd } from "../world/customers/mailbox-world.ts";
import type { Customer, World } from "../world/open-world.ts";
import type { Site, Trouble } from "../world/site.ts";
import type { Violation } from "./violation.ts";

/** Calls that had begun when a mailbox was disconnected end within so long. */
const IN_FLIGHT = 3 * SECOND;
const RECENT = 10;

/** The mail page shows what is in the mailbox that is connected, and nothing else is stored or called. */
export async function judgeMailboxes(
  site: Site,
  world: World,
  { states, ended, refusals, surprises, google }: MailboxWorld,
  troubles: Trouble[],
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const broken = (rule: string, subject: string, truth: unknown, product: unknown) =>
    violations.push({ rule, subject, world: truth, product });
  for (const refusal of refusals) {
    const isExplained = troubles.some(({ from, to }) => from <= refusal.to && to >= refusal.from);
    if (!isExplained) broken("a consent connects a mailbox while Google works", "Google", refusal, null);
  }
  for (const { customer, what, result } of surprises) {
    broken("a mailbox is connected only by its consent", `customer ${customer}`, what, result);
  }
  for (const { grant, at } of ended) {
    const late = grant.calls.filter((call) => call.at > at + IN_FLIGHT);
    if (late.length > 0) broken("nothing is called after a disconnection", grant.email, at, late.slice(0, 5));
  }
  for (const { user_id, subject } of await site.query<{ user_id: string; subject: string }>(
    "select user_id, subject from gmail_messages",
  )) {
    const canary = world.customers.find(({ userId }) => userId === user_id)?.person.canary;
    if (!canary || !subject.includes(canary)) broken("nobody has another's mail", user_id, canary, subject);
  }
  for (const [index, { grant, isUncertain }] of states) {
    const customer = world.customers[index];
    if (!customer || customer.hasLeft || isUncertain) continue;
    if (grant) {
      const { email } = grant;
      const mailbox = { email, ids: await google.idsIn(email), total: await google.totalIn(email) };
      await judgeConnected(site, customer, mailbox, broken);
    } else {
      const left = await rowsOf(site, customer);
      if (left.length > 0) broken("nothing is left of a disconnected mailbox", customer.person.email, null, left);
    }
  }
  return violations;
}

async function judgeConnected(
  site: Site,
  customer: Customer,
  { email, ids, total }: { email: string; ids: string[]; total: number },
  broken: (rule: string, subject: string, truth: unknown, product: unknown) => void,
): Promise<void> {
  // Every pause that Google asked for has ended by then.
  await site.advance(10 * 60 * SECOND);
  if (!(await syncToTheEnd(site, customer))) return broken("a connected mailbox can be synced", email, null, null);
  const stored = await site.query<{ id: string }>("select id from gmail_messages where user_id = ?", customer.userId);
  const missing = ids.filter((id) => !stored.some((row) => row.id === id));
  const extra = stored.filter(({ id }) => !ids.includes(id));
  if (missing.length + extra.length > 0) {
    broken("the messages of the mailbox are stored", email, ids.length, { missing, extra });
  }
  const html = await (await customer.person.get("/gmail-sync")).text();
  const shown = /Total Messages<\/dt><dd[^>]*>([\d,]+)</.exec(html)?.[1]?.replaceAll(",", "");
  const recent = /Recent Messages<\/dt><dd[^>]*>(\d+)</.exec(html)?.[1];
  if (Number(shown) !== total || Number(recent) !== Math.min(RECENT, ids.length)) {
    broken("the page shows the mailbox's numbers", email, { total, listed: ids.length }, { total: shown, recent });
  }
  if (!html.includes(email)) broken("the page names the mailbox", email, null, null);
  site.count("mailbox compared");
}

async function rowsOf(site: Site, { userId }: Customer): Promise<object[]> {
  const tables = ["gmail_tokens", "gmail_messages", "gmail_sync_status"];
  const rows = await Promise.all(
    tables.map(async (table) =>
      (await site.query<object>(`select * from ${table} where user_id = ? limit 2`, userId)).map((row) => ({
        table,
        ...row,
      })),
    ),
  );
  return rows.flat();
}
