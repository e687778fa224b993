import { useFetchers, useNavigation } from "@remix-run/react";
import { useEffect } from "react";

export type SentForm = { action: string; encType: string | undefined; fields: [name: string, value: string][] };

/** The field with the key that makes a form take effect once, however often it is sent. */
const KEY = "once";

/** Outlives the page that sent it: an error page stands in its place. */
let sent: SentForm | null = null;

/** Keeps the form with a key that is on its way, and no other. */
export function KeepForm(): null {
  const ways = [useNavigation(), ...useFetchers()];
  const sending = ways.find(({ state, formData }) => state !== "idle" && formData?.has(KEY));
  const { formData, formAction, formEncType } = sending ?? {};
  useEffect(() => {
    sent = null;
    const fields = [...(formData ?? [])].filter((field): field is [string, string] => typeof field[1] === "string");
    if (formAction) sent = { action: formAction, encType: formEncType, fields };
  }, [formData, formAction, formEncType]);
  return null;
}

/** Returns the form that was on its way when the page failed that is about to be shown. Asked for later, there is none. */
export function unansweredForm(): SentForm | null {
  return sent;
}
