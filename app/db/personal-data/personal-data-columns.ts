import { ACCOUNT_COLUMNS } from "./account-columns.ts";
import { CONTENT_COLUMNS } from "./content-columns.ts";
import { ORDER_COLUMNS } from "./order-columns.ts";

/**
 * The class of every column in each table that names a person: whether "Export my data" includes it, and whether deleting
 * the account deletes or keeps it. docs/personal-data.md says the same per table, in words.
 */
export const PERSONAL_COLUMNS = { ...ACCOUNT_COLUMNS, ...ORDER_COLUMNS, ...CONTENT_COLUMNS };
