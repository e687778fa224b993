/** The forms of tiers, by their intents. */
export const TIER = "tier";
export const SET_RATES = "rates";
export const DELETE_TIER = "delete-tier";
export const ASSIGN_TIER = "assign-tier";
