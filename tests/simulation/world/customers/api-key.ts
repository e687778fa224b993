import type { Customer } from "../open-world.ts";
import type { Site } from "../site.ts";

export type ApiKey = { id: string; value: string };

/** Creates an API key with the page's form. Returns null if the response did not show one. */
export async function createKey(
  site: Site,
  { person, userId }: Pick<Customer, "person" | "userId">,
): Promise<ApiKey | null> {
  const name = `World ${person.canary}`;
  const fields = { intent: "create-key", name, may: "order", access: "order", scope: "order" };
  return shownKey(site, userId, (await person.submit("/dashboard/api", fields)).html);
}

/** Returns the key that a page shows once. */
export async function shownKey(site: Site, userId: string, html: string): Promise<ApiKey | null> {
  const value = /gl_live_[0-9a-f]+/.exec(html)?.[0];
  const [newest] = await site.query<{ id: string }>(
    "select id from api_keys where user_id = ? order by created_at desc, rowid desc limit 1",
    userId,
  );
  return value && newest ? { id: newest.id, value } : null;
}
