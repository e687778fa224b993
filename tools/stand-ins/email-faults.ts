import type { ServerResponse } from "node:http";

/**
 * Faults of the email API, chosen by the start of the recipient's address: "down.x@test.example". Those that pass happen
 * at the first attempt of an email only.
 */
export const EMAIL_FAULTS = ["busy", "down", "refused", "invalid", "locked", "cut", "hang"] as const;
export type EmailFault = (typeof EMAIL_FAULTS)[number];

/** Returns a new address at which the email API behaves like that. */
export function faultyAddress(fault: EmailFault): string {
  return `${fault}.${crypto.randomUUID()}@test.example`;
}

export function faultOf(recipient: string): EmailFault | null {
  const [start] = recipient.split(".");
  return EMAIL_FAULTS.find((fault) => fault === start) ?? null;
}

/** Responds to an attempt as the fault says. Returns false if this attempt is to succeed. `accept` keeps the email. */
export function respondWithFault(
  fault: EmailFault,
  attempt: number,
  response: ServerResponse,
  accept: () => void,
): boolean {
  const respond = (statusCode: number, name: string, message: string, headers: Record<string, string> = {}) => {
    response.writeHead(statusCode, { "Content-Type": "application/json", ...headers });
    response.end(JSON.stringify({ statusCode, name, message }));
    return true;
  };
  switch (fault) {
    case "refused":
      return respond(422, "validation_error", "Invalid `to` field. The address is not a mailbox.");
    case "invalid":
      return respond(422, "validation_error", "Invalid `html` field.");
    case "locked":
      return respond(403, "invalid_api_key", "API key is invalid.");
  }
  if (attempt > 1) return false;
  switch (fault) {
    case "busy":
      return respond(429, "rate_limit_exceeded", "Too many requests.", { "Retry-After": "1" });
    case "down":
      return respond(503, "service_unavailable", "Try again later.");
    case "cut":
      accept();
      response.destroy();
      return true;
    case "hang":
      return true;
    default:
      return fault satisfies never;
  }
}
