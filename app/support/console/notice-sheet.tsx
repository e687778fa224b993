import { useState } from "react";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { type Notice, setNotice, useNotice } from "#app/support/thread/notice-settings.ts";
import { Sheet, type SheetProps } from "./console-sheet.tsx";
import type { DesktopPermission } from "./use-alerts.ts";

/** Settings for what this browser does when a visitor writes. */
export function NoticeSheet({
  permission,
  onAsk,
  turns,
  ...sheet
}: SheetProps & { permission: DesktopPermission; onAsk: () => void; turns: { isAway: boolean } | null }) {
  // Outside of the dialog, whose content starts anew each time it opens. Null: as it was loaded.
  const [isAway, setAway] = useState<boolean | null>(null);
  return (
    <Sheet
      {...sheet}
      title="Notifications"
      description="For new messages in conversations that are assigned to you or unassigned, and for notes that mention you, in this browser. Never for the conversation you're viewing."
    >
      <div className="flex flex-col gap-3 text-sm">
        <Switch notice="sound" label="Sound" help="Two short tones." />
        <Switch notice="title" label="Count in tab title" help="The number of unread conversations." />
        <Switch
          notice="desktop"
          label="Desktop notification"
          help={DESKTOP_HELP[permission]}
          isOff={permission !== "granted"}
        />
        {permission === "default" && (
          <Button variant="secondary" onClick={onAsk} className="self-start">
            Allow desktop notifications
          </Button>
        )}
        {turns && <TurnsSwitch isAway={isAway ?? turns.isAway} onChange={setAway} />}
      </div>
    </Sheet>
  );
}

/** Sets whether the agent is assigned new conversations in turn, on every device. */
function TurnsSwitch({ isAway, onChange }: { isAway: boolean; onChange: (isAway: boolean) => void }) {
  async function change(next: boolean): Promise<void> {
    onChange(next);
    if (await postAvailability(next)) return;
    onChange(!next);
    toast.error("Couldn't change this. Check your connection and try again.");
  }
  return (
    <label className="flex min-h-11 items-start gap-3 border-t border-line pt-3 sm:min-h-0">
      <input
        type="checkbox"
        checked={!isAway}
        onChange={({ target }) => change(!target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <span>
        Take new conversations
        <span className="block text-muted">
          They are assigned in turn to whoever has the console open. On all your devices.
        </span>
      </span>
    </label>
  );
}

async function postAvailability(isAway: boolean): Promise<boolean> {
  try {
    const { ok } = await fetch("/admin/availability", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ isAway }),
    });
    return ok;
  } catch {
    return false;
  }
}

const DESKTOP_HELP: Record<DesktopPermission, string> = {
  granted: "While this window is in the background.",
  default: "Allow them below first.",
  denied: "Blocked in this browser. Allow notifications in its settings for this site.",
  unsupported: "This browser doesn't support them.",
};

function Switch({
  notice,
  label,
  help,
  isOff = false,
}: {
  notice: Notice;
  label: string;
  help: string;
  isOff?: boolean;
}) {
  const isOn = useNotice(notice);
  return (
    <label className="flex min-h-11 items-start gap-3 sm:min-h-0">
      <input
        type="checkbox"
        checked={isOn && !isOff}
        disabled={isOff}
        onChange={({ target }) => setNotice(notice, target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <span>
        {label}
        <span className="block text-muted">{help}</span>
      </span>
    </label>
  );
}
