import { ownValue } from "#app/own-value.ts";

/** Function that returns the only value of a statement's first row, or null if there is no row. */
export type AskDatabase = (statement: string, database: "DB" | "DB_SUPPORT") => Promise<unknown>;

/** Finds an example for the parameter of a page, in any database that has one. */
const EXAMPLES: Record<string, string> = {
  "/admin/audit/:id": "select max(id) from audit_log",
  "/admin/codes/:id": "select max(id) from redeem_batches",
  "/admin/customers/:id": "select user_id from orders order by id desc limit 1",
  "/admin/orders/:id": "select max(id) from orders",
  "/admin/payments/:id": "select id from checkouts order by created_at desc limit 1",
  "/admin/providers/:id": "select min(id) from providers",
  "/admin/services/:id": "select service_id from orders order by id desc limit 1",
  "/admin/services/changes/:id": "select max(id) from audit_log where action = 'services.change'",
  "/admin/support/:id": "select session_id from support_sessions limit 1",
  "/admin/tiers/:id": "select min(id) from tiers",
};
const OF_SUPPORT = /^\/admin\/support\//;

/** Selections, for the pages that show one. */
const SELECTIONS: Record<string, string> = {
  "/admin/orders/bulk": "select 'id=' || max(id) || '&decide=refund' from orders",
  "/admin/services/bulk": "select 'all=1&change=price&by=10'",
};

/** Returns an address for each pattern of the console's pages. Throws for a parameter without an example. */
export async function consolePaths(patterns: string[], ask: AskDatabase): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  for (const pattern of patterns) {
    const example = pattern.includes(":") ? await exampleOf(pattern, ask) : "";
    const selection = ownValue(SELECTIONS, pattern);
    const search = selection === undefined ? "" : `?${await ask(selection, "DB")}`;
    paths.set(pattern, pattern.replace(/:\w+/, encodeURIComponent(example)) + search);
  }
  return paths;
}

async function exampleOf(pattern: string, ask: AskDatabase): Promise<string> {
  const statement = ownValue(EXAMPLES, pattern);
  if (statement === undefined) throw new Error(`tests/operator/console-paths.ts needs an example for ${pattern}`);
  const example = await ask(statement, OF_SUPPORT.test(pattern) ? "DB_SUPPORT" : "DB");
  if (example === null || example === undefined) throw new Error(`there is no example for ${pattern}: ${statement}`);
  return String(example);
}
