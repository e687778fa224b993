/**
 * The tables of the main database, DB. The tables of DB_SUPPORT are in schema/support-tables.server.ts.
 * Every table is STRICT; `npm run db:generate` adds the keyword because drizzle-kit can't.
 * Each column says what its value is and whose; see schema/column-types.server.ts.
 */
export * from "#app/db/schema/account-tables.server.ts";
export * from "#app/db/schema/alert-tables.server.ts";
export * from "#app/db/schema/api-tables.server.ts";
export * from "#app/db/schema/audit-tables.server.ts";
export * from "#app/db/schema/backup-tables.server.ts";
export * from "#app/db/schema/catalog-tables.server.ts";
export * from "#app/db/schema/device-tables.server.ts";
export * from "#app/db/schema/email-address-tables.server.ts";
export * from "#app/db/schema/email-tables.server.ts";
export * from "#app/db/schema/factor-tables.server.ts";
export * from "#app/db/schema/gmail-tables.server.ts";
export * from "#app/db/schema/monitoring-tables.server.ts";
export * from "#app/db/schema/order-tables.server.ts";
export * from "#app/db/schema/price-tables.server.ts";
export * from "#app/db/schema/provider-tables.server.ts";
export * from "#app/db/schema/push-tables.server.ts";
export * from "#app/db/schema/security-tables.server.ts";
export * from "#app/db/schema/settings-tables.server.ts";
export * from "#app/db/schema/support-team-tables.server.ts";
export * from "#app/db/schema/top-up-tables.server.ts";
export * from "#app/db/schema/upload-tables.server.ts";
export * from "#app/db/schema/wallet-tables.server.ts";
