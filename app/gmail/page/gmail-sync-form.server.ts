import type { AppLoadContext } from "@remix-run/cloudflare";
import { z } from "zod";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { disconnect } from "#app/gmail/mailbox/mailbox.server.ts";
import { MAX_MESSAGES, syncMailbox } from "#app/gmail/sync/sync-mailbox.server.ts";
import { setAutoSync } from "#app/gmail/sync/sync-schedule.server.ts";
import { wakeForDueMailboxes } from "#app/gmail/sync/wake-gmail-dispatcher.server.ts";
import { GoogleAway } from "#app/gmail/tokens/google-oauth.server.ts";
import type { MailboxOwner } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { logError, runLogged } from "#app/http/log.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { syncMessage } from "./sync-message.ts";

const DISCONNECT_FAILED = "We couldn't reach Google, so nothing was disconnected. Please try again in a minute.";

const gmailInput = z.discriminatedUnion("intent", [
  z.object({ intent: z.literal("auto-sync"), on: z.enum(["0", "1"]) }),
  z.object({ intent: z.literal("disconnect") }),
  z.object({ intent: z.literal("sync") }),
]);

/** `message` is shown as a toast after a redirect; null shows none. */
type GmailFormOutcome =
  | { kind: "done"; message: string | null }
  | { kind: "shown"; status: number; result: FormResult };

/** Handles the forms of the Gmail page, which also work without scripts. Returns null for an invalid form. */
export async function submitGmailForm(
  { db, env, requestId, waitUntil }: AppLoadContext,
  owner: MailboxOwner,
  form: FormData,
): Promise<GmailFormOutcome | null> {
  const parsed = parseForm(form, gmailInput);
  if (!parsed.ok) return null;
  switch (parsed.input.intent) {
    case "auto-sync":
      await setAutoSync(db, owner, parsed.input.on === "1");
      waitUntil(runLogged("dispatcher not woken", {}, () => wakeForDueMailboxes(db, env)));
      return { kind: "done", message: null };
    case "disconnect":
      try {
        await disconnect(db, env, owner);
      } catch (error) {
        if (!(error instanceof GoogleAway)) throw error;
        logError("gmail not disconnected", error, { request_id: requestId });
        return { kind: "shown", status: 503, result: parsed.refuse({ message: DISCONNECT_FAILED }) };
      }
      return { kind: "done", message: "Gmail disconnected." };
    case "sync": {
      const result = await syncMailbox(db, env, owner, { type: "initial", maxMessages: MAX_MESSAGES });
      return { kind: "done", message: result.ok ? syncMessage(result) : result.text };
    }
  }
}
