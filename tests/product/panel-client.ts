import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { LocalCopy } from "./local-copy.ts";

const run = promisify(execFile);
const clients = join(import.meta.dirname, "..", "clients");

/** Runs a client that knows only the URL and the key of the panel API, and checks what it has seen. */
export async function servePanelClient(copy: LocalCopy, [program = "", ...args]: string[]): Promise<void> {
  const body = new URLSearchParams({ key: copy.demo.customer.apiKey, action: "services" });
  const response = await fetch(`${copy.url}/api/v2`, { method: "POST", body });
  const services = (await response.json()) as { service: number; type: string; cancel: boolean; refill: boolean }[];
  const fit = services.find(({ type, cancel, refill }) => type === "Default" && cancel && refill);
  const { stdout } = await run(program, [...args, `${copy.url}/api/v2`, copy.demo.customer.apiKey, `${fit?.service}`], {
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
}
