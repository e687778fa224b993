import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { useLoaderData, useRevalidator, useSearchParams } from "@remix-run/react";
import { useEffect, useState } from "react";
import { readStored } from "#app/accounts/session/stored-session.ts";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { useRefresh } from "#app/components/page/use-refresh.ts";
import { readGmailCaller } from "#app/gmail/connect/gmail-caller.server.ts";
import { type ConnectFault, isConnectFault } from "#app/gmail/connect/oauth-texts.ts";
import { readGmailData, readMailbox } from "#app/gmail/mailbox/mailbox.server.ts";
import { ConnectionCard } from "#app/gmail/page/connection-card.tsx";
import { submitGmailForm } from "#app/gmail/page/gmail-sync-form.server.ts";
import { SettingsCard } from "#app/gmail/page/mailbox-settings-card.tsx";
import { StatisticsCard } from "#app/gmail/page/statistics-card.tsx";
import { SyncCard } from "#app/gmail/page/sync-card.tsx";
import { type Shell, toastResult, useConnect } from "#app/gmail/page/use-connect.ts";
import { useSync } from "#app/gmail/page/use-sync.ts";
import { isStandIn } from "#app/gmail/tokens/google-oauth.server.ts";
import { ZERO_USER_ID } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { flashCookie } from "#app/http/cookies.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { openExternal } from "#app/native/shell/open-external.ts";
import { readBridge } from "#app/native/shell/platform.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const SHELL: Shell = { isHere: () => readBridge(window) !== null, open: openExternal };

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

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await readViewer(request, context);
  const { owner, headers } = await readGmailCaller({ request, context }, viewer?.userId ?? null);
  if (!owner || !(await readMailbox(context.db, owner)).emailAddress) throw data(null, 404);
  const outcome = await submitGmailForm(context, owner, form);
  if (outcome === null) throw data(null, 400);
  if (outcome.kind === "shown") return data(outcome.result, { status: outcome.status, headers });
  if (outcome.message !== null) headers.append("Set-Cookie", await flashCookie(request, outcome.message));
  return redirect("/gmail-sync", { headers });
}

export default function GmailSync() {
  const { userId, mailbox, mail, standIn } = useLoaderData<typeof loader>();
  const error = useActionResult<typeof action>()?.message ?? null;
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
        {mail && mail.synced > 0 && <StatisticsCard data={mail} />}
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
