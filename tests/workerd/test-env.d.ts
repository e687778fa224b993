declare namespace Cloudflare {
  interface Env {
    /** Only in tests: the migrations of both databases, read on the Node side. */
    TEST_MIGRATIONS: import("@cloudflare/vitest-plugin").D1Migration[];
    TEST_SUPPORT_MIGRATIONS: import("@cloudflare/vitest-plugin").D1Migration[];
  }
}
