import type { FieldWords } from "./field-words.ts";

/** What the fields of an announcement are called. Those of the log are `from` and `until`. */
export const ANNOUNCEMENT_WORDS = {
  kind: { label: "Shown as", values: { banner: "Banner above every page", update: "Entry on the Updates page" } },
  audience: {
    label: "Shown to",
    values: { everyone: "Everyone", visitors: "People who aren't logged in", customers: "Logged-in customers" },
  },
  body: "Text",
  link: "Link",
  linkLabel: "Link text",
  startsAt: "From (UTC)",
  endsAt: "Until (UTC)",
  from: "From",
  until: "Until",
} as const satisfies FieldWords;
