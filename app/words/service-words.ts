import type { FieldWords } from "./field-words.ts";

/** How strictly the links of orders are checked: those of a service, and by the setting of new services. */
export const LINK_CHECK_WORDS = {
  strict: "Refuse links of another kind",
  warn: "Ask before ordering on the web",
  off: "Don't check",
};

/** What the fields of a service are called. */
export const SERVICE_WORDS = {
  name: "Name",
  network: "Network",
  category: "Category",
  description: "Description",
  type: "Type",
  rate: "Rate",
  min: "Minimum",
  max: "Maximum",
  dripfeed: "Drip-feed",
  refill: "Refill",
  cancel: "Cancel",
  enabled: "On sale",
  providerId: "Provider",
  providerServiceId: "Provider service ID",
  linkKind: "Link",
  linkCheck: { label: "Link check", values: LINK_CHECK_WORDS },
  refillDays: "Refill days",
  position: "Position",
} as const satisfies FieldWords;
