import type { Site, Trouble } from "../world/site.ts";
import type { Violation } from "./violation.ts";

/** A fault of the script explains a lost or failed request, and nothing else. */
const EXPLAINED_BY_FAULTS = ["a request gets a response", "no request fails"];

export function judgeResponses({ bad }: Site, troubles: Trouble[]): Violation[] {
  return bad
    .filter(({ rule, from, to }) => {
      const isInTrouble = troubles.some((trouble) => trouble.from <= to && from <= trouble.to);
      return !(isInTrouble && EXPLAINED_BY_FAULTS.includes(rule));
    })
    .map(({ rule, request, detail }) => ({ rule, subject: request, world: null, product: detail }));
}
