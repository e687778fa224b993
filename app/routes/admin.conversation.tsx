import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { Link, useLoaderData, useLocation, useNavigate, useOutletContext } from "@remix-run/react";
import ArrowLeft from "lucide-react/icons/arrow-left";
import { useEffect, useState } from "react";
import { requireRole } from "#app/accounts/viewer.server.ts";
import { Badge } from "#app/components/badge.tsx";
import { Button } from "#app/components/button.tsx";
import { Skeleton } from "#app/components/skeleton.tsx";
import { toast } from "#app/components/toast.tsx";
import { Composer } from "#app/support/composer.tsx";
import { isSessionId } from "#app/support/identity.ts";
import type { SupportSession } from "#app/support/protocol.ts";
import { Thread } from "#app/support/thread.tsx";
import { useReadWhileSeen, useRoom } from "#app/support/use-room.ts";
import type { ConsoleContext } from "./admin.tsx";

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  // The room itself: D1 follows it, and not at once.
  const id = params.id ?? "";
  const history = isSessionId(id) ? await context.env.SUPPORT_ROOM.getByName(id).read(Number.MAX_SAFE_INTEGER) : null;
  if (!history) throw new Response(null, { status: 404 });
  return { session: history.session };
}

export default function ConversationPage() {
  const { session } = useLoaderData<typeof loader>();
  // Another conversation is another draft, another scroll and another socket.
  return <OpenConversation key={session.session_id} loaded={session} />;
}

function OpenConversation({ loaded }: { loaded: SupportSession }) {
  const { agentName } = useOutletContext<ConsoleContext>();
  const [draft, setDraft] = useDraft();
  const line = useRoom(loaded.session_id, "admin", agentName);
  const state = line?.state;
  useFollow(state?.movedTo ?? null, draft);
  useReadWhileSeen(line?.room ?? null, true, state?.unread ?? 0, state?.connection ?? "connecting");
  const { status, user_name: name, user_email: email } = state?.session ?? loaded;

  return (
    <section aria-labelledby="conversation" className="flex min-h-0 flex-col">
      <header className="flex min-h-12 shrink-0 items-center gap-3 border-b border-line px-4 py-1.5">
        <Link to="/admin" aria-label="All conversations" className="grid size-11 place-items-center md:hidden">
          <ArrowLeft aria-hidden className="size-5" />
        </Link>
        <div className="mr-auto min-w-0">
          <h1 id="conversation" className="truncate text-sm">
            {name}
          </h1>
          <p className="truncate text-xs text-muted">
            {email ? <a href={`mailto:${email}`}>{email}</a> : "No email given"}
            {state && ` · ${presenceText(state)}`}
          </p>
        </div>
        <Badge tone={status === "open" ? "active" : "neutral"}>{status === "open" ? "Open" : "Closed"}</Badge>
        <StatusButton sessionId={loaded.session_id} status={status} />
      </header>
      {line ? (
        <Thread {...line} me="admin" />
      ) : (
        <div className="flex flex-1 flex-col gap-3 p-4">
          <Skeleton className="h-12 w-1/2" />
          <Skeleton className="ml-auto h-12 w-1/2" />
        </div>
      )}
      <Composer
        draft={draft}
        onDraft={setDraft}
        onSend={(text) => line?.room.send(text)}
        onTyping={() => line?.room.typing()}
        onFile={(file) => line?.room.sendFile(file)}
      />
    </section>
  );
}

function useDraft() {
  const { state } = useLocation();
  return useState<string>(typeof state?.draft === "string" ? state.draft : "");
}

/** The visitor has signed in, and the conversation with them: so does the agent, and what is being written. */
function useFollow(movedTo: string | null, draft: string): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (movedTo !== null) navigate(`/admin/support/${movedTo}`, { replace: true, state: { draft } });
  }, [navigate, movedTo, draft]);
}

/** By fetch: a form whose request fails would put the error page in the place of the conversation. */
function StatusButton({ sessionId, status }: { sessionId: string; status: "open" | "closed" }) {
  const [busy, setBusy] = useState(false);
  const next = status === "open" ? "closed" : "open";

  async function change(): Promise<void> {
    setBusy(true);
    const body = new URLSearchParams({ status: next });
    const response = await fetch(`/admin/support/${sessionId}/status`, { method: "POST", body }).catch(() => null);
    setBusy(false);
    if (!response?.ok) toast.error("The conversation could not be changed. Check your connection and try again.");
  }

  return (
    <Button variant="secondary" onClick={change} busy={busy}>
      {next === "closed" ? "Close" : "Open again"}
    </Button>
  );
}

function presenceText({
  connection,
  typing,
  presence,
}: {
  connection: string;
  typing: string | null;
  presence: { user: boolean };
}): string {
  if (connection === "gone") return "this conversation no longer exists";
  if (connection === "connecting") return "connecting…";
  if (typing !== null) return "typing…";
  return presence.user ? "here now" : "away";
}
