import type { Note } from "#app/support/protocol/console-frames.ts";
import { noteParts } from "#app/support/protocol/mentions.ts";
import { MessageText } from "#app/support/thread/message-text.tsx";

/** A note with its links clickable and its mentions marked. */
export function NoteText({ note: { body, mentions } }: { note: Note }) {
  return noteParts(body, mentions).map(({ text, agent }, at) =>
    agent ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a note never change
      <strong key={at} className="rounded bg-accent/15 px-0.5 font-semibold">
        {text}
      </strong>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a note never change
      <MessageText key={at} text={text} />
    ),
  );
}
