import type { TextClasses } from "./column-class.ts";
import type { PERSONAL_COLUMNS } from "./personal-data-columns.ts";

/** The texts of every table that names no person: secrets, which no loader returns, and what pages may show. */
export const IMPERSONAL_TEXTS = {
  alertDeliveries: { id: "shown", alertId: "shown", body: "shown", lastError: "shown" },
  alerts: { id: "shown", subject: "shown" },
  backupChanges: { tableName: "shown" },
  backupChunks: { database: "shown", kind: "shown", tableName: "shown", sha256: "shown" },
  backupGoneFiles: { key: "shown" },
  backupRestores: { backupId: "shown" },
  backupRuns: { id: "shown", leaseId: "shown", progress: "shown", error: "shown" },
  catalogChanges: { providerServiceId: "shown", before: "shown", after: "shown" },
  erasures: { digest: "secret" },
  importSkips: { addressDigest: "secret" },
  jobRuns: { job: "shown", error: "shown" },
  ledgerFaults: { rule: "shown", subject: "shown" },
  priceRules: { category: "shown" },
  providerBalances: { account: "secret", currency: "shown" },
  providers: { name: "shown", apiUrl: "shown", encryptedKey: "secret", convention: "shown" },
  rateLimits: { key: "secret" },
  redeemBatches: { name: "shown" },
  redeemCodes: { digest: "secret", ending: "shown" },
  rollups: { name: "shown" },
  services: { network: "shown", category: "shown", name: "shown", description: "shown", providerServiceId: "shown" },
  supportBackupChanges: { tableName: "shown" },
  tiers: { name: "shown" },
  usedTokens: { digest: "secret" },
} as const satisfies TextClasses<typeof PERSONAL_COLUMNS>;
