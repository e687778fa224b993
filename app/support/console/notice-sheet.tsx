import { Button } from "#app/components/ui/button.tsx";
import { type Notice, setNotice, useNotice } from "#app/support/thread/notice-settings.ts";
import { Sheet, type SheetProps } from "./sheet.tsx";
import type { DesktopPermission } from "./use-alerts.ts";

/** What this browser does when a visitor writes; each can be switched off. */
export function NoticeSheet({
  permission,
  onAsk,
  ...sheet
}: SheetProps & { permission: DesktopPermission; onAsk: () => void }) {
  return (
    <Sheet
      {...sheet}
      title="Notifications"
      description="In this browser, when a visitor writes in a conversation that is yours or nobody’s. Never for the one you are looking at."
    >
      <div className="flex flex-col gap-3 text-sm">
        <Switch notice="sound" label="Sound" help="Two short tones." />
        <Switch notice="title" label="Count in the tab’s title" help="How many conversations have something unread." />
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
      </div>
    </Sheet>
  );
}

const DESKTOP_HELP: Record<DesktopPermission, string> = {
  granted: "While this window is not in front.",
  default: "This browser has not been asked yet whether it may show them.",
  denied: "This browser was told not to show them. Its settings for this site can change that.",
  unsupported: "This browser cannot show them.",
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
        className="mt-0.5 size-4 accent-accent"
      />
      <span>
        {label}
        <span className="block text-muted">{help}</span>
      </span>
    </label>
  );
}
