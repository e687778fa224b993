import type { RefObject } from "react";
import { useBeforePaint } from "./use-before-paint.ts";

/**
 * Passes the form's values to `read` once, after hydration. React keeps what was typed or chosen before hydration but
 * fires no event for it, so a component that mirrors a field in its state has to read the field.
 */
export function useFieldsAtHydration(form: RefObject<HTMLFormElement>, read: (fields: FormData) => void): void {
  // Once, before paint: a later update could first write the server's value back into the field.
  useBeforePaint(() => {
    if (form.current) read(new FormData(form.current));
  }, []);
}

/** Does the same for one field. */
export function useFieldAtHydration(field: RefObject<HTMLInputElement>, read: (value: string) => void): void {
  useBeforePaint(() => {
    if (field.current) read(field.current.value);
  }, []);
}
