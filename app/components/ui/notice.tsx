import CircleAlert from "lucide-react/icons/circle-alert";
import CircleCheck from "lucide-react/icons/circle-check";
import type { ReactNode } from "react";

/** The result of an action, beside the control that started it. An error takes focus when the page loads with it. */
export function Notice({ tone, id, children }: { tone: "good" | "bad"; id?: string; children: ReactNode }) {
  const good = tone === "good";
  const Icon = good ? CircleCheck : CircleAlert;
  return (
    <div
      id={id}
      role={good ? "status" : "alert"}
      tabIndex={-1}
      // biome-ignore lint/a11y/noAutofocus: it is the result of the form that was just submitted
      autoFocus={!good}
      className={`flex animate-rise items-start gap-2 rounded-md px-3 py-2.5 text-sm ${good ? "bg-good-wash text-good" : "bg-bad-wash text-bad"}`}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
