import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { DATABASE_WORKER, USES_DATABASE_WORKER } from "./tests/product/simulated-database-worker.ts";

const VAPID_KEYS_FOR_TESTS = [
  "BKOh5HJFj3U-ckrWhaT58OWjaCjFYirjf1-HR66yE8imtxJ7BZnq9LaiGelcwUQhCOTTOON0nMUn0_1lpvdzxhE",
  "Pp_dJev6DmvnvgOcx4vCnj9YtKtRn9katV6iVBgkIWc",
].join(":");

const IS_CORE = process.env.TEST_TIER === "core";
/** What `npm test` leaves to `npm run test:all`. */
const NIGHTLY = IS_CORE ? ["**/*.nightly.*"] : [];
/** The databases of `npm test`. Those of `npm run test:all`, and of a file that is run alone, are Miniflare's. */
const DATABASES = IS_CORE ? { ...USES_DATABASE_WORKER, workers: [DATABASE_WORKER] } : {};
/** A zone behind UTC, by no whole hours, with summer time: where UTC is meant, local time is another day and minute. */
const ODD_ZONE = "America/St_Johns";
/** Options that the tests on Node share. */
const ON_NODE = {
  testTimeout: 240_000,
  hookTimeout: 240_000,
  setupFiles: ["./tests/restore-globals.ts"],
  env: { TZ: ODD_ZONE },
};
const NODE_TESTS = ["app/**/*.node.test.ts", "tests/**/*.test.ts", "tools/**/*.test.ts"];
const NOT_ON_NODE = ["tests/e2e/**", "tests/workerd/**", "tests/attacks/**", ...NIGHTLY];
/** The tests on Node that replace a module. */
const MOCKING = globSync(NODE_TESTS, { cwd: import.meta.dirname, exclude: NOT_ON_NODE }).filter((file) =>
  /\bvi\.(mock|doMock)\(/.test(readFileSync(join(import.meta.dirname, file), "utf8")),
);

/** Each file of tests migrates its databases. One query takes less than half the time of one for each of 300 statements. */
async function wholeMigrations(folder: string) {
  const migrations = await readD1Migrations(folder);
  return migrations.map(({ name, queries }) => ({ name, queries: [queries.join(";\n")] }));
}

// Two runtimes: code of the worker is tested on workerd, with real D1 and Durable Objects, the rest on Node.
export default defineConfig({
  test: {
    // Hides the worker's request log. Tests assert the log lines that matter to them.
    onConsoleLog: (text) => !/^\{"time":.*"level":"(info|warn)"/.test(text),
    projects: [
      {
        plugins: [
          cloudflareTest(async () => ({
            main: "./workers/app.ts",
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              ...DATABASES,
              bindings: {
                ENVIRONMENT: "local",
                REQUEST_COUNTS: "off",
                REQUEST_LOG_SHARE: "1",
                // For a busy machine. Tests of a database that stands still have a shorter one.
                DATABASE_WAIT_MS: "120000",
                STAFF_SECOND_FACTOR: "off",
                PWNED_PASSWORDS_URL: "",
                SESSION_SECRET: "a-secret-for-tests",
                ENCRYPTION_KEYS: `1:${btoa("x".repeat(32))}`,
                STRIPE_SECRET_KEY: "sk_test_workerd",
                STRIPE_WEBHOOK_SECRET: "a-webhook-secret-for-tests",
                VAPID_KEYS: VAPID_KEYS_FOR_TESTS,
                EMAIL_WEBHOOK_SECRET: `whsec_${btoa("a-webhook-secret-for-tests")}`,
                TIER_ORDERS: process.env.TIER_ORDERS ?? "",
                TEST_TIER: process.env.TEST_TIER ?? "all",
                TEST_MIGRATIONS: await wholeMigrations("./migrations/main"),
                TEST_SUPPORT_MIGRATIONS: await wholeMigrations("./migrations/support"),
              },
            },
          })),
        ],
        test: {
          name: "workerd",
          isolate: false,
          // Password hashing is slow on purpose, other runs share the processor, and no test asserts time.
          testTimeout: 240_000,
          hookTimeout: 240_000,
          include: [
            "app/**/*.test.ts",
            "workers/**/*.test.ts",
            "tests/workerd/**/*.test.ts",
            "tests/attacks/**/*.test.ts",
          ],
          exclude: ["**/*.node.test.ts", ...NIGHTLY],
          globalSetup: ["./tests/workerd/build-product.ts", "./tests/workerd/start-stand-ins.ts"],
          setupFiles: ["./tests/workerd/apply-migrations.ts"],
          deps: {
            optimizer: {
              ssr: {
                enabled: true,
                include: [
                  "@remix-run/cloudflare",
                  "@remix-run/server-runtime",
                  "@remix-run/react",
                  "react",
                  "react-dom",
                  "react-dom/server",
                  "react/jsx-runtime",
                ],
              },
            },
          },
        },
      },
      // A process for each file took two thirds of their time.
      {
        test: { ...ON_NODE, name: "node", isolate: false, include: NODE_TESTS, exclude: [...NOT_ON_NODE, ...MOCKING] },
      },
      // A mocked module would stay mocked for the next file.
      { test: { ...ON_NODE, name: "node-mocking", include: MOCKING } },
    ],
  },
});
