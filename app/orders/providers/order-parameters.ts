import type { LearnedDialect } from "#app/db/schema.server.ts";
import type { Convention } from "./conventions/convention.ts";
import { soundsDone } from "./reading/error-texts.ts";
import { missingParameter } from "./reading/missing-parameter.ts";

type Speaker = { convention: Convention; dialect: LearnedDialect };

/** Returns the parameter that names the order in a refill or cancellation, as the provider takes it. */
export function orderParameter({ convention, dialect }: Speaker, call: "refill" | "cancel"): string {
  return parametersOf(convention, call)[dialect[call] ?? USUAL[call]];
}

/** How most panels take it. */
const USUAL = { refill: "one", cancel: "many" } as const;

/**
 * Returns what a refusal of a refill or cancellation shows: it names another parameter as missing, so nothing was done, and
 * the call may be sent again with that one. Null if it shows nothing.
 */
export function learnedFromRefusal(speaker: Speaker, call: "refill" | "cancel", error: string): LearnedDialect | null {
  if (soundsDone(error)) return null;
  const sent = orderParameter(speaker, call);
  const others = Object.entries(parametersOf(speaker.convention, call)).filter(([, name]) => name !== sent);
  const missing = missingParameter(error, [...others.map(([, name]) => name), sent]);
  const way = missing === sent ? undefined : others.find(([, name]) => name === missing)?.[0];
  return way === undefined ? null : { [call]: way };
}

/** The parameters by which panels take an order. Some want a refill's order as "refill". */
function parametersOf({ calls }: Convention, call: "refill" | "cancel"): Record<"one" | "many" | "refill", string> {
  const { action, one = "", many = one } = calls[call];
  return { one, many, refill: call === "refill" ? (calls.refill_status.one ?? action) : one };
}
