import { ownValue } from "#app/own-value.ts";
/** A field that undoing sets back. Texts, as a person reads them. */
export type UndoChange = { label: string; now: string; to: string };
/** Something that stays as it is, and why. */
export type UndoLeft = { label: string; why: string };

/** Effect that undoing an entry of the audit log would have now. */
export type UndoPlan =
  | {
      kind: "ready";
      changes: UndoChange[];
      left: UndoLeft[];
      /** The row that is changed, as it was read: a plan of another version is another plan. */
      version: string;
      /** A service would sell below cost, which somebody has to agree to. */
      asksForLoss: boolean;
    }
  /** Nothing of it is as the entry left it. */
  | { kind: "nothing"; left: UndoLeft[] }
  /** It is undone by a form of another page. */
  | { kind: "elsewhere"; to: string; link: string; why: string }
  | { kind: "never"; why: string };

export type Undone = { ok: true } | { ok: false; message: string };

/** A plan with what carries it out. `By`: who does, and which entry they undo. */
export type PreparedUndo<By> = {
  plan: UndoPlan;
  run: (by: By, agreed: { toLoss: boolean }) => Promise<Undone>;
};

/** Undoing that changes nothing here: the plan says why. */
export function onlyPlanned(plan: Exclude<UndoPlan, { kind: "ready" }>): PreparedUndo<unknown> {
  return { plan, run: async () => ({ ok: false, message: "This can't be undone here." }) };
}

export const neverUndone = (why: string) => onlyPlanned({ kind: "never", why });

/** Returns a plan, or that there is nothing to do. */
export function preparedUndo<By>(
  {
    changes,
    left,
    version,
    asksForLoss = false,
  }: { changes: UndoChange[]; left: UndoLeft[]; version: number | string; asksForLoss?: boolean },
  run: PreparedUndo<By>["run"],
): PreparedUndo<By> {
  if (changes.length === 0) return onlyPlanned({ kind: "nothing", left });
  return { plan: { kind: "ready", changes, left, version: String(version), asksForLoss }, run };
}

/** A change of fields, as [before, after], compared with what the fields are now. */
export type ComparedFields = { back: Record<string, unknown>; changes: UndoChange[]; left: UndoLeft[] };

/**
 * Compares what an entry changed with what is there now. A field that still has the value from after the change is set
 * back; one that has another value by now stays, and is named.
 */
export function compareFields(
  detail: Record<string, unknown>,
  current: Record<string, unknown>,
  words: { label: (name: string) => string; text: (name: string, value: unknown) => string },
): ComparedFields {
  const compared: ComparedFields = { back: {}, changes: [], left: [] };
  for (const [name, pair] of Object.entries(detail)) {
    if (!Array.isArray(pair) || pair.length !== 2 || !Object.hasOwn(current, name)) continue;
    const [before, after]: unknown[] = pair;
    const [label, now] = [words.label(name), words.text(name, ownValue(current, name))];
    if (isSame(ownValue(current, name), after)) {
      compared.back[name] = before;
      compared.changes.push({ label, now, to: words.text(name, before) });
    } else {
      compared.left.push({ label, why: `changed since: it is ${now} now` });
    }
  }
  return compared;
}

/** A text that is empty was never stored by some writers. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || ((one ?? "") === "" && (other ?? "") === "");
}
