/** The forms of percent codes, by their intents. */
export const CREATE_PERCENT_CODE = "create-percent-code";
export const DISABLE_PERCENT_CODE = "disable-percent-code";
