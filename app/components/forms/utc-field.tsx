import { type ComponentProps, useRef, useState, useSyncExternalStore } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { useFieldAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import { Input } from "./field.tsx";
import { FormField } from "./form-field.tsx";

/** A moment typed in UTC, with the same moment by the reader's own clock below it. `initial`: "2026-11-27T08:00". */
export function UtcField({
  name,
  label,
  initial,
}: Pick<ComponentProps<typeof FormField>, "name" | "label"> & { initial: string }) {
  const [typed, setTyped] = useState(initial);
  const input = useRef<HTMLInputElement>(null);
  useFieldAtHydration(input, setTyped);
  return (
    <FormField name={name} label={label} help={<LocalMoment at={Date.parse(`${typed}Z`)} />} initial={initial}>
      {(control, value) => (
        <Input
          {...control}
          ref={input}
          type="datetime-local"
          autoComplete="off"
          defaultValue={value}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </FormField>
  );
}

/** The moment by the reader's own clock, with its zone. The server doesn't know it, and keeps the line's place. */
function LocalMoment({ at }: { at: number }) {
  const { locale } = useFormats();
  const isHydrated = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
  if (!isHydrated || Number.isNaN(at)) return <>For you: …</>;
  const format = new Intl.DateTimeFormat(locale, {
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
  });
  return <>For you: {format.format(at)}</>;
}
