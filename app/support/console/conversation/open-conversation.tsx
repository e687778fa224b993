import { useLocation, useNavigate } from "@remix-run/react";
import ArrowLeft from "lucide-react/icons/arrow-left";
import { type KeyboardEvent, type MutableRefObject, type ReactNode, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { useReadWhileSeen } from "#app/support/client/use-room.ts";
import type { Command } from "#app/support/console/palette/palette-commands.ts";
import { effectTexts } from "#app/support/console/reply-effect-texts.ts";
import { useShortcuts } from "#app/support/console/use-shortcuts.ts";
import { useViewingLock } from "#app/support/console/viewing-lock.ts";
import type { Earlier } from "#app/support/inbox/earlier-conversations.server.ts";
import type { AgentAction } from "#app/support/protocol/agent-actions.server.ts";
import { type Agent, MENTIONS_MAX } from "#app/support/protocol/console-frames.ts";
import type { SupportSession } from "#app/support/protocol/frames.ts";
import { mentionedAgents } from "#app/support/protocol/mentions.ts";
import { NO_EFFECTS } from "#app/support/protocol/reply-effects.ts";
import { userIdOf } from "#app/support/protocol/session-id.ts";
import type { Reply } from "#app/support/team/saved-replies.server.ts";
import type { ComposerMode } from "./composer-mode.tsx";
import { ConsoleComposer } from "./console-composer.tsx";
import type { Contact } from "./contact-email.tsx";
import { conversationCommands } from "./conversation-commands.ts";
import { ConversationHeader } from "./conversation-header.tsx";
import { ConversationSide } from "./conversation-side.tsx";
import { NEW_TAG_ID } from "./conversation-tags.tsx";
import { EarlierSection } from "./earlier-section.tsx";
import { postAgentAction } from "./post-agent-action.ts";
import { mergeEffects, replyAction } from "./reply-action.ts";
import { fillReply } from "./reply-shortcuts.ts";
import { SNOOZE_ID } from "./snooze-field.tsx";
import { ConsoleThread } from "./thread/console-thread.tsx";
import { useConsoleRoom } from "./use-console-room.ts";
import { useConversationDrafts } from "./use-conversation-drafts.ts";

const NO_COMMANDS = (): Command[] => [];
const ACTION_FAILED = "Couldn't update the conversation. Check your connection and try again.";

/** A conversation in the console: header, thread and composer, with the side panel next to them or on top of them. */
export function OpenConversation({
  loaded,
  lastSeq,
  contact: ofAccount,
  account,
  earlier,
  me,
  replies,
  staff,
  nextAfter,
  knownTags,
  commands,
}: {
  loaded: SupportSession;
  lastSeq: number;
  /** Contact of the account, or null for a visitor who is not logged in. */
  contact: Contact | null;
  account: ReactNode;
  earlier: Earlier;
  me: Agent;
  replies: Reply[];
  staff: Agent[];
  /** Returns where to go when this conversation leaves the list, or null to stay. */
  nextAfter: (sessionId: string) => string | null;
  /** Tags of the conversations in the list. */
  knownTags: string[];
  /** Set to what the command palette offers for this conversation. */
  commands: MutableRefObject<() => Command[]>;
}) {
  const { search } = useLocation();
  const [focusCount, setFocusCount] = useState(0);
  const [detailsOpen, setDetailsOpen] = useState(false);
  const sessionId = loaded.session_id;
  const drafts = useConversationDrafts(sessionId);
  const { connected, team } = useConsoleRoom(sessionId, me, staff);
  const state = connected?.state;
  useFollowMove(state?.movedTo ?? null, drafts.reply);
  useViewingLock(sessionId);
  useReadWhileSeen(connected?.room ?? null, true, state?.unread ?? 0);
  const session = state?.session ?? loaded;
  const contact = ofAccount ?? { email: session.user_email, isConfirmed: false };

  const log = useRef<HTMLDivElement>(null);
  const goOn = useGoOn();

  async function act(action: AgentAction): Promise<boolean> {
    // Before the action, after which the conversation may have left the list.
    const next = leavesList(action) ? nextAfter(sessionId) : null;
    const done = await postAgentAction(sessionId, action);
    if (!done) toast.error(ACTION_FAILED);
    else if (next !== null) goOn(next);
    return done;
  }
  const toggleStatus = () => act({ action: "status", status: session.status === "open" ? "closed" : "open" });
  /** Moves the focus to a field of the details, which may be hidden. */
  const focusDetail = (id: string) => {
    flushSync(() => setDetailsOpen(true));
    document.getElementById(id)?.focus();
  };
  const write = (mode: ComposerMode) => {
    drafts.setMode(mode);
    setFocusCount((count) => count + 1);
  };
  useShortcuts({
    a: () => act({ action: "assign", agentId: me.id }),
    e: toggleStatus,
    r: () => write("reply"),
    n: () => write("note"),
    s: () => focusDetail(SNOOZE_ID),
    i: () => setDetailsOpen((open) => !open),
  });

  const idsIn = (note: string) =>
    mentionedAgents(note, staff)
      .slice(0, MENTIONS_MAX)
      .map(({ id }) => id);
  /** Uses a saved reply instead of what is written, or after it. */
  const use = ({ body, effects }: Reply, written: string) => {
    const fill = (text: string) => fillReply(text, { visitor: session.user_name, agent: me.name });
    drafts.setReply([written, fill(body)].filter((text) => text !== "").join("\n"));
    const filled = { ...effects, note: fill(effects.note) };
    drafts.setEffects(written === "" ? filled : mergeEffects(drafts.effects, filled));
  };
  async function sendWithEffects(body: string): Promise<boolean> {
    const clientId = drafts.replyId();
    const reply = replyAction(drafts.effects, { clientId, body: body.toWellFormed(), me, staff, now: new Date() });
    const done = await act({ ...reply, mentions: idsIn(reply.note) });
    if (done) drafts.setEffects(NO_EFFECTS);
    return done;
  }
  const offered = () =>
    conversationCommands({
      status: session.status,
      triage: team.triage,
      me,
      staff,
      replies,
      knownTags,
      act,
      toggleStatus,
      write,
      insertReply(reply) {
        use(reply, drafts.reply);
        write("reply");
      },
      newTag: () => focusDetail(NEW_TAG_ID),
    });
  useEffect(() => {
    commands.current = offered;
    return () => {
      commands.current = NO_COMMANDS;
    };
  });

  function returnToThread(event: KeyboardEvent): void {
    const { key, target, nativeEvent } = event;
    if (key !== "Escape" || event.defaultPrevented || nativeEvent.isComposing) return;
    if (target instanceof HTMLElement && target !== log.current) target.blur();
    // The messages may be hidden behind the details.
    flushSync(() => setDetailsOpen(false));
    log.current?.focus({ preventScroll: true });
  }

  return (
    <section
      aria-labelledby="conversation"
      onKeyDown={returnToThread}
      className="grid min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] xl:grid-cols-[minmax(0,1fr)_300px]"
    >
      <div className={`min-h-0 flex-col xl:flex ${detailsOpen ? "hidden" : "flex"}`}>
        <ConversationHeader
          session={session}
          contact={contact}
          state={state}
          team={team}
          search={search}
          onToggleStatus={toggleStatus}
          detailsOpen={detailsOpen}
          onOpenDetails={() => setDetailsOpen(true)}
        />
        {connected ? (
          <ConsoleThread log={log} {...connected} notes={team.notes} sessionId={sessionId} knownSeq={lastSeq} />
        ) : (
          <div className="flex flex-1 flex-col gap-3 p-4">
            <Skeleton className="h-12 w-1/2" />
            <Skeleton className="ml-auto h-12 w-1/2" />
          </div>
        )}
        <ConsoleComposer
          mode={drafts.mode}
          onMode={write}
          focusCount={focusCount}
          draft={drafts.current}
          onDraft={drafts.set}
          onSend={(text) => connected?.room.send(text)}
          onNote={(body) =>
            act({ action: "note", clientId: drafts.noteId(), body: body.toWellFormed(), mentions: idsIn(body) })
          }
          onTyping={() => connected?.room.typing()}
          onFile={(file) => connected?.room.sendFile(file)}
          replies={replies}
          staff={staff}
          me={me}
          effects={effectTexts(drafts.effects, staff)}
          onUse={(reply) => use(reply, "")}
          onRemoveEffects={() => drafts.setEffects(NO_EFFECTS)}
          onSendWithEffects={sendWithEffects}
          visitor={session.user_name}
        />
      </div>
      <aside
        aria-label="Details"
        className={`min-h-0 overflow-y-auto border-line xl:block xl:border-l ${detailsOpen ? "block" : "hidden"}`}
      >
        <Button variant="quiet" onClick={() => setDetailsOpen(false)} className="mt-2 ml-2 xl:hidden">
          <ArrowLeft aria-hidden className="size-4" />
          Back to conversation
        </Button>
        {team.triage ? (
          <ConversationSide
            triage={team.triage}
            isOpen={session.status === "open"}
            page={team.page}
            visitor={team.visitor}
            staff={staff}
            contact={contact}
            isHere={state?.presence.user ?? false}
            isAccount={userIdOf(sessionId) !== null}
            account={account}
            earlier={<EarlierSection earlier={earlier} search={search} />}
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

/** Whether the agent is done with the conversation for now. */
function leavesList(action: AgentAction): boolean {
  switch (action.action) {
    case "status":
      return action.status === "closed";
    case "snooze":
      return action.until > 0;
    case "reply":
      return action.closes || action.snoozeUntil > 0;
    default:
      return false;
  }
}

/** Returns a function that goes to an address, unless the agent has left the conversation in the meantime. */
function useGoOn(): (to: string) => void {
  const navigate = useNavigate();
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return (to) => {
    if (isShown.current) navigate(to);
  };
}

/** Follows the conversation into the account of a visitor who signed in, and takes the agent's draft along. */
function useFollowMove(movedTo: string | null, draft: string): void {
  const navigate = useNavigate();
  const { search } = useLocation();
  useEffect(() => {
    if (movedTo !== null) {
      navigate({ pathname: `/admin/support/${movedTo}`, search }, { replace: true, state: { draft } });
    }
  }, [navigate, movedTo, draft, search]);
}
