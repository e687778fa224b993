import type { QuarantineDecision, QuarantineReason } from "#app/db/schema.server.ts";

/** The figures that a decision about a waiting change is made by, as its row shows them. Rates in micro-units. */
export type ShownFigures = {
  cost: number | null;
  rateByRule: number | null;
  rate: number;
  min: number;
  max: number;
};

/** A change that was left alone, because another one than the shown one waits, or none. */
export type LeftChange = {
  serviceId: number;
  name: string;
  shown: ShownFigures;
  /** The change that waits by now. */
  now: (ShownFigures & { reason: QuarantineReason }) | null;
  /** How the shown change ended, if it did. */
  decision: QuarantineDecision | null;
};

/** A row's key: what it is about, a digest of all of it, and its figures, which name it after it is no more. */
export type ChangeKey = { serviceId: number; findingId: number; digest: string; shown: ShownFigures };

const FIGURES = ["cost", "rateByRule", "rate", "min", "max"] as const satisfies (keyof ShownFigures)[];

export function writeChangeKey({ serviceId, findingId, digest, shown }: ChangeKey): string {
  return [serviceId, findingId, digest, ...FIGURES.map((name) => shown[name] ?? "")].join("-");
}

/** Returns null if the text is no key. */
export function readChangeKey(text: string): ChangeKey | null {
  const [serviceId, findingId, digest, ...figures] = text.split("-");
  if (![serviceId, findingId].every(isWhole) || digest === undefined || figures.length !== FIGURES.length) return null;
  if (!figures.every((figure) => figure === "" || isWhole(figure))) return null;
  const [cost, rateByRule, rate, min, max] = figures.map((figure) => (figure === "" ? null : Number(figure)));
  const shown = { cost: cost ?? null, rateByRule: rateByRule ?? null, rate: rate ?? 0, min: min ?? 0, max: max ?? 0 };
  return { serviceId: Number(serviceId), findingId: Number(findingId), digest, shown };
}

function isWhole(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,16}$/.test(text);
}
