import { type CatalogWorld, termsBetween } from "../../world/catalog-world.ts";
import type { CheckedSheet, FeedItem, NewsWorld, ReadNotices, ReadUpdates } from "../../world/news-world.ts";
import type { World } from "../../world/open-world.ts";
import type { OrderRow, Violation } from "../violation.ts";

const MICRO = 1_000_000;

/** Checks that customers are told what changed in the catalog: in notices of favorites, updates and checked sheets. */
export function judgeNews(
  world: World,
  { notices, updates, sheets }: NewsWorld,
  catalog: CatalogWorld,
  rows: OrderRow[],
): Violation[] {
  return [
    ...notices.flatMap((read) => judgeNotices(read, catalog)),
    ...updates.flatMap((read) => judgeUpdates(world, read, catalog)),
    ...sheets.flatMap((sheet) => judgeSheet(sheet, catalog, rows)),
  ];
}

/** A favorite is in the notices if, and only if, it is sold otherwise than when the customer last looked. */
function judgeNotices({ customer, shown, seen, from, to }: ReadNotices, { inForce }: CatalogWorld): Violation[] {
  const broken = (rule: string, truth: unknown, product: unknown) => ({
    rule,
    subject: `customer ${customer}`,
    world: truth,
    product,
  });
  const violations = [...shown.keys()]
    .filter((service) => !seen.has(service))
    .map((service) => broken("notices are of one's own favorites", [...seen.keys()], service));
  for (const [service, rates] of seen) {
    const now = termsBetween(inForce, service, { from, to }).map(({ isOnSale, rate }) => (isOnSale ? rate : null));
    const rate = shown.get(service);
    if (rate === undefined) {
      if (!now.some((one) => rates.includes(one)))
        violations.push(broken("a change of a favorite is noticed", { service, now, rates }, null));
      continue;
    }
    if (!now.includes(rate)) violations.push(broken("a notice tells what is in force", { service, now }, rate));
    if (rates.every((one) => one === rate))
      violations.push(broken("a dismissed notice stays away until the next change", { service, rates }, rate));
  }
  return violations;
}

function judgeUpdates(world: World, { feed, page, from, to }: ReadUpdates, { inForce }: CatalogWorld): Violation[] {
  const violations: Violation[] = [];
  const broken = (rule: string, truth: unknown, product: unknown) =>
    violations.push({ rule, subject: "the updates", world: truth, product });
  const versions = feed.map(({ version }) => version);
  if (versions.some((version, n) => n > 0 && version >= (versions[n - 1] ?? 0)))
    broken("the updates are told once, newest first", null, versions);
  // The page was read later: it may have newer ones, and then fewer of the old.
  const both = page.filter((version) => version <= (versions[0] ?? 0));
  if (both.join() !== versions.slice(0, both.length).join())
    broken("the feed and the page tell the same", both, versions);
  for (const [n, id] of (world.shop?.serviceIds ?? []).entries()) {
    const ever = inForce.filter(({ service }) => service === n).map(({ terms }) => terms.rate);
    const own = feed.filter(({ text }) => new RegExp(`ID ${id}\\b`).test(text));
    for (const item of own) {
      const unknown = ratesIn(item).filter((rate) => !ever.includes(rate));
      if (unknown.length > 0) broken("an update tells prices that were in force", ever, item);
    }
    const newest = own.find((item) => ratesIn(item).length > 0);
    const now = termsBetween(inForce, n, { from, to });
    const isTrue = now.some(({ rate, isOnSale }) => !isOnSale || (newest && ratesIn(newest).at(-1) === rate));
    if (newest && !isTrue) broken("the newest update tells the price that is in force", now, newest);
  }
  return violations;
}

/** Returns the prices that an item tells, the newest last, in micro-units. */
function ratesIn({ text }: FeedItem): number[] {
  return [...text.matchAll(/\$([\d,]+(?:\.\d+)?)/g)].map(([, amount = ""]) =>
    Math.round(Number(amount.replaceAll(",", "")) * MICRO),
  );
}

function judgeSheet(sheet: CheckedSheet, { inForce }: CatalogWorld, orders: OrderRow[]): Violation[] {
  const { event, answer, from, to } = sheet;
  const violations: Violation[] = [];
  const broken = (rule: string, truth: unknown, product: unknown) =>
    violations.push({ rule, subject: event.name, world: truth, product });
  for (const [n, { service, quantity }] of event.rows.entries()) {
    const line = answer.lines[n];
    const terms = termsBetween(inForce, service, { from, to });
    const due = terms.map(({ rate, min, max, isOnSale }) =>
      isOnSale && quantity >= min && quantity <= max ? Math.ceil((rate * quantity) / 1000) : null,
    );
    const charge = line?.ok ? line.charge : null;
    const isTrue = due.length === 0 ? charge === null : due.some((one) => one === charge);
    if (!isTrue) broken("a checked line has its charge, or an error", { service, quantity, due }, line);
  }
  const valid = answer.lines.filter(({ ok }) => ok);
  const sum = valid.reduce((total, { charge = 0 }) => total + charge, 0);
  if (answer.charge !== sum || answer.valid !== valid.length || answer.invalid !== answer.lines.length - valid.length)
    broken("a checked sheet adds up", { sum, valid: valid.length }, answer);
  const stored = orders.filter(({ stored_link }) => stored_link.includes(event.name));
  if (stored.length > 0) broken("a sheet that is checked places nothing", null, stored);
  return violations;
}
