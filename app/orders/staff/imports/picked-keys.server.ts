import { z } from "zod";
import type { LargeForm } from "#app/http/requests/read-form.ts";
import { PICK, PICKED } from "./pick-list.tsx";

/** The form of a list with boxes: enough for the keys of 10,000 rows. */
export const PICKS_FORM = {
  encoding: "application/x-www-form-urlencoded",
  maxBytes: 1024 * 1024,
  tooLarge: "Too many rows are ticked for one step. Untick some and send the rest after them.",
} satisfies LargeForm;

/** Returns the keys of the ticked rows: as one list, or as a field for each in a browser without scripts. */
export function pickedKeys(form: FormData): string[] {
  const list = form.get(PICKED);
  if (typeof list !== "string") return form.getAll(PICK).filter((key) => typeof key === "string");
  const parsed = z.array(z.string()).safeParse(parsedJson(list));
  if (!parsed.success) throw new Response(null, { status: 400 });
  return parsed.data;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
