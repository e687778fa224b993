import type { ServerResponse } from "node:http";
import { HANGS } from "../../product/hanging-response.ts";

/** How long a slow response takes, in real ms. */
export const SLOW_MS = 150;

/** Never responds, as the product sees it (product/simulated-network.ts). */
export function hang(response: ServerResponse): void {
  response.writeHead(200, { [HANGS]: "1" }).end();
}
