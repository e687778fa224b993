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
import {
  announcementAuditText,
  deleteAnnouncement,
  isShowable,
  readAnnouncement,
  readAnnouncementTexts,
  saveAnnouncement,
} from "#app/settings/announcements.server.ts";
import { ANNOUNCEMENT_WORDS } from "#app/words/announcement-words.ts";
import { labelInSentence, valueInSentence } from "#app/words/field-words.ts";

const CHANGED: Undone = { ok: false, message: "Someone else changed this meanwhile. Nothing was undone." };

/** Returns how to undo that an announcement was created, changed or deleted. */
export async function undoAnnouncement(db: Db, entry: AuditEntry): Promise<PreparedUndo<Actor>> {
  const label = "announcement";
  const { undoes: _, ...texts } = entry.detail;
  if (entry.action === "announcement.delete") {
    const input = readAnnouncementTexts(texts);
    if (input === null) return neverUndone("The entry doesn't say what the announcement was.");
    if (input.endsAt <= Date.now()) return neverUndone("It would have ended by now.");
    const changes = [{ label, now: "deleted", to: `“${input.body}”, as a new one` }];
    return preparedUndo({ changes, left: [], version: 0 }, async (by: Actor) =>
      (await saveAnnouncement(db, by, input, null)) ? { ok: true } : CHANGED,
    );
  }
  const id = Number(entry.subjectId.replace("announcement ", ""));
  const found = await readAnnouncement(db, id);
  if (!found) return onlyPlanned({ kind: "nothing", left: [{ label, why: "it was deleted since" }] });
  const current = announcementAuditText(found);
  const { version } = found;
  if (entry.action === "announcement.create") {
    const isSame = Object.entries(current).every(([name, text]) => ownValue(texts, name) === text);
    const changes = isSame ? [{ label, now: `“${found.body}”`, to: "deleted" }] : [];
    const left = isSame ? [] : [{ label, why: "changed since. Delete it on its page" }];
    return preparedUndo({ changes, left, version }, async (by: Actor) =>
      (await deleteAnnouncement(db, by, { id, version })) ? { ok: true } : CHANGED,
    );
  }
  const words = {
    label: (name: string) => labelInSentence(ANNOUNCEMENT_WORDS, name),
    text: (name: string, value: unknown) => valueInSentence(ANNOUNCEMENT_WORDS, name, String(value)) || "none",
  };
  const { back, ...compared } = compareFields(texts, current, words);
  const input = readAnnouncementTexts({ ...current, ...back });
  // What is set back and what stays may not go together: a link without its text, an end before the start.
  if (input === null || !isShowable(input)) {
    return neverUndone("What it was before doesn't go together with what was changed since. Change it on its page.");
  }
  return preparedUndo({ ...compared, version }, async (by: Actor) =>
    (await saveAnnouncement(db, by, input, { id, version })) ? { ok: true } : CHANGED,
  );
}
