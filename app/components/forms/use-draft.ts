import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { tabStorage } from "#app/components/storage/browser-storage.ts";
import { ownValue } from "#app/own-value.ts";

/**
 * Keeps unsent input in this tab's storage, so that it survives a reload, being offline and an error page. `key` names
 * the form, and its owner where that matters: `order`, `support:${sessionId}`. A null key keeps nothing.
 */
const PREFIX = "growline.draft.v1:";

/** Like `useState(initial)`, but kept. Setting "" forgets it. The server and the first render return `initial`. */
export function useDraft(key: string | null, initial = ""): [string, (text: string) => void] {
  const [text, setText] = useState(initial);
  useEffect(() => {
    const kept = key === null ? null : readDraft(key);
    if (kept !== null) setText(kept);
  }, [key]);
  const set = useCallback(
    (next: string) => {
      setText(next);
      if (key !== null) writeDraft(key, next);
    },
    [key],
  );
  return [text, set];
}

/**
 * Keeps all fields of a form, except passwords, files and hidden fields. Put `ref` on the <form> and call `forget` once
 * it was sent. Restored values reach controlled fields through an input event.
 */
export function useFormDraft(key: string | null): { ref: RefObject<HTMLFormElement>; forget: () => void } {
  const ref = useRef<HTMLFormElement>(null);

  useEffect(() => {
    const form = ref.current;
    if (!form || key === null) return;
    restore(form, readDraft(key));
    const keep = () => writeDraft(key, JSON.stringify(valuesOf(form)));
    form.addEventListener("input", keep);
    form.addEventListener("change", keep);
    return () => {
      form.removeEventListener("input", keep);
      form.removeEventListener("change", keep);
    };
  }, [key]);

  const forget = useCallback(() => {
    if (key !== null) forgetDraft(key);
  }, [key]);
  return { ref, forget };
}

/** Also covers textareas and selects, which share the properties used here. */
type Control = HTMLInputElement;

const NOT_KEPT = new Set(["password", "file", "hidden", "submit", "button", "reset", "image"]);

function controlsOf(form: HTMLFormElement): Control[] {
  const controls = [...form.querySelectorAll<Control>("input[name], textarea[name], select[name]")];
  return controls.filter(({ type }) => !NOT_KEPT.has(type));
}

function valuesOf(form: HTMLFormElement): Record<string, string> {
  const values: Record<string, string> = {};
  for (const control of controlsOf(form)) {
    if (isTicked(control)) {
      if (control.type === "checkbox") values[`${control.name}=${control.value}`] = String(control.checked);
      else if (control.checked) values[control.name] = control.value;
    } else values[control.name] = control.value;
  }
  return values;
}

/** A restored choice may show more fields one frame later, so restoring runs a few times. */
const ROUNDS = 3;

function restore(form: HTMLFormElement, kept: string | null): void {
  const values = parse(kept);
  if (Object.keys(values).length === 0) return;
  const done = new Set<Control>();
  let round = 0;
  const go = () => {
    for (const control of controlsOf(form)) {
      const value = ownValue(values, control.type === "checkbox" ? `${control.name}=${control.value}` : control.name);
      if (value === undefined || done.has(control)) continue;
      done.add(control);
      if (isTicked(control)) {
        const wanted = control.type === "checkbox" ? value === "true" : control.value === value;
        if (wanted !== control.checked && (wanted || control.type === "checkbox")) control.click();
      } else if (control.value !== value) setValue(control, value);
    }
    round += 1;
    if (round < ROUNDS) requestAnimationFrame(go);
  };
  go();
}

function isTicked(control: Control): boolean {
  return control instanceof HTMLInputElement && (control.type === "checkbox" || control.type === "radio");
}

/** Uses the prototype's setter: through React's own setter, React would consider the value known and drop the event. */
function setValue(control: Control, value: string): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), "value")?.set?.call(control, value);
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

function parse(kept: string | null): Record<string, string> {
  try {
    const values: unknown = JSON.parse(kept ?? "{}");
    return typeof values === "object" && values !== null ? (values as Record<string, string>) : {};
  } catch {
    return {};
  }
}

/** Returns the draft kept under the key, or null. */
export function readDraft(key: string): string | null {
  return tabStorage.get(PREFIX + key);
}

/** Removes a draft that was sent. */
export function forgetDraft(key: string): void {
  writeDraft(key, "");
}

/** Removes every draft of this tab, because its user logs out. */
export function forgetDrafts(): void {
  for (const key of tabStorage.keys()) if (key.startsWith(PREFIX)) tabStorage.remove(key);
}

export function writeDraft(key: string, text: string): void {
  if (text === "") tabStorage.remove(PREFIX + key);
  else tabStorage.set(PREFIX + key, text);
}
