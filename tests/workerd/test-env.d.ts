declare namespace Cloudflare {
  interface Env {
    /** Only in tests: the migrations of both databases, read on the Node side. */
    TEST_MIGRATIONS: import("@cloudflare/vitest-plugin").D1Migration[];
    /** Only in `npm test`. */
    SIMULATED_DATABASE?: DurableObjectNamespace<import("#tests/product/simulated-database.ts").SimulatedDatabase>;
    /** How many orders the test of tiers places. Empty: as many as the suite has time for. */
    TIER_ORDERS: string;
    /** "core" in `npm test`, "all" elsewhere: see at-scale.ts. */
    TEST_TIER: string;
    TEST_SUPPORT_MIGRATIONS: import("@cloudflare/vitest-plugin").D1Migration[];
  }
}
