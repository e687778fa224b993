import { useEffect, useMemo, useState } from "react";
import { useRoom } from "#app/support/client/use-room.ts";
import {
  type Agent,
  type Note,
  parseConsoleFrame,
  type Triage,
  type VisitedPage,
  type VisitorDetails,
} from "#app/support/protocol/console-frames.ts";

const TYPING_SHOWN_MS = 5000;

/** The part of a conversation that only the team sees. `triage` is null until the room has sent it. */
export type TeamState = {
  triage: Triage | null;
  notes: Note[];
  page: VisitedPage | null;
  visitor: VisitorDetails;
  /** Other agents who are viewing it. */
  others: Agent[];
  /** Another agent who is typing a reply. */
  replying: Agent | null;
};

const NOTHING: TeamState = {
  triage: null,
  notes: [],
  page: null,
  visitor: { language: null, pages: [] },
  others: [],
  replying: null,
};

export function useConsoleRoom(sessionId: string, me: Agent, staff: Agent[]) {
  const [received, setTeam] = useState(NOTHING);
  const [onOther, setOnOther] = useState<((text: string) => void) | undefined>();

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const change = (changed: Partial<TeamState>) => setTeam((before) => ({ ...before, ...changed }));
    const onFrame = (text: string) => {
      const frame = parseConsoleFrame(text);
      if (!frame) return;
      switch (frame.type) {
        case "triage":
          change({ triage: frame.triage });
          break;
        case "notes":
          change({ notes: frame.notes });
          break;
        case "note":
          setTeam((before) =>
            before.notes.some(({ no }) => no === frame.note.no)
              ? before
              : { ...before, notes: [...before.notes, frame.note] },
          );
          break;
        case "agents":
          change({ others: frame.agents.filter(({ id }) => id !== me.id) });
          break;
        case "agent_typing":
          if (frame.agent.id === me.id) break;
          clearTimeout(timer);
          timer = setTimeout(() => change({ replying: null }), TYPING_SHOWN_MS);
          change({ replying: frame.agent });
          break;
        case "visitor":
          change({ visitor: frame.visitor });
          break;
        case "page":
          change({ page: frame.page });
          break;
        default:
          frame satisfies never;
      }
    };
    setOnOther(() => onFrame);
    return () => clearTimeout(timer);
  }, [me.id]);

  const connected = useRoom(onOther ? sessionId : null, "admin", me.name, onOther);
  // A mention of somebody who has left the team is plain text.
  const team = useMemo(() => {
    const ids = new Set(staff.map(({ id }) => id));
    const notes = received.notes.map((note) => ({ ...note, mentions: note.mentions.filter(({ id }) => ids.has(id)) }));
    return { ...received, notes };
  }, [received, staff]);
  return { connected, team };
}
