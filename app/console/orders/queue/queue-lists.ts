/** The prefixes of each queue's parameters in the URL of their page. */
export const REFILLS_LIST = "refills.";
export const CANCELLATIONS_LIST = "cancellations.";
