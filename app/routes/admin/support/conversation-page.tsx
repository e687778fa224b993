import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData, useLocation, useNavigate, useOutletContext } from "@remix-run/react";
import ArrowLeft from "lucide-react/icons/arrow-left";
import PanelRight from "lucide-react/icons/panel-right";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { useEffect, useState } from "react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useDraft } from "#app/components/forms/use-draft.ts";
import { toast } from "#app/components/toast/toast.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { AccountDetails } from "#app/orders/staff/customers/account-details.tsx";
import { readAccount } from "#app/orders/staff/customers/customer-admin.server.ts";
import { listStaffOrders } from "#app/orders/staff/orders/staff-order-list.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import type { RoomState } from "#app/support/client/room-client.ts";
import { useReadWhileSeen } from "#app/support/client/use-room.ts";
import { type ComposerMode, ConsoleComposer } from "#app/support/console/conversation/console-composer.tsx";
import { ConsoleThread } from "#app/support/console/conversation/console-thread.tsx";
import { ConversationSide } from "#app/support/console/conversation/conversation-side.tsx";
import { postAction } from "#app/support/console/conversation/post-action.ts";
import { type TeamState, useConsoleRoom } from "#app/support/console/conversation/use-console-room.ts";
import { useViewingLock } from "#app/support/console/conversation/viewing-lock.ts";
import { useShortcuts } from "#app/support/console/use-shortcuts.ts";
import type { AgentAction } from "#app/support/protocol/agent-actions.ts";
import type { SupportSession } from "#app/support/protocol/frames.ts";
import { randomHex } from "#app/support/protocol/random-hex.ts";
import { isSessionId, userIdOf } from "#app/support/protocol/session-id.ts";
import type { ConsoleContext } from "./support-console.tsx";

const ORDERS_SHOWN = 5;
const NOT_DONE = "The conversation could not be changed. Check your connection and try again.";

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `${data?.session.user_name ?? "Conversation"} · Console · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  // The room itself: D1 follows it, and not at once.
  const id = requireTextId(params.id);
  const history = isSessionId(id) ? await context.env.SUPPORT_ROOM.getByName(id).read(Number.MAX_SAFE_INTEGER) : null;
  if (!history) throw new Response(null, { status: 404 });
  const userId = userIdOf(id);
  const account = userId === null ? null : await readAccount(context.db, userId);
  const orders = account
    ? (await listStaffOrders(context.db, { view: "all", userId }, ORDERS_SHOWN)).slice(0, ORDERS_SHOWN)
    : [];
  return { session: history.session, lastSeq: history.lastSeq, account, orders };
}

export default function ConversationPage() {
  const { session } = useLoaderData<typeof loader>();
  // Another conversation is another draft, another scroll and another socket.
  return <OpenConversation key={session.session_id} loaded={session} />;
}

function OpenConversation({ loaded }: { loaded: SupportSession }) {
  const { account, orders, lastSeq } = useLoaderData<typeof loader>();
  const { me, role, replies, staff } = useOutletContext<ConsoleContext>();
  const { search } = useLocation();
  const [focus, setFocus] = useState(0);
  const [detailsOpen, setDetailsOpen] = useState(false);
  const sessionId = loaded.session_id;
  const drafts = useDrafts(sessionId);
  const { line, team } = useConsoleRoom(sessionId, me);
  const state = line?.state;
  useFollow(state?.movedTo ?? null, drafts.reply);
  useViewingLock(sessionId);
  useReadWhileSeen(line?.room ?? null, true, state?.unread ?? 0, state?.connection ?? "connecting");
  const { status, user_name: name, user_email: email } = state?.session ?? loaded;

  async function act(action: AgentAction): Promise<boolean> {
    const done = await postAction(sessionId, action);
    if (!done) toast.error(NOT_DONE);
    return done;
  }
  const toggleStatus = () => act({ action: "status", status: status === "open" ? "closed" : "open" });
  const write = (mode: ComposerMode) => {
    drafts.setMode(mode);
    setFocus((times) => times + 1);
  };
  useShortcuts({
    a: () => act({ action: "assign", agentId: me.id }),
    e: toggleStatus,
    r: () => write("reply"),
    n: () => write("note"),
    i: () => setDetailsOpen((open) => !open),
  });

  return (
    <section
      aria-labelledby="conversation"
      className="grid min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] xl:grid-cols-[minmax(0,1fr)_300px]"
    >
      <div className={`min-h-0 flex-col xl:flex ${detailsOpen ? "hidden" : "flex"}`}>
        <header className="flex min-h-12 shrink-0 items-center gap-2 border-b border-line px-4 py-1.5">
          <Link
            to={{ pathname: "/admin", search }}
            aria-label="All conversations"
            className="grid size-11 place-items-center md:hidden"
          >
            <ArrowLeft aria-hidden className="size-5" />
          </Link>
          <div className="mr-auto min-w-0">
            <h1 id="conversation" className="truncate text-sm" title={name}>
              {name}
            </h1>
            <p className="flex gap-1 text-xs text-muted">
              <span className="truncate" title={email ?? undefined}>
                {email ? <a href={`mailto:${email}`}>{email}</a> : "No email given"}
              </span>
              {state && <span className="shrink-0">· {presenceText(state)}</span>}
            </p>
          </div>
          {team.triage?.blocked ? (
            <Badge tone="bad">Blocked</Badge>
          ) : (
            <span className="hidden sm:inline">
              <Badge tone={status === "open" ? "active" : "neutral"}>{status === "open" ? "Open" : "Closed"}</Badge>
            </span>
          )}
          <StatusButton status={status} onChange={toggleStatus} />
          <Button
            variant="quiet"
            aria-label="Details"
            aria-expanded={detailsOpen}
            onClick={() => setDetailsOpen(true)}
            className="w-11 px-0 sm:w-9 xl:hidden"
          >
            <PanelRight aria-hidden className="size-4" />
          </Button>
        </header>
        <Colleagues team={team} />
        {line ? (
          <ConsoleThread {...line} notes={team.notes} knownSeq={lastSeq} />
        ) : (
          <div className="flex flex-1 flex-col gap-3 p-4">
            <Skeleton className="h-12 w-1/2" />
            <Skeleton className="ml-auto h-12 w-1/2" />
          </div>
        )}
        <ConsoleComposer
          mode={drafts.mode}
          onMode={write}
          focus={focus}
          draft={drafts.current}
          onDraft={drafts.set}
          onSend={(text) => line?.room.send(text)}
          onNote={(body) => act({ action: "note", clientId: drafts.noteId(), body: body.toWellFormed() })}
          onTyping={() => line?.room.typing()}
          onFile={(file) => line?.room.sendFile(file)}
          replies={replies}
          names={{ visitor: name, agent: me.name }}
        />
      </div>
      <aside
        aria-label="Details"
        className={`min-h-0 overflow-y-auto border-line xl:block xl:border-l ${detailsOpen ? "block" : "hidden"}`}
      >
        <Button variant="quiet" onClick={() => setDetailsOpen(false)} className="mt-2 ml-2 xl:hidden">
          <ArrowLeft aria-hidden className="size-4" />
          Back to the conversation
        </Button>
        {team.triage ? (
          <ConversationSide
            triage={team.triage}
            page={team.page}
            staff={staff}
            email={email}
            isHere={state?.presence.user ?? false}
            isAccount={userIdOf(sessionId) !== null}
            account={account && <AccountDetails account={account} orders={orders} role={role} />}
            onAction={act}
          />
        ) : (
          <div className="flex flex-col gap-3 p-4">
            <Skeleton className="h-10 w-full" />
            <Skeleton className="h-24 w-full" />
          </div>
        )}
      </aside>
    </section>
  );
}

/** Who else is here, so that two do not answer the same. */
function Colleagues({ team: { others, answering } }: { team: TeamState }) {
  if (others.length === 0 && !answering) return null;
  const names = others.map(({ name }) => name).join(", ");
  return (
    <p
      role="status"
      className={`flex shrink-0 items-center gap-2 border-b border-line px-4 py-1.5 text-xs ${answering ? "bg-warn-wash text-warn" : "text-muted"}`}
    >
      {answering && <TriangleAlert aria-hidden className="size-3.5 shrink-0" />}
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {answering
          ? `${answering.name} is replying`
          : `${names} ${others.length === 1 ? "is" : "are"} looking at this too`}
      </span>
    </p>
  );
}

/** An answer and a note are two texts: what was meant for the team must not go to the visitor by a slip. */
function useDrafts(sessionId: string) {
  const { state } = useLocation();
  const [mode, setMode] = useState<ComposerMode>("reply");
  const [reply, setReply] = useDraft(`console:${sessionId}`, typeof state?.draft === "string" ? state.draft : "");
  const [note, setNote] = useDraft(`console-note:${sessionId}`);
  const [noteId, setNoteId] = useState(randomHexLater);
  return {
    mode,
    setMode,
    reply,
    current: mode === "reply" ? reply : note,
    set(text: string) {
      if (mode === "reply") setReply(text);
      else setNote(text);
      // Another note is another id; the same one sent again is the same.
      if (mode === "note" && text === "") setNoteId(randomHexLater);
    },
    noteId,
  };
}

/** Made when it is first asked for: the server has no use for it. */
function randomHexLater(): () => string {
  let id: string | null = null;
  return () => {
    id ??= randomHex();
    return id;
  };
}

/** The visitor has signed in, and the conversation with them: so does the agent, and what is being written. */
function useFollow(movedTo: string | null, draft: string): void {
  const navigate = useNavigate();
  const { search } = useLocation();
  useEffect(() => {
    if (movedTo !== null) {
      navigate({ pathname: `/admin/support/${movedTo}`, search }, { replace: true, state: { draft } });
    }
  }, [navigate, movedTo, draft, search]);
}

function StatusButton({ status, onChange }: { status: "open" | "closed"; onChange: () => Promise<boolean> }) {
  const [busy, setBusy] = useState(false);
  async function change(): Promise<void> {
    setBusy(true);
    await onChange();
    setBusy(false);
  }
  return (
    <Button variant="secondary" onClick={change} busy={busy}>
      {status === "open" ? "Close" : "Open again"}
    </Button>
  );
}

function presenceText({ connection, typing, presence }: RoomState): string {
  if (connection === "gone") return "this conversation no longer exists";
  if (connection === "connecting") return "connecting…";
  if (typing !== null) return "typing…";
  return presence.user ? "here now" : "away";
}
