import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { useActionData, useLoaderData, useRevalidator, useSearchParams } from "@remix-run/react";
import { useEffect, useState } from "react";
import { readStored } from "#app/accounts/session/stored-session.ts";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useRefresh } from "#app/components/page/use-refresh.ts";
import { readGmailCaller } from "#app/gmail/connect/gmail-caller.server.ts";
import { type ConnectFault, isConnectFault } from "#app/gmail/connect/oauth-texts.ts";
import { disconnect, readGmailData, readMailbox } from "#app/gmail/mailbox/mailbox.server.ts";
import { ConnectionCard } from "#app/gmail/page/connection-card.tsx";
import { SettingsCard } from "#app/gmail/page/mailbox-settings-card.tsx";
import { StatisticsCard } from "#app/gmail/page/statistics-card.tsx";
import { SyncCard } from "#app/gmail/page/sync-card.tsx";
import { syncMessage } from "#app/gmail/page/sync-message.ts";
import { type Shell, toastResult, useConnect } from "#app/gmail/page/use-connect.ts";
import { useSync } from "#app/gmail/page/use-sync.ts";
import { MAX_MESSAGES, syncMailbox } from "#app/gmail/sync/sync-mailbox.server.ts";
import { setAutoSync } from "#app/gmail/sync/sync-schedule.server.ts";
import { GoogleAway, isStandIn } from "#app/gmail/tokens/google-oauth.server.ts";
import { type MailboxOwner, ZERO_USER_ID } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { flashCookie } from "#app/http/cookies.ts";
import { logError } from "#app/http/log.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { openExternal } from "#app/native/shell/open-external.ts";
import { readBridge } from "#app/native/shell/platform.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const SHELL: Shell = { isHere: () => readBridge(window) !== null, open: openExternal };

const DISCONNECT_FAILED = "We couldn't reach Google, so nothing was disconnected. Please try again in a minute.";

export const meta: MetaFunction = () => [
  { title: `Gmail sync · ${PRODUCT_NAME}` },
  { name: "robots", content: "noindex" },
];

export const headers: HeadersFunction = ({ loaderHeaders }) => loaderHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const viewer = await readViewer(request, context);
  const { owner, headers } = await readGmailCaller({ request, context }, viewer?.userId ?? null);
  const mailbox = await readMailbox(context.db, owner);
  return data(
    {
      userId: viewer?.userId ?? ZERO_USER_ID,
      mailbox,
      mail: owner && mailbox.connected ? await readGmailData(context.db, owner) : null,
      standIn: isStandIn(context.env),
    },
    { headers },
  );
}

/** The forms, which also work where scripts do not run. */
export async function action({ request, context }: ActionFunctionArgs) {
  const viewer = await readViewer(request, context);
  const { owner, headers } = await readGmailCaller({ request, context }, viewer?.userId ?? null);
  const form = await readForm(request);
  if (!owner || !(await readMailbox(context.db, owner)).emailAddress) throw data(null, 404);
  switch (form.get("intent")) {
    case "auto-sync":
      await setAutoSync(context.db, owner, form.get("on") === "1");
      break;
    case "disconnect": {
      try {
        await disconnect(context.db, context.env, owner);
      } catch (error) {
        if (!(error instanceof GoogleAway)) throw error;
        logError("gmail not disconnected", error, { request_id: context.requestId });
        return data<FormResult>(
          { intent: "disconnect", ok: false, message: DISCONNECT_FAILED },
          { status: 503, headers },
        );
      }
      headers.append("Set-Cookie", await flashCookie(request, "Gmail disconnected."));
      break;
    }
    case "sync":
      headers.append("Set-Cookie", await flashCookie(request, await syncNow(owner, context)));
      break;
    default:
      throw data(null, 400);
  }
  return redirect("/gmail-sync", { headers });
}

async function syncNow(owner: MailboxOwner, { db, env }: ActionFunctionArgs["context"]): Promise<string> {
  const result = await syncMailbox(db, env, owner, { type: "initial", maxMessages: MAX_MESSAGES });
  return result.ok ? syncMessage(result) : result.text;
}

export default function GmailSync() {
  const { userId, mailbox, mail, standIn } = useLoaderData<typeof loader>();
  const error = useActionData<typeof action>()?.message ?? null;
  const { revalidate, state } = useRevalidator();
  const [loading, setLoading] = useState(false);
  const [returned, forgetReturned] = useReturnedFault();
  const accessToken = () => readStored()?.access_token ?? null;
  function load() {
    setLoading(true);
    revalidate();
  }
  useEffect(() => {
    if (state === "idle") setLoading(false);
  }, [state]);
  const { connecting, fault, connect } = useConnect({
    shell: SHELL,
    connectedAt: mailbox.connectedAt,
    accessToken,
    onConnected: load,
  });
  const { syncing, sync } = useSync({ userId, accessToken, onEnd: load });
  useRefresh(syncing || mailbox.progress?.running === true);
  return (
    <>
      <h1 className="text-2xl">Gmail sync</h1>
      <div className="mt-6 flex flex-col gap-8">
        <ConnectionCard
          mailbox={mailbox}
          connecting={connecting}
          fault={connecting ? null : (fault ?? returned)}
          onConnect={() => {
            forgetReturned();
            connect();
          }}
          syncing={syncing}
          onSync={sync}
          standIn={standIn}
        />
        {mailbox.connected && <SyncCard data={mail} loading={loading} onLoad={load} />}
        {mail && mail.totalMessages > 0 && <StatisticsCard data={mail} />}
        {(mailbox.connected || mailbox.reconnectNeeded) && <SettingsCard mailbox={mailbox} error={error} />}
      </div>
    </>
  );
}

/** Shows the result of a connection without a popup as a toast, and a failure on the page as well. */
function useReturnedFault(): [ConnectFault | null, forget: () => void] {
  const [params, setParams] = useSearchParams();
  const result = params.get("gmail");
  const [kept, setKept] = useState<ConnectFault | null>(null);
  useEffect(() => {
    const fault = isConnectFault(result) ? result : null;
    if (fault === null && result !== "connected") return;
    toastResult(fault);
    setKept(fault);
    setParams({}, { replace: true, preventScrollReset: true });
  }, [result, setParams]);
  return [isConnectFault(result) ? result : kept, () => setKept(null)];
}
