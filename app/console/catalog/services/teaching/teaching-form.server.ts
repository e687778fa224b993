import { z } from "zod";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import { rowId } from "#app/console/staff-fields.server.ts";
import { cutText } from "#app/cut-text.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { TAUGHT_KINDS } from "#app/db/schema.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import type { RulePreview, Speaker } from "./rule-preview.server.ts";
import {
  type AskedRule,
  applyToRest,
  previewUnread,
  type TeachRefusal,
  teachWord,
  undoWord,
} from "./taught-words.server.ts";
import { APPLY_WORD, PREVIEW_WORD, TEACH_WORD, UNDO_WORD } from "./teaching-intents.ts";

export type TeachingResult = FormResult & { rule?: RulePreview };

const digest = z.string().max(64);
const meaning = z.string().min(1, "Choose what it means").max(40);
const asked = { kind: z.enum(TAUGHT_KINDS), key: z.string().min(1).max(300), meaning };
const askedRule = z.object(asked);
const agreedRule = z.object({ ...asked, digest });
const triedWord = z.object({ word: rowId, digest });
const taughtWord = z.object({ word: rowId });

const REFUSALS: Record<TeachRefusal, string> = {
  gone: "This was taught meanwhile, or it isn't listed anymore. Nothing was saved.",
  changed: "What it would do has changed since your preview, so nothing was saved. Check the new preview.",
  too_many: "This provider has 500 taught words. Undo some that it no longer uses.",
};
const APPLY_REFUSALS = {
  gone: "Someone else applied or undid this meanwhile. Nothing was changed.",
  not_tried: "The order that it's tried on hasn't been asked about since. Wait a few minutes.",
  changed: "What it would do has changed since you saw it, so nothing was changed. Check what it does now.",
};
const ALREADY_UNDONE = "Someone else undid this meanwhile.";
const UNDONE = "It's unknown from now on. Orders that it ended stay ended, and refunded money stays refunded.";

/**
 * Handles the forms that teach a provider's words. Returns null for an unknown form. `requireProof` throws without a recent
 * proof of who the person is, and is called before a large rule is stored.
 */
export async function submitTeachingForm(
  db: Db,
  actor: Actor,
  provider: Speaker,
  form: FormData,
  requireProof: () => void,
): Promise<FormOutcome<TeachingResult> | null> {
  const intent = String(form.get("intent"));
  switch (intent) {
    case PREVIEW_WORD: {
      const parsed = parseForm(form, askedRule);
      if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
      const rule = await previewUnread(db, provider, parsed.input);
      if (!rule) return refused(intent, parsed.input, REFUSALS.gone, null);
      return { kind: "shown", status: 200, result: { intent, ok: true, values: parsed.input, rule } };
    }
    case TEACH_WORD: {
      const parsed = parseForm(form, agreedRule);
      if (!parsed.ok) return null;
      const taught = await teachWord(db, actor, provider, parsed.input, requireProof);
      if (!taught.ok) return refused(intent, parsed.input, REFUSALS[taught.reason], taught.preview);
      const { rule, onlyOrderId } = taught;
      const where = onlyOrderId === null ? "It holds from the next answer on." : `It's tried on order ${onlyOrderId}.`;
      return { kind: "done", message: `“${shortened(rule.word)}” taught. ${where}` };
    }
    case APPLY_WORD: {
      const parsed = parseForm(form, triedWord);
      if (!parsed.ok) return null;
      const { word: wordId, digest } = parsed.input;
      const applied = await applyToRest(db, actor, provider, { wordId, digest });
      if (applied.ok) return { kind: "done", message: `“${shortened(applied.word)}” holds for all orders.` };
      return { kind: "shown", status: 409, result: { intent, ok: false, message: APPLY_REFUSALS[applied.reason] } };
    }
    case UNDO_WORD: {
      const parsed = parseForm(form, taughtWord);
      if (!parsed.ok) return null;
      const undone = await undoWord(db, actor, provider.id, parsed.input.word);
      if (undone.ok) return { kind: "done", message: `“${shortened(undone.word)}” undone. ${UNDONE}` };
      return { kind: "shown", status: 409, result: { intent, ok: false, message: ALREADY_UNDONE } };
    }
    default:
      return null;
  }
}

function refused(
  intent: string,
  { kind, key, meaning }: AskedRule,
  message: string,
  rule: RulePreview | null,
): FormOutcome<TeachingResult> {
  const result = { intent, ok: false, message, values: { kind, key, meaning }, ...(rule && { rule }) };
  return { kind: "shown", status: 409, result };
}

const TOLD = 60;

function shortened(word: string): string {
  return word.length > TOLD ? `${cutText(word, TOLD)}…` : word;
}
