import { vi } from "vitest";
import type { LocalCopy } from "./local-copy.ts";

/** Places an order over the panel API and returns its id. */
export async function placeOrder(of: LocalCopy): Promise<number> {
  const input = { action: "add", service: "1", link: `https://instagram.com/p${Date.now()}`, quantity: "100" };
  return (await api<{ order: number }>(of, input)).order;
}

/** Places an order and returns its status once that is final. */
export async function completeOrder(of: LocalCopy): Promise<string> {
  const order = String(await placeOrder(of));
  return vi.waitUntil(
    async () => {
      const { status } = await api<{ status: string }>(of, { action: "status", order });
      return status !== "Pending" && status !== "In progress" && status;
    },
    { timeout: 90_000, interval: 500 },
  );
}

/** Calls the panel API as the demo customer. */
export async function api<T>(of: LocalCopy, fields: Record<string, string>): Promise<T> {
  const body = new URLSearchParams({ key: of.demo.customer.apiKey, ...fields });
  return (await (await fetch(`${of.url}/api/v2`, { method: "POST", body })).json()) as T;
}
