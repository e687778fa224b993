import type { FieldWords } from "./field-words.ts";

/** What the fields of a percent code are called. `ending`: the last characters, which tell codes apart. */
export const PERCENT_CODE_WORDS = {
  name: "Name",
  code: "Code",
  ending: "Ends in",
  percent: "Percent off",
  maxDiscount: "Maximum discount",
  minCharge: "Minimum charge",
  network: "Network",
  uses: "Total uses",
  perCustomer: "Uses per customer",
  starts: "First day (UTC)",
  ends: "Last day (UTC)",
} as const satisfies FieldWords;
