import * as v from "valibot";
import { forgetDraft, readDraft, writeDraft } from "#app/components/forms/use-draft.ts";
import { browserStorage } from "#app/components/storage/browser-storage.ts";
import { cleanMessage, isBlank } from "#app/http/clean-text.ts";
import { parseJsonAs } from "#app/support/protocol/frames.ts";
import { randomHex } from "#app/support/protocol/random-hex.ts";
import { START_DRAFT } from "#app/support/protocol/session-id.ts";
import { openOutbox } from "./message-outbox.ts";

/** The message that a visitor writes before there is a conversation to send it to. Kept in the tab, as drafts are. */

const FIRST_DRAFT = "support-first";

const form = v.object({ message: v.string() });
const first = v.object({ clientId: v.string(), body: v.string(), createdAt: v.number() });

/**
 * Notes what to send once the conversation has started. Before the start, which may succeed although its response is lost
 * with the page. A blank one forgets what was noted.
 */
export function noteFirstMessage(text: string): void {
  const body = cleanMessage(text.toWellFormed());
  const noted = { clientId: randomHex(), body, createdAt: Date.now() };
  writeDraft(FIRST_DRAFT, isBlank(body) ? "" : JSON.stringify(noted));
}

/**
 * Puts the noted message among the unsent ones of the conversation, under one client id however often this runs. One that
 * was typed but not sent, because another tab has started the conversation, goes into the message field.
 */
export function sendFirstMessage(sessionId: string): void {
  const noted = parseJsonAs(first, readDraft(FIRST_DRAFT) ?? "");
  const typed = parseJsonAs(form, readDraft(START_DRAFT) ?? "");
  const draft = `support:${sessionId}`;
  if (noted) openOutbox(browserStorage, sessionId).add({ ...noted, state: "sending" });
  else if (typed && readDraft(draft) === null) writeDraft(draft, typed.message);
  for (const key of [FIRST_DRAFT, START_DRAFT]) forgetDraft(key);
}
