import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { missingLanguages } from "#tools/run/debian-packages.ts";
import { type LocalCopy, startLocalCopy } from "./local-copy.ts";

const run = promisify(execFile);
const clients = join(import.meta.dirname, "..", "clients");

let copy: LocalCopy;
let serviceId: string;

beforeAll(async () => {
  copy = await startLocalCopy();
  const body = new URLSearchParams({ key: copy.demo.customer.apiKey, action: "services" });
  const response = await fetch(`${copy.url}/api/v2`, { method: "POST", body });
  const services = (await response.json()) as { service: number; type: string; cancel: boolean; refill: boolean }[];
  const fit = services.find(({ type, cancel, refill }) => type === "Default" && cancel && refill);
  serviceId = String(fit?.service);
});

afterAll(() => copy.remove());

const CLIENTS: Record<string, string[]> = {
  Node: ["node", "panel.mjs"],
  PHP: ["php", "panel.php"],
  Python: ["python3", "panel.py"],
  Go: ["go", "run", "panel.go"],
};

/** Debian's packages of a program, where npm run test:all installs it. */
const PACKAGES: Record<string, string[]> = { php: ["php-cli", "php-curl"], go: ["golang-go"], python3: ["python3"] };

for (const [language, [program = "", ...args]] of Object.entries(CLIENTS)) {
  test(`serves a ${language} panel client that knows only the URL and the key`, async (context) => {
    const [missing] = missingLanguages().filter((name) => (PACKAGES[program] ?? []).includes(name));
    if (missing) return context.skip(`${missing} is not installed`);
    const { stdout } = await run(program, [...args, `${copy.url}/api/v2`, copy.demo.customer.apiKey, serviceId], {
      cwd: clients,
    });
    const seen = JSON.parse(stdout);
    expect(seen).toMatchObject({
      services: expect.any(Number),
      order: expect.any(Number),
      status: { charge: expect.stringMatching(/^\d+\.\d{2,}$/), currency: "USD", remains: expect.any(String) },
      cancel: [{ order: expect.any(Number) }],
      refillStatus: { error: "Refill not found" },
      balance: { balance: expect.stringMatching(/^\d+\.\d{2,}$/), currency: "USD" },
    });
    expect(seen.statuses[seen.order]).toMatchObject({ currency: "USD" });
    expect(seen.statuses["999999999"]).toMatchObject({ error: "Incorrect order ID" });
    // An order that is still in progress cannot be refilled, so either response is right.
    expect(seen.refill).toEqual(
      seen.refill.refill === undefined ? { error: "This order cannot be refilled" } : { refill: expect.any(String) },
    );
  });
}
