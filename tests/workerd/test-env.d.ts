declare namespace Cloudflare {
  interface Env {
    /** Only in tests: the migrations, read on the Node side. */
    TEST_MIGRATIONS: import("@cloudflare/vitest-plugin").D1Migration[];
  }
}
