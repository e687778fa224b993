import Lock from "lucide-react/icons/lock";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";

export type ComposerMode = "reply" | "note";

/** Switches between a reply and a note, and says who will read it. `audienceId` names that text for the field. */
export function ComposerModeSwitch({
  mode,
  onMode,
  visitor,
  audienceId,
}: {
  mode: ComposerMode;
  onMode: (mode: ComposerMode) => void;
  visitor: string;
  audienceId: string;
}) {
  return (
    <div className="mb-2 flex items-center gap-1">
      <fieldset aria-label="Message type" className="flex shrink-0 gap-1">
        <ModeButton label="Reply" on={mode === "reply"} onClick={() => onMode("reply")} />
        <ModeButton label="Note" on={mode === "note"} onClick={() => onMode("note")} />
      </fieldset>
      <p id={audienceId} role="status" className="ml-2 flex min-w-0 items-center gap-1.5 text-xs">
        {mode === "note" ? (
          <span className="flex items-center gap-1.5 font-medium text-warn">
            <Lock aria-hidden className="size-3 shrink-0" />
            Only your team sees this
          </span>
        ) : (
          <span className="truncate text-muted">To {visitor}</span>
        )}
      </p>
    </div>
  );
}

function ModeButton({ label, on, onClick }: { label: string; on: boolean; onClick: () => void }) {
  return (
    <button
      type="button"
      disabled={!useIsHydrated()}
      aria-pressed={on}
      onClick={onClick}
      className="h-11 rounded-md px-3 text-xs font-medium text-muted transition-colors hover:text-text aria-pressed:bg-sunken aria-pressed:text-text sm:h-7"
    >
      {label}
    </button>
  );
}
