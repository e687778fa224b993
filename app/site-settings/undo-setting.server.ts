import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Actor, AuditEntry } from "#app/db/audit.server.ts";
import {
  announcementAuditText,
  deleteAnnouncement,
  isShowable,
  readAnnouncement,
  readAnnouncementTexts,
  saveAnnouncement,
} from "#app/db/settings/announcements.server.ts";
import { listSettings, saveSetting } from "#app/db/settings/settings-store.server.ts";
import { SETTING_NAMES, type SettingName, settingOf } from "#app/db/settings/site-settings.ts";
import { sendQueuedSoon } from "#app/email/queue-email.server.ts";
import {
  compareFields,
  neverUndone,
  onlyPlanned,
  type PreparedUndo,
  preparedUndo,
  type Undone,
} from "#app/http/edits/undo-plan.ts";
import { ownValue } from "#app/own-value.ts";
import { ANNOUNCEMENT_WORDS } from "#app/words/announcement-words.ts";
import { labelInSentence, valueInSentence } from "#app/words/field-words.ts";
import { alertAddressNotices } from "./alert-address-notice.server.ts";

type Context = Pick<AppLoadContext, "db" | "env" | "waitUntil">;

const CHANGED: Undone = { ok: false, message: "Someone else changed this meanwhile. Nothing was undone." };
const MAINTENANCE = /^(on|off)(?:: (.*))?$/s;

/** Returns how to undo a change of a setting or an announcement, or null for another kind of entry. */
export async function prepareSettingUndo(context: Context, entry: AuditEntry): Promise<PreparedUndo<Actor> | null> {
  switch (entry.action) {
    case "setting.change":
      return undoSetting(context, entry);
    case "announcement.create":
    case "announcement.change":
    case "announcement.delete":
      return undoAnnouncement(context, entry);
    default:
      return null;
  }
}

async function undoSetting(context: Context, entry: AuditEntry): Promise<PreparedUndo<Actor>> {
  const { db, env } = context;
  const name = SETTING_NAMES.find((known) => known === entry.subjectId);
  const current = (await listSettings(db, env)).find((one) => one.name === name);
  if (name === undefined || current === undefined) return neverUndone("There is no such setting any more.");
  const setting = settingOf(name);
  const words = { label: () => setting.title, text: (_: string, value: unknown) => shownText(name, String(value)) };
  const { back, ...compared } = compareFields(entry.detail, { [name]: setting.text(current.value) }, words);
  const { version } = current;
  const value = setting.value.safeParse(storedValue(name, String(ownValue(back, name) ?? "")));
  if (Object.hasOwn(back, name) && !value.success)
    return neverUndone("The previous value is outside the current limits.");
  return preparedUndo({ ...compared, version }, async (by: Actor) => {
    const notices = (before: unknown) => alertAddressNotices(db, env, by, before as string[], value.data as string[]);
    const alongside = name === "alert_emails" ? notices : undefined;
    const saved = await saveSetting(db, env, by, { name, value: value.data, version }, alongside);
    if (saved.ok && alongside) sendQueuedSoon(context);
    return saved.ok ? { ok: true } : CHANGED;
  });
}

/** Reads the text that the log has of a value. */
function storedValue(name: SettingName, text: string): unknown {
  if (name !== "maintenance") return settingOf(name).parse(text, false);
  const [, state, shown = ""] = MAINTENANCE.exec(text) ?? [];
  return { on: state === "on", text: shown };
}

function shownText(name: SettingName, text: string): string {
  return ownValue(settingOf(name).choices, text) ?? (text || "empty");
}

async function undoAnnouncement({ db }: Context, entry: AuditEntry): Promise<PreparedUndo<Actor>> {
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
