import { useFetchers, useNavigation } from "@remix-run/react";
import { useEffect } from "react";

export type SentForm = { action: string; encType: string | undefined; fields: [name: string, value: string][] };

/** The field with the key that makes a form take effect once, however often it is sent. */
const KEY = "once";

/** Outlives the page that sent it: an error page stands in its place. */
let sent: SentForm | null = null;

/** Remembers the keyed form that is being sent, and no other. */
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

/** Returns the keyed form that was being sent when the page failed. Call it while the error page first renders. */
export function unansweredForm(): SentForm | null {
  return sent;
}
