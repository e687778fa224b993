import Bell from "lucide-react/icons/bell";
import { useEffect, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { readPushState, turnPushOff, turnPushOn } from "./enable-push.ts";
import type { PushState } from "./own-device.ts";

const OFFERS = {
  answer: { ask: "Get a notification when we answer", done: "We'll notify you when we answer." },
  order: { ask: "Get a notification when it ends", done: "We'll notify you when an order ends." },
  device: { ask: "Get notifications on this device", done: "This device gets notifications." },
};

/** What to do where notifications can't be turned on or off. */
const OBSTACLES = {
  install:
    "On iPhone and iPad, notifications work once this site is on your Home Screen: Share, then Add to Home Screen.",
  blocked:
    "Your browser blocks notifications from this site. Allow them in its settings for this site, then try again.",
  failed: "We couldn't turn notifications on. Please try again.",
  kept: "We couldn't turn notifications off. Please try again.",
};

/**
 * A line that offers notifications where somebody starts to wait, or turns them off. Shows nothing where there are none,
 * and asks nothing by itself.
 */
export function PushOffer({ about, className = "" }: { about: keyof typeof OFFERS; className?: string }) {
  const [state, setState] = useState<PushState | null>(null);
  const [obstacle, setObstacle] = useState<keyof typeof OBSTACLES | null>(null);
  const [busy, setBusy] = useState(false);
  const { ask, done } = OFFERS[about];
  const isOn = state === "on";

  useEffect(() => {
    let over = false;
    readPushState().then(
      (read) => !over && setState(read),
      () => {},
    );
    return () => {
      over = true;
    };
  }, []);

  // Somebody who said no once is not asked again.
  if (state === null || state === "unsupported" || (state === "blocked" && !obstacle)) return null;

  async function turnOn(): Promise<void> {
    if (state === "install") {
      setObstacle("install");
      return;
    }
    setBusy(true);
    const turned = await turnPushOn();
    setBusy(false);
    setObstacle(turned === "blocked" || turned === "failed" ? turned : null);
    setState(turned === "failed" ? "off" : turned);
  }

  async function turnOff(): Promise<void> {
    setBusy(true);
    const isOff = await turnPushOff();
    setBusy(false);
    setObstacle(isOff ? null : "kept");
    if (isOff) setState("off");
  }

  return (
    <div className={className}>
      {/* One button in both states, so that it keeps the focus. */}
      <div className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
        {isOn && <p role="status">{done}</p>}
        <Button
          variant="quiet"
          busy={busy}
          onClick={isOn ? turnOff : turnOn}
          className={isOn ? "-my-2 px-2 underline underline-offset-4" : "-ml-3"}
        >
          {!isOn && <Bell aria-hidden className="size-4" />}
          {isOn ? "Turn off" : ask}
        </Button>
      </div>
      {obstacle && (
        <p role="alert" className="pb-1 text-sm text-muted">
          {OBSTACLES[obstacle]}
        </p>
      )}
    </div>
  );
}
