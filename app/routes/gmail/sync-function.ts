import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { z } from "zod";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { limitSyncs, readGmailCaller } from "#app/gmail/connect/gmail-caller.server.ts";
import { syncMessage } from "#app/gmail/page/sync-message.ts";
import { MAX_MESSAGES, SYNC_TEXTS, type SyncResult, syncMailbox } from "#app/gmail/sync/sync-mailbox.server.ts";
import { ZERO_USER_ID } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { bearerToken } from "#app/http/requests/bearer-token.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { SESSION_ENDED } from "#app/http/responses/session-ended.ts";

const input = z.object({
  userId: z.string().regex(/^[\w-]{22,64}$/),
  syncType: z.enum(["initial", "incremental", "full"]).default("initial"),
  maxMessages: z.number().int().min(1).max(MAX_MESSAGES).default(MAX_MESSAGES),
});

const STATUS = { not_connected: 409, busy: 409, reconnect: 409, later: 503, broken: 502 } satisfies Record<
  (SyncResult & { ok: false })["reason"],
  number
>;

/** {userId, syncType, maxMessages} → {message, read, removed, total, finished}, or {error, reason}. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const parsed = input.safeParse(await readJsonBody(request));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return Response.json({ error: `${issue?.path.join(".") || "The body"}: ${issue?.message}` }, { status: 400 });
  }
  const { userId, syncType, maxMessages } = parsed.data;
  const viewer = await readViewer(request, context);
  if (!viewer && bearerToken(request)) {
    return Response.json({ error: SESSION_ENDED }, { status: 401 });
  }
  const { owner, headers } = await readGmailCaller({ request, context }, viewer?.userId ?? null);
  if (userId !== (viewer?.userId ?? ZERO_USER_ID)) {
    return Response.json({ error: "This is not your user id." }, { status: 403, headers });
  }
  if (!owner) return refuse("not_connected", SYNC_TEXTS.not_connected, headers);
  const allowed = await limitSyncs({ context }, owner);
  if (!allowed.ok) {
    headers.set("Retry-After", String(allowed.retryAfterSeconds));
    return Response.json({ error: "Too many syncs. Please try again in a minute." }, { status: 429, headers });
  }
  const work = syncMailbox(context.db, context.env, owner, { type: syncType, maxMessages });
  // The sync finishes even if the page is closed.
  context.waitUntil(work.catch(() => {}));
  const result = await work;
  if (!result.ok) return refuse(result.reason, result.text, headers);
  const { read, removed, total, finished } = result;
  return Response.json({ message: syncMessage(result), read, removed, total, finished }, { headers });
}

export const loader = allowPostOnly;

function refuse(reason: keyof typeof STATUS, error: string, headers: Headers): Response {
  return Response.json({ error, reason }, { status: STATUS[reason], headers });
}
