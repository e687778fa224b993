/**
 * The faults of the sandbox provider, by the value of `?sandbox=` in an order's link. The README points here; the demo and
 * the tests take their links from `sandboxLink`.
 */
export const SANDBOX_FAULTS = {
  refuse: "rejects the order with an error",
  "500": "returns HTTP 500 instead of accepting the order",
  "429": "returns HTTP 429 with an error instead of accepting the order",
  wait: "returns HTTP 429 with Retry-After, one minute",
  mute: "accepts the order, but never responds",
  funds: "rejects the order because we have no funds there",
  key: "rejects the order because of our key",
  vague: "rejects the order with an error that says nothing",
  zero: "accepts the order as number 0",
  same: "accepts every such order as number 1000000007",
  huge: "responds with 50 MB",
  html: "returns a web page instead of JSON",
  delay: "accepts the order, but responds late",
  drop: "accepts the order, but cuts the connection before the response",
  partial: "reports the order as Partial, with half of it undelivered",
  cancelled: "reports the order as Cancelled, in British spelling",
  unbegun: "reports the order as Canceled before it began: nothing remains, no charge",
  silent: "reports the order as Canceled, without remains or charge",
  active: "reports the order as Active",
  expired: "reports a subscription as Expired after two posts",
  failed: "reports the order as Fail, with nothing delivered",
  missing: "reports an error for the order's id",
  spoiling: "refuses every status call that names the order",
  decimals: "reports the order as Partial, with decimals and a comma in its remains",
  wordy: "reports remains that are not a number",
  strange: "reports an unknown status",
  still: "never starts delivering",
  quick: "reports the order as Pending when first asked, and as Completed from then on; completes a refill at once",
  drain: "charges all of our funds but 1.00 for the order",
  fill: "adds a hundred million to our funds",
  hang: "never starts delivering, and never responds to a cancellation",
} as const;

export type SandboxFault = keyof typeof SANDBOX_FAULTS;

/** Returns a link whose order gets the fault, or a link without one. `name` makes links different. */
export function sandboxLink(fault: SandboxFault | null, name: string | number = 1): string {
  const link = `https://instagram.com/p/${name}`;
  return fault === null ? link : `${link}?sandbox=${fault}`;
}

/** Returns the fault that an order's link asks for. */
export function faultOf(link: string): SandboxFault | null {
  const fault = URL.canParse(link) ? new URL(link).searchParams.get("sandbox") : null;
  return fault !== null && isFault(fault) ? fault : null;
}

function isFault(fault: string): fault is SandboxFault {
  return Object.hasOwn(SANDBOX_FAULTS, fault);
}
