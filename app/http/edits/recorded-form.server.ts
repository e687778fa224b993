import { z } from "zod";

/** Fields of the forms whose actions are recorded in the audit log. */

export const reason = z.string().trim().min(3, "Enter a reason of at least 3 characters").max(300);

/** The key that makes a form take effect once, however often it is sent. */
export const onceKey = z.uuid("Reload the page and submit the form again");
