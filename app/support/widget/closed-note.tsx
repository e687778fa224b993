import ThumbsDown from "lucide-react/icons/thumbs-down";
import ThumbsUp from "lucide-react/icons/thumbs-up";
import { useRef, useState } from "react";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { postRating, postTranscript } from "#app/support/client/room-http.ts";
import type { SupportMessage, SupportSession } from "#app/support/protocol/frames.ts";
import { isRating, type Rating } from "#app/support/protocol/rating.ts";

/** The end of a closed conversation: a rating, and its transcript by email. */
export function ClosedNote({ session, last }: { session: SupportSession; last: SupportMessage | undefined }) {
  const [busy, setBusy] = useState(false);
  const [isSent, setSent] = useState(false);
  const note = useRef<HTMLElement>(null);
  const { user_email: email } = session;
  const rated = last !== undefined && isRating(last);

  async function rate(rating: Rating): Promise<void> {
    setBusy(true);
    // The button goes, and would take the focus with it.
    if (await postRating(session.session_id, rating)) note.current?.focus();
    else toast.error("We couldn't send your rating. Please try again.");
    setBusy(false);
  }

  async function emailTranscript(): Promise<void> {
    setBusy(true);
    const status = await postTranscript(session.session_id);
    setBusy(false);
    setSent(status === 204);
    if (status === 204) {
      note.current?.focus();
      toast.success(`Transcript sent to ${email}`);
    } else toast.error(TRANSCRIPT_ERRORS[status] ?? "We couldn't send the transcript. Please try again.");
  }

  return (
    <section
      ref={note}
      aria-label="This conversation is closed"
      tabIndex={-1}
      className="flex flex-col gap-2 border-t border-line p-3 text-sm outline-none"
    >
      <p className="text-muted">This conversation is closed. Send a message to reopen it.</p>
      {rated ? (
        <p role="status">Thanks for your rating.</p>
      ) : (
        <div className="flex items-center gap-2">
          <span className="mr-auto">How did we do?</span>
          <Button variant="secondary" busy={busy} onClick={() => rate("good")}>
            <ThumbsUp aria-hidden className="size-4" />
            Good
          </Button>
          <Button variant="secondary" busy={busy} onClick={() => rate("bad")}>
            <ThumbsDown aria-hidden className="size-4" />
            Bad
          </Button>
        </div>
      )}
      {!isSent && email !== null && (
        <div className="flex items-center gap-2">
          <span className="mr-auto truncate" title={email}>
            {email}
          </span>
          <Button variant="secondary" busy={busy} onClick={emailTranscript} className="shrink-0">
            Email transcript
          </Button>
        </div>
      )}
    </section>
  );
}

const TRANSCRIPT_ERRORS: Record<number, string> = {
  403: "Confirm your email address first, with the link we emailed to you.",
  429: "This transcript was emailed several times today. Try again tomorrow.",
};
