import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { START_COUNT } from "#tests/product/order-history.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { startSandboxProvider } from "#tools/stand-ins/sandbox-provider.ts";

export type ProviderKind = "healthy" | "slow" | "flapping" | "dead";
export const PROVIDER_KINDS: ProviderKind[] = [
  ...Array.from({ length: 6 }, () => "healthy" as const),
  "slow",
  "slow",
  "flapping",
  "dead",
];

export const PROVIDER_KEY = "bench-provider-key";
const HEALTHY_MS = 50;
const SLOW_MS = 5000;
/** The flapping provider fails for the first third of each period. */
const FLAPPING_PERIOD_MS = 60_000;

export type EngineProvider = {
  kind: ProviderKind;
  url: string;
  /** Links of orders whose call this provider let fail. */
  failedLinks: Set<string>;
  /** When each of its orders was last asked for, by the provider's id. */
  askedAt: Map<string, number>;
  /** The orders that it received, by its id, without those that existed before the run. `at`: ms since 1970. */
  received(): Map<string, { link: string; at: number }>;
  close(): Promise<void>;
};

/** Starts a provider that has `existing` open orders already, numbered from 1, which never finish. */
export async function startEngineProvider(
  kind: ProviderKind,
  folder: string,
  existing: number,
): Promise<EngineProvider> {
  const file = join(folder, `provider-${crypto.randomUUID()}.jsonl`);
  const lines = Array.from({ length: existing }, (_, n) => {
    const order = {
      id: n + 1,
      service: "1",
      link: sandboxLink("still", n),
      quantity: 1000,
      startCount: START_COUNT,
      at: 0,
    };
    return `${JSON.stringify(order)}\n`;
  });
  writeFileSync(file, lines.join(""));
  const failedLinks = new Set<string>();
  const askedAt = new Map<string, number>();
  const started = Date.now();
  const provider = await startSandboxProvider({
    key: PROVIDER_KEY,
    file,
    async beforeCall(params) {
      const isDown = kind === "flapping" && (Date.now() - started) % FLAPPING_PERIOD_MS < FLAPPING_PERIOD_MS / 3;
      if (kind === "dead" || isDown) {
        if (params.get("action") === "add") failedLinks.add(params.get("link") ?? "");
        return kind === "dead" ? "cut" : "fail";
      }
      await new Promise((resolve) => setTimeout(resolve, kind === "slow" ? SLOW_MS : HEALTHY_MS));
      for (const id of params.get("orders")?.split(",") ?? []) askedAt.set(id, Date.now());
      return undefined;
    },
  });
  return {
    kind,
    url: provider.url,
    failedLinks,
    askedAt,
    received() {
      const orders = readFileSync(file, "utf8").split("\n").filter(Boolean).slice(existing);
      return new Map(
        orders.map((line) => {
          const { id, link, at } = JSON.parse(line) as { id: number; link: string; at: number };
          return [String(id), { link, at }];
        }),
      );
    },
    close: provider.close,
  };
}
