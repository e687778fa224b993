import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import type { Mailbox } from "#app/gmail/mailbox/mailbox-data.ts";

/** Shows the progress of a sync, or why the last one stopped and when it resumes. */
export function SyncProgress({ mailbox, syncing }: { mailbox: Mailbox; syncing: boolean }) {
  const { number } = useFormats();
  const { progress, lastError, nextSyncAt } = mailbox;
  const running = syncing || progress?.running === true;
  return (
    <div className="flex flex-col gap-2 text-sm empty:hidden" aria-live="polite">
      {(running || progress) && (
        <div>
          <p className="tabular">
            {running ? "Syncing" : "Sync stopped"}
            {progress && progress.total > 0 && (
              <>
                : {number(progress.done)} of {number(progress.total)}
              </>
            )}
          </p>
          <svg
            aria-hidden="true"
            viewBox="0 0 100 2"
            preserveAspectRatio="none"
            className="mt-2 h-1 w-full rounded-full bg-line"
          >
            <rect height="2" width={shareOf(progress)} className="fill-accent" />
          </svg>
        </div>
      )}
      {!running && lastError && (
        <p className="text-warn">
          {lastError}{" "}
          {nextSyncAt !== null && (
            <span className="text-muted">
              Next try <RelativeDate at={nextSyncAt} />.
            </span>
          )}
        </p>
      )}
    </div>
  );
}

function shareOf(progress: Mailbox["progress"]): number {
  return progress && progress.total > 0 ? (100 * progress.done) / progress.total : 0;
}
