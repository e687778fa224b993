import ThumbsDown from "lucide-react/icons/thumbs-down";
import ThumbsUp from "lucide-react/icons/thumbs-up";
import { type FormEvent, useState } from "react";
import { Input } from "#app/components/forms/field.tsx";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { postRating, postTranscript } from "#app/support/client/room-http.ts";
import type { SupportMessage, SupportSession } from "#app/support/protocol/frames.ts";
import { isRating, type Rating } from "#app/support/protocol/rating.ts";

/** The end of a closed conversation: a rating, and its transcript by email. */
export function ClosedNote({ session, last }: { session: SupportSession; last: SupportMessage | undefined }) {
  const [busy, setBusy] = useState(false);
  const [isSent, setSent] = useState(false);
  const rated = last !== undefined && isRating(last);

  async function rate(rating: Rating): Promise<void> {
    setBusy(true);
    if (!(await postRating(session.session_id, rating))) toast.error("We couldn't send your rating. Please try again.");
    setBusy(false);
  }

  async function emailTranscript(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get("email") ?? "");
    setBusy(true);
    const status = await postTranscript(session.session_id, email);
    setBusy(false);
    setSent(status === 204);
    if (status === 204) toast.success(`Transcript sent to ${email}`);
    else toast.error(TRANSCRIPT_ERRORS[status] ?? "We couldn't send the transcript. Please try again.");
  }

  return (
    <section aria-label="This conversation is closed" className="flex flex-col gap-2 border-t border-line p-3 text-sm">
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
      {!isSent && (
        <form onSubmit={emailTranscript} className="flex items-center gap-2">
          <Input
            name="email"
            type="email"
            required
            autoComplete="email"
            aria-label="Email for the transcript"
            placeholder="you@example.com"
            defaultValue={session.user_email ?? ""}
          />
          <Button type="submit" variant="secondary" busy={busy} className="shrink-0">
            Email transcript
          </Button>
        </form>
      )}
    </section>
  );
}

const TRANSCRIPT_ERRORS: Record<number, string> = {
  422: "Please check your email",
  429: "This transcript was emailed several times today. Try again tomorrow.",
};
