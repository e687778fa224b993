import type { LogLine } from "../product/simulated-product.ts";
import type { Violation } from "./violation.ts";

/** Lines at level error that a fault of the script explains. */
const EXPLAINED = [
  // The world's own database faults.
  /D1_ERROR: Network connection lost/,
  // The world's databases stand still.
  /the database is unavailable|no answer within \d+ ms/,
  // A kill, or a client that hung up.
  /Network connection lost|connection was lost|The client disconnected/i,
  // The alert that a provider refuses our key or has none of our funds.
  /"message":"provider paused"/,
  // Stripe refused to open a checkout, or a customer paid in euros.
  /"message":"stripe: (checkout not opened|payment held for review)/,
  // The alert that the world's email API refuses everything.
  /"message":"the email API takes no emails"/,
  // Google does not respond.
  /"message":"gmail (connection failed|not disconnected|connection not started)".*GoogleAway/,
  /uncaught exception; source = ".*workerd/,
];

/** An error in the log that no fault explains is a failure that nobody has looked at. */
export function judgeLog(lines: LogLine[]): Violation[] {
  const seen = new Map<string, { count: number; text: string }>();
  for (const { level, message, text } of lines) {
    if (level !== "error" || EXPLAINED.some((pattern) => pattern.test(text))) continue;
    const known = seen.get(message);
    seen.set(message, { count: (known?.count ?? 0) + 1, text: known?.text ?? text.slice(0, 1000) });
  }
  return [...seen].map(([message, { count, text }]) => ({
    rule: "no error is logged without a cause",
    subject: message.slice(0, 200),
    world: null,
    product: { count, first: text },
  }));
}
