import { CODES } from "../scripts/plan-top-ups.ts";
import { HOUR, MINUTE } from "../scripts/simulated-durations.ts";
import type { CodeAttempt, CodeWorld } from "../world/customers/code-world.ts";
import type { Violation } from "./violation.ts";

/** Attempts an hour, wrong ones and right ones (docs/security.md). */
const PER_ACCOUNT = 10;
const PER_ADDRESS = 60;
/** The clock moves in steps, and a window may end within one. */
const CLOCK_STEP = 6 * MINUTE;

/** A code credits what it promises and nobody else, says why it doesn't, and can't be guessed. */
export function judgeCodes({ redemptions, attempts, ended }: CodeWorld): Violation[] {
  const violations: Violation[] = [];
  const broken = (rule: string, subject: string, world: unknown, product: unknown) =>
    violations.push({ rule, subject, world, product });
  for (const [code, { maxUses }] of CODES.entries()) {
    const uses = redemptions.filter((redemption) => redemption.code === code && redemption.isCredited);
    if (uses.length > maxUses) broken("a code is redeemed no more often than it allows", `code ${code}`, maxUses, uses);
    const isUsedUp = uses.length === maxUses;
    const end = ended.find((one) => one.code === code);
    for (const attempt of attempts.filter((one) => one.code === code)) {
      if (attempt.outcome === "credited" && end && attempt.from > end.to) {
        broken("an ended code credits nobody", `code ${code}`, end, attempt);
      }
      const isTrue =
        attempt.outcome === "unknown"
          ? false
          : attempt.outcome === "used up"
            ? isUsedUp
            : attempt.outcome !== "expired" && attempt.outcome !== "disabled"
              ? true
              : end?.by === attempt.outcome && attempt.to >= end.from;
      if (!isTrue) broken("a refused code is refused for a true reason", `code ${code}`, { end, uses }, attempt);
    }
  }
  for (const redemption of redemptions) {
    if (redemption.isCredited === null && redemption.responses.length > 0) {
      broken("a code is credited or refused", `code ${redemption.code}`, redemption, null);
    }
  }
  for (const [who, own] of Map.groupBy(attempts, ({ customer }) => `customer ${customer}`)) {
    for (const window of excessesOf(own, PER_ACCOUNT))
      broken("an account tries few codes an hour", who, PER_ACCOUNT, window);
  }
  for (const [who, own] of Map.groupBy(attempts, ({ address }) => address)) {
    for (const window of excessesOf(own, PER_ADDRESS))
      broken("an address tries few codes an hour", who, PER_ADDRESS, window);
  }
  for (const attempt of attempts.filter(({ outcome }) => outcome === "limited")) {
    const recent = attempts.filter(({ at, from }) => at > attempt.at - HOUR - CLOCK_STEP && from <= attempt.to);
    const byAccount = recent.filter(({ customer }) => customer === attempt.customer).length;
    const byAddress = recent.filter(({ address }) => address === attempt.address).length;
    if (byAccount <= PER_ACCOUNT && byAddress <= PER_ADDRESS) {
      broken(
        "nobody is locked out by fewer attempts",
        `customer ${attempt.customer}`,
        { byAccount, byAddress },
        attempt,
      );
    }
  }
  return violations;
}

/**
 * Returns the hours in which more attempts were let through. It judges only hours that surely begin a new count, because
 * nothing was tried in the two before and the first response arrived.
 */
function excessesOf(attempts: CodeAttempt[], atMost: number): { from: number; allowed: number }[] {
  return attempts.flatMap((first, index) => {
    const isBeginning = attempts.every(({ at }, other) => other >= index || at < first.at - 2 * HOUR);
    if (!isBeginning || first.outcome === "unclear") return [];
    const allowed = attempts.filter(
      ({ at, outcome }) =>
        at >= first.at && at < first.at + HOUR - CLOCK_STEP && outcome !== "limited" && outcome !== "unclear",
    ).length;
    return allowed > atMost ? [{ from: first.at, allowed }] : [];
  });
}
