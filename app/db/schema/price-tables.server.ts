import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { MAX_DISCOUNT } from "#app/product.ts";
import { services } from "./catalog-tables.server.ts";
import {
  basisPoints,
  impersonalTable,
  internal,
  kept,
  money,
  oneOf,
  personalTable,
  shown,
  time,
} from "./column-types.server.ts";
import { orders } from "./order-tables.server.ts";

/** The most tiers that there can be: a list of prices is kept in memory for each. */
export const MAX_TIERS = 10;

/** `percent`: all rates are lower by it. `fixed`: services have rates of its own, and the others the usual one. */
export const TIER_KINDS = ["percent", "fixed"] as const;
export type TierKind = (typeof TIER_KINDS)[number];

/** Prices for the customers that staff assign to it. Triggers raise the version of the catalog on every change. */
export const tiers = impersonalTable(
  "tiers",
  {
    // Never given again: what the audit log and orders tell of a deleted tier leads to no other one.
    id: integer().primaryKey({ autoIncrement: true }),
    /** One of ten, so that there are never more tiers. */
    slot: integer().notNull().unique(),
    name: shown(text()).notNull().unique(),
    kind: text({ enum: TIER_KINDS }).notNull(),
    /** Part taken off each rate. 0 for a fixed one. */
    basisPoints: basisPoints("basis_points").notNull().default(0),
    /** Raised by each change, also of its rates, see row-version.server.ts. */
    version: integer().notNull().default(1),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  () => [
    check("tier_slot_bounded", sql`"slot" between 1 and ${sql.raw(String(MAX_TIERS))}`),
    check("tier_kind_known", oneOf("kind", TIER_KINDS)),
    check("tier_discount_bounded", sql`"basis_points" between 0 and ${sql.raw(String(MAX_DISCOUNT))}`),
    check("tier_discount_of_percent", sql`"kind" = 'percent' or "basis_points" = 0`),
  ],
);

/** The rates of a fixed tier. */
export const tierRates = impersonalTable(
  "tier_rates",
  {
    tierId: integer("tier_id")
      .notNull()
      .references(() => tiers.id, { onDelete: "cascade" }),
    serviceId: integer("service_id")
      .notNull()
      .references(() => services.id, { onDelete: "cascade" }),
    /** Per what the service's own rate is for. */
    rate: money().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tierId, table.serviceId] }),
    check("tier_rate_not_negative", sql`"rate" >= 0`),
  ],
);

/** Codes that take a part off the charge of an order. */
export const percentCodes = personalTable(
  "percent_codes",
  {
    id: kept.internal(integer()).primaryKey({ autoIncrement: true }),
    /** SHA-256 of the code, hex. The code itself is shown once and not stored. */
    digest: kept.secret(text()).notNull().unique(),
    /** The last characters, which identify the code in a list. */
    ending: kept.internal(text()).notNull(),
    name: kept.internal(text()).notNull(),
    basisPoints: kept.internal(basisPoints("basis_points")).notNull(),
    /** The most that it takes off one order. Null: no limit. */
    maxDiscount: kept.internal(money("max_discount")),
    /** An order that costs less without it does not take it. */
    minCharge: kept.internal(money("min_charge")).notNull().default(0),
    usesLeft: kept.internal(integer("uses_left")).notNull(),
    /** Number of times one customer may use it. */
    perCustomer: kept.internal(integer("per_customer")).notNull().default(1),
    startsAt: kept.internal(time("starts_at")).notNull(),
    /** Null: until it is used up or disabled. */
    endsAt: kept.internal(time("ends_at")),
    /** The only network whose services it is for. Null: all. */
    network: kept.internal(text()),
    disabledAt: kept.internal(time("disabled_at")),
    createdBy: kept.internal(text("created_by")).notNull(),
    createdAt: kept.internal(time("created_at")).notNull(),
  },
  () => [
    check("percent_code_bounded", sql`"basis_points" between 1 and ${sql.raw(String(MAX_DISCOUNT))}`),
    check("percent_code_amounts", sql`"max_discount" > 0 and "min_charge" >= 0`),
    // Refuses a code that is used up.
    check("percent_code_uses_left", sql`"uses_left" >= 0`),
    check("percent_code_per_customer", sql`"per_customer" >= 1`),
    check("percent_code_ends_after_its_start", sql`"ends_at" > "starts_at"`),
  ],
);

export const percentCodeUses = personalTable(
  "percent_code_uses",
  {
    orderId: kept
      .exported(integer("order_id"), "order")
      .primaryKey()
      .references(() => orders.id),
    codeId: kept
      .internal(integer("code_id"))
      .notNull()
      .references(() => percentCodes.id),
    // No foreign key: the use outlives the account.
    userId: internal(text("user_id")).notNull(),
    createdAt: kept.exported(time("created_at")).notNull(),
  },
  (table) => [index("percent_code_uses_by_customer").on(table.codeId, table.userId)],
);
