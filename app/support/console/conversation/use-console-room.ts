import { useEffect, useState } from "react";
import { useRoom } from "#app/support/client/use-room.ts";
import {
  type Agent,
  type Note,
  parseConsoleFrame,
  type Triage,
  type VisitedPage,
} from "#app/support/protocol/console-frames.ts";

const TYPING_SHOWN_MS = 5000;

/** What only the team sees of a conversation. `triage` is null before the room has said it. */
export type TeamState = {
  triage: Triage | null;
  notes: Note[];
  page: VisitedPage | null;
  /** Others of the team who look at it. */
  others: Agent[];
  /** Another one who is answering. */
  answering: Agent | null;
};

const NOTHING: TeamState = { triage: null, notes: [], page: null, others: [], answering: null };

export function useConsoleRoom(sessionId: string, me: Agent) {
  const [team, setTeam] = useState(NOTHING);
  const [hear, setHear] = useState<((text: string) => void) | undefined>();

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
          timer = setTimeout(() => change({ answering: null }), TYPING_SHOWN_MS);
          change({ answering: frame.agent });
          break;
        case "page":
          change({ page: frame.page });
          break;
        default:
          frame satisfies never;
      }
    };
    setHear(() => onFrame);
    return () => clearTimeout(timer);
  }, [me.id]);

  const line = useRoom(hear ? sessionId : null, "admin", me.name, hear);
  return { line, team };
}
