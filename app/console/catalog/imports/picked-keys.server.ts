import { z } from "zod";
import { outsideJson } from "#app/http/outside-json.ts";
import type { LargeForm } from "#app/http/requests/read-form.ts";
import { PICK, PICKED } from "./pick-list.tsx";

/** The form of a list with boxes: enough for the keys of 10,000 rows. */
export const PICKS_FORM = {
  encoding: "application/x-www-form-urlencoded",
  maxBytes: 1024 * 1024,
  maxFields: 10_000,
  tooLarge: "Too many rows are ticked for one step. Untick some and send the rest after them.",
} satisfies LargeForm;

/** Returns the keys of the ticked rows: as one list, or as a field for each in a browser without scripts. */
export function pickedKeys(form: FormData): string[] {
  const list = form.get(PICKED);
  if (typeof list !== "string") return form.getAll(PICK).filter((key) => typeof key === "string");
  const parsed = z.array(z.string()).safeParse(outsideJson(list, 1));
  if (!parsed.success) throw new Response(null, { status: 400 });
  return parsed.data;
}
