/**
 * Every table is STRICT (`npm run db:generate` adds the word, drizzle-kit cannot).
 * Times are integer milliseconds since 1970. Money is integer micro-units, 1/1,000,000 of the currency.
 */
export * from "./schema/accounts.server.ts";
export * from "./schema/api.server.ts";
export * from "./schema/audit.server.ts";
export * from "./schema/catalogue.server.ts";
export * from "./schema/mail.server.ts";
export * from "./schema/money.server.ts";
export * from "./schema/orders.server.ts";
export * from "./schema/protection.server.ts";
export * from "./schema/support.server.ts";
export * from "./schema/top-up.server.ts";
export * from "./schema/uploads.server.ts";
