import type { Db } from "#app/db/db.server.ts";
import { catalogVersion } from "#app/db/schema.server.ts";
import { parseWrittenId } from "#app/http/requests/id-param.ts";
import type { Separator } from "#app/http/table-text.ts";
import { readOrderable } from "#app/orders/catalog/offers.server.ts";
import { findOpenTargets, openOrderText, targetOf } from "#app/orders/placing/duplicate-order.server.ts";
import { type OrderPrice, priceOf } from "#app/orders/prices/order-price.ts";
import type { TierTerms } from "#app/orders/prices/tier-rate.ts";
import { type CustomerTier, customerTier, readOwnRates } from "#app/orders/prices/tier-terms.server.ts";
import { doubtText, faultMessage } from "#app/orders/rules/order-faults.ts";
import type { OrderFields, ParsedOrder } from "#app/orders/rules/order-input.ts";
import { parseOrder } from "#app/orders/rules/parse-order.server.ts";
import { closedText } from "#app/settings/settings-store.server.ts";
import { earlierLines } from "./earlier-lines.ts";
import { type MassRow, readMassLines } from "./mass-lines.server.ts";

/**
 * A line as it would be placed, or its error with the column it belongs to. `charge` is micro-units; `others` are the
 * fields besides link and quantity, as typed; `doubt` says why the line may be wrong. A line with the `target` of an
 * earlier one may be, too.
 */
export type CheckedLine = { line: number; service: string; link: string; quantity: string; others: OrderFields } & (
  | { ok: true; name: string; charge: number; doubt: string | null; target: string | null }
  | { ok: false; error: string; column: string | null }
);

/** The preview of a mass order. `charge` is micro-units, for all valid lines together. */
export type CheckedMass =
  | {
      ok: true;
      lines: CheckedLine[];
      ignoredColumns: string[];
      separator: Separator | null;
      valid: number;
      invalid: number;
      /** Valid lines that may be wrong. */
      doubtful: number;
      charge: number;
    }
  | { ok: false; text: string };

type Service = Awaited<ReturnType<typeof readOrderable>>[number];
export type ValidLine = {
  line: number;
  service: Service;
  order: ParsedOrder;
  price: OrderPrice;
  doubt: string | null;
  target: string | null;
};

/** Checks the lines of a mass order. Places nothing. */
export async function checkMassOrder(db: Db, userId: string, text: string): Promise<CheckedMass> {
  const checked = await checkLines(db, userId, text);
  if (!checked.ok) return checked;
  const { lines, ignoredColumns, separator, validLines, doubtful, charge } = checked;
  const valid = validLines.length;
  return { ok: true, lines, ignoredColumns, separator, valid, invalid: lines.length - valid, doubtful, charge };
}

/** Checks each line and returns the valid ones parsed. `version` is the catalog version they were checked against. */
export async function checkLines(db: Db, userId: string, text: string) {
  const read = readMassLines(text);
  if (!read.ok) return read;
  const ids = read.rows.map(({ service }) => parseWrittenId(service)).filter((id) => id !== null);
  // Reads the version first, so that a change in between, also of the customer's tier, shows up as a newer one.
  const [catalog] = await db
    .select({ version: catalogVersion.version, closed: closedText, tier: customerTier(userId) })
    .from(catalogVersion);
  const services = new Map((await readOrderable(db, ids)).map((service) => [service.id, service]));
  const tierFor = await tiersOfServices(db, catalog?.tier ?? null, [...services.keys()]);
  const parsed = read.rows.map((row) => ({ row, result: checkRow(row, services, tierFor) }));
  const open = await findOpenTargets(
    db,
    userId,
    parsed.flatMap(({ result }) => (result.ok ? [{ serviceId: result.service.id, target: result.target }] : [])),
  );
  const checked = parsed.map(({ row, result }) => ({ row, result: withOpenOrder(result, open) }));
  const validLines = checked.flatMap(({ row, result }): ValidLine[] =>
    result.ok ? [{ ...result, line: row.line }] : [],
  );
  const earlier = earlierLines(validLines.map(({ target }) => target));
  return {
    ok: true as const,
    lines: checked.map(({ row, result }) => shownLine(row, result)),
    ignoredColumns: read.ignoredColumns,
    separator: read.separator,
    validLines,
    doubtful: validLines.filter(({ doubt }, index) => doubt !== null || earlier[index] !== null).length,
    charge: validLines.reduce((sum, line) => sum + line.price.charge, 0),
    version: catalog?.version ?? 0,
    closed: catalog?.closed ?? null,
  };
}

const LOST_TEXT = "A character couldn't be read and shows as �. Type it again, or save the file as UTF-8.";
const TOO_MANY_CELLS = "More cells than columns. Put links that contain commas or semicolons in quotes.";

type RowResult = ({ ok: true } & Omit<ValidLine, "line">) | { ok: false; error: string; column: string | null };

/** Returns what gives the customer's tier as it applies to a service. */
async function tiersOfServices(
  db: Db,
  tier: CustomerTier | null,
  serviceIds: number[],
): Promise<(serviceId: number) => TierTerms | null> {
  if (tier === null) return () => null;
  const own = tier.basisPoints === null ? await readOwnRates(db, tier.id, serviceIds) : new Map<number, number>();
  return (serviceId) => ({ ...tier, rate: own.get(serviceId) ?? null });
}

function checkRow(
  row: MassRow,
  services: Map<number, Service>,
  tierFor: (serviceId: number) => TierTerms | null,
): RowResult {
  if (row.hasLostText) return { ok: false, error: LOST_TEXT, column: null };
  if (row.tooManyCells) return { ok: false, error: TOO_MANY_CELLS, column: null };
  const wrongService = (error: string) => ({ ok: false as const, error, column: "service" });
  if (row.service === "") return wrongService("The service ID is missing");
  const id = parseWrittenId(row.service);
  if (id === null) return wrongService("Enter the service ID, a number");
  const service = services.get(id);
  if (!service) return wrongService(`Service ${id} is not available`);
  const asked = parseOrder(service, row.fields, { isPerson: true, agreedLink: "" });
  const isDoubtful = !asked.ok && asked.fault.reason === "doubtful_link";
  const parsed = isDoubtful ? parseOrder(service, row.fields, { isPerson: true, agreedLink: "all" }) : asked;
  if (!parsed.ok) {
    const { text, field } = faultMessage(parsed.fault);
    return { ok: false, error: text, column: field };
  }
  const doubt = !asked.ok && asked.fault.reason === "doubtful_link" ? doubtText(asked.fault) : null;
  const price = priceOf(service, tierFor(service.id), parsed.order);
  if (price === null) return { ok: false, error: "The charge is larger than any balance can be", column: "quantity" };
  return { ok: true, service, order: parsed.order, price, doubt, target: targetOf(service.id, parsed.order.link) };
}

function withOpenOrder(result: RowResult, open: Map<string, number>): RowResult {
  const order = result.ok && result.target !== null ? open.get(result.target) : undefined;
  if (!result.ok || order === undefined) return result;
  return { ...result, doubt: [result.doubt, openOrderText(order)].filter((text) => text !== null).join(" ") };
}

function shownLine({ line, service, fields }: MassRow, result: RowResult): CheckedLine {
  const { link = "", quantity = "", ...others } = fields;
  if (!result.ok) {
    return { line, service, link, quantity, others, ok: false, error: result.error, column: result.column };
  }
  const { service: found, order, price, doubt, target } = result;
  const asPlaced = { service: String(found.id), link: order.link, quantity: String(order.quantity) };
  return { line, ...asPlaced, others, ok: true, name: found.name, charge: price.charge, doubt, target };
}
