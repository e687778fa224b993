import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { UNTIL_ANSWER_MS } from "#app/support/protocol/console-frames.ts";
import { snoozeTimes } from "./snooze-times.ts";

const WAKES = { weekday: "short", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" } as const;

export const SNOOZE_ID = "snooze";

/** Hides the conversation from the open list until a chosen time, or shows it again. */
export function SnoozeField({
  until,
  isOpen,
  onSnooze,
}: {
  until: number;
  /** A closed conversation is in no list to be hidden from. */
  isOpen: boolean;
  onSnooze: (until: number) => void;
}) {
  const { locale } = useFormats();
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={SNOOZE_ID} className="font-medium">
        Snooze
      </label>
      {isOpen && until > Date.now() ? (
        <>
          <p className="text-muted">
            {until === UNTIL_ANSWER_MS
              ? "Hidden until the visitor writes."
              : `Hidden until ${new Intl.DateTimeFormat(locale, WAKES).format(until)}, or until the visitor writes.`}
          </p>
          <Button id={SNOOZE_ID} variant="secondary" onClick={() => onSnooze(0)} className="self-start">
            Wake
          </Button>
        </>
      ) : (
        <Select id={SNOOZE_ID} value="" disabled={!isOpen} onChange={({ target }) => onSnooze(Number(target.value))}>
          <option value="" disabled>
            Not snoozed
          </option>
          {snoozeTimes(new Date()).map(({ label, until: time }) => (
            <option key={label} value={time}>
              {label}
            </option>
          ))}
        </Select>
      )}
    </div>
  );
}
