import type { Actor, AuditEntry } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  compareFields,
  neverUndone,
  onlyPlanned,
  type PreparedUndo,
  preparedUndo,
  type Undone,
} from "#app/http/edits/undo-plan.ts";
import { ownValue } from "#app/own-value.ts";
import { labelInSentence } from "#app/words/field-words.ts";
import { REPLY_WORDS } from "#app/words/reply-words.ts";
import { deleteReply, readReply, replyAuditTexts, replyInput, saveReply } from "./saved-replies.server.ts";

const REFUSALS = {
  taken: "Another reply uses this shortcut by now.",
  not_found: "This reply was deleted meanwhile.",
  full: "There are 5,000 saved replies, the most there can be.",
  stale: "Someone else changed this reply meanwhile. Nothing was undone.",
};
const STALE: Undone = { ok: false, message: REFUSALS.stale };
const label = "reply";

/** Returns how to undo a change of a saved reply, or null for another kind of entry. */
export async function prepareReplyUndo(db: Db, entry: AuditEntry): Promise<PreparedUndo<Actor> | null> {
  switch (entry.action) {
    case "reply.create":
    case "reply.change":
      return undoEdit(db, entry);
    case "reply.delete":
      return undoDeletion(db, entry);
    default:
      return null;
  }
}

async function undoEdit(db: Db, { action, subjectId, detail }: AuditEntry): Promise<PreparedUndo<Actor>> {
  const id = Number(subjectId);
  const reply = await readReply(db, id);
  if (!reply) return onlyPlanned({ kind: "nothing", left: [{ label, why: "it was deleted since" }] });
  const { version } = reply;
  const current = replyAuditTexts(reply);
  if (action === "reply.create") {
    // The entry has no field that was empty.
    const created = textsIn(detail, 1);
    const isSame = Object.entries(current).every(([name, text]) => (ownValue(created, name) ?? "") === text);
    const changes = isSame ? [{ label, now: `/${reply.shortcut}`, to: "deleted" }] : [];
    const left = isSame ? [] : [{ label, why: "changed since. Delete it on its page" }];
    return preparedUndo({ changes, left, version }, async (by: Actor) =>
      (await deleteReply(db, { id, version }, by)) ? { ok: true } : STALE,
    );
  }
  const words = {
    label: (name: string) => labelInSentence(REPLY_WORDS, name),
    text: (_: string, value: unknown) => (value ? String(value) : "none"),
  };
  const { back, ...compared } = compareFields(detail, current, words);
  const input = readTexts({ ...current, ...back });
  if (input === null) return neverUndone("What it was before doesn't go together with what was changed since.");
  return preparedUndo({ ...compared, version }, async (by: Actor) =>
    saved(await saveReply(db, { id, version }, input, by)),
  );
}

async function undoDeletion(db: Db, { detail }: AuditEntry): Promise<PreparedUndo<Actor>> {
  const input = readTexts(textsIn(detail, 0));
  if (input === null) return neverUndone("The entry doesn't say what the reply was.");
  const changes = [{ label, now: "deleted", to: `/${input.shortcut}, as a new one` }];
  return preparedUndo({ changes, left: [], version: 0 }, async (by: Actor) =>
    saved(await saveReply(db, null, input, by)),
  );
}

/** Returns one side of each change in an entry. */
function textsIn(detail: Record<string, unknown>, side: 0 | 1): Record<string, string> {
  return Object.fromEntries(
    Object.entries(detail).flatMap(([name, pair]) => {
      const text: unknown = Array.isArray(pair) ? pair[side] : null;
      return typeof text === "string" ? [[name, text]] : [];
    }),
  );
}

/** Reads what the log has of a reply, by the rules of the form. Returns null if they refuse it. */
function readTexts({ shortcut, body = "", addsTags, assignsTo, addsNote, next }: Record<string, unknown>) {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const fields = { shortcut: text(shortcut), body: text(body), tags: text(addsTags), assignTo: text(assignsTo) };
  const read = replyInput.safeParse({ ...fields, note: text(addsNote), next: text(next) });
  return read.success ? read.data : null;
}

function saved(result: Awaited<ReturnType<typeof saveReply>>): Undone {
  return result.ok ? { ok: true } : { ok: false, message: REFUSALS[result.reason] };
}
