import { Link } from "@remix-run/react";
import ArrowLeft from "lucide-react/icons/arrow-left";
import PanelRight from "lucide-react/icons/panel-right";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { useState } from "react";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import type { RoomState } from "#app/support/client/room-state.ts";
import { PaletteButton } from "#app/support/console/palette/palette-button.tsx";
import type { SupportSession } from "#app/support/protocol/frames.ts";
import { type Contact, ContactEmail } from "./contact-email.tsx";
import type { TeamState } from "./use-console-room.ts";

export function ConversationHeader({
  session: { user_name: name, status },
  contact,
  state,
  team,
  search,
  onToggleStatus,
  detailsOpen,
  onOpenDetails,
}: {
  session: SupportSession;
  contact: Contact;
  state: RoomState | undefined;
  team: TeamState;
  search: string;
  onToggleStatus: () => Promise<boolean>;
  detailsOpen: boolean;
  onOpenDetails: () => void;
}) {
  const isBlocked = team.triage?.blocked === true;
  return (
    <>
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
            {/* A phone has no room for the address: the details show it. */}
            <span className="hidden min-w-0 gap-1 sm:flex">
              <ContactEmail contact={contact} />
              {state && <span>·</span>}
            </span>
            {isBlocked && <span className="text-bad sm:hidden">Blocked ·</span>}
            {state && <span className="shrink-0">{presenceText(state)}</span>}
          </p>
        </div>
        <span className="hidden sm:inline">
          {isBlocked ? (
            <Badge tone="bad">Blocked</Badge>
          ) : (
            <Badge tone={status === "open" ? "active" : "neutral"}>{status === "open" ? "Open" : "Closed"}</Badge>
          )}
        </span>
        <PaletteButton className="md:hidden" />
        <StatusButton status={status} onToggle={onToggleStatus} />
        <Button
          variant="quiet"
          aria-label="Details"
          aria-expanded={detailsOpen}
          onClick={onOpenDetails}
          className="w-11 px-0 sm:w-9 xl:hidden"
        >
          <PanelRight aria-hidden className="size-4" />
        </Button>
      </header>
      <Colleagues team={team} />
    </>
  );
}

/** Names the other agents in the conversation, so that two do not reply at once. */
function Colleagues({ team: { others, replying } }: { team: TeamState }) {
  if (others.length === 0 && !replying) return null;
  const names = others.map(({ name }) => name).join(", ");
  return (
    <p
      role="status"
      className={`flex shrink-0 items-center gap-2 border-b border-line px-4 py-1.5 text-xs ${replying ? "bg-warn-wash text-warn" : "text-muted"}`}
    >
      {replying && <TriangleAlert aria-hidden className="size-3.5 shrink-0" />}
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {replying
          ? `${replying.name} is replying`
          : `${names} ${others.length === 1 ? "is" : "are"} also viewing this conversation`}
      </span>
    </p>
  );
}

function StatusButton({ status, onToggle }: { status: SupportSession["status"]; onToggle: () => Promise<boolean> }) {
  const [busy, setBusy] = useState(false);
  async function toggle(): Promise<void> {
    setBusy(true);
    await onToggle();
    setBusy(false);
  }
  return (
    <Button variant="secondary" onClick={toggle} busy={busy}>
      {status === "open" ? "Close" : "Reopen"}
    </Button>
  );
}

function presenceText({ connection, typing, presence }: RoomState): string {
  if (connection === "gone") return "conversation deleted";
  if (connection === "signedOut") return "you're logged out";
  if (connection === "connecting") return "connecting…";
  if (typing !== null) return "typing…";
  return presence.user ? "online" : "away";
}
