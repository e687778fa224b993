import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { totpContext } from "#app/accounts/factors/totp.server.ts";
import { seal, unseal } from "#app/crypto/seal.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  emails,
  gmailOauthStates,
  gmailTokens,
  providers,
  pushSubscriptions,
  totpSecrets,
  webhookEndpoints,
} from "#app/db/schema.server.ts";
import { emailContext } from "#app/email/queue-email.server.ts";
import { stateContext } from "#app/gmail/connect/gmail-connection.server.ts";
import { tokenContext } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { providerKeyContext } from "#app/orders/providers/provider-link.server.ts";
import { secretContext } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { targetContext } from "#app/push/subscriptions.server.ts";

/** The result for one column. Values encrypted with a missing key are counted as `unreadable` and left unchanged. */
export type Resealed = { column: string; current: number; resealed: number; unreadable: number };

type Row = { at: number; sealed: string; context: string };
type Sealed = {
  name: string;
  table: SQLiteTable;
  column: SQLiteColumn;
  parts: SQL;
  context: (parts: string[]) => string;
};

const ROWS_PER_BATCH = 200;

/** Every encrypted column, with the context each value is bound to. */
export const SEALED_COLUMNS: Sealed[] = [
  {
    name: "providers.encrypted_key",
    table: providers,
    column: providers.encryptedKey,
    parts: sql`json_array(name)`,
    context: ([name = ""]) => providerKeyContext(name),
  },
  ...[webhookEndpoints.secret, webhookEndpoints.previousSecret].map((column) => ({
    name: `webhook_endpoints.${column.name}`,
    table: webhookEndpoints,
    column,
    parts: sql`json_array(id)`,
    context: ([id = ""]: string[]) => secretContext(id),
  })),
  ...(["access", "refresh"] as const).map((kind) => ({
    name: `gmail_tokens.${kind}_token`,
    table: gmailTokens,
    column: kind === "access" ? gmailTokens.accessToken : gmailTokens.refreshToken,
    parts: sql`json_array(user_id, owner_digest)`,
    context: ([userId = "", ownerDigest = ""]: string[]) => tokenContext({ userId, ownerDigest }, kind),
  })),
  {
    name: "emails.sealed_content",
    table: emails,
    column: emails.sealedContent,
    parts: sql`json_array(id)`,
    context: ([id = ""]) => emailContext(id),
  },
  {
    name: "push_subscriptions.sealed_target",
    table: pushSubscriptions,
    column: pushSubscriptions.sealedTarget,
    parts: sql`json_array(digest)`,
    context: ([digest = ""]) => targetContext(digest),
  },
  {
    name: "gmail_oauth_states.code_verifier",
    table: gmailOauthStates,
    column: gmailOauthStates.codeVerifier,
    parts: sql`json_array(state_digest)`,
    context: ([digest = ""]) => stateContext(digest),
  },
  {
    name: "totp_secrets.sealed_secret",
    table: totpSecrets,
    column: totpSecrets.sealedSecret,
    parts: sql`json_array(user_id)`,
    context: ([userId = ""]) => totpContext(userId),
  },
];

/**
 * Re-encrypts all values of older keys with the newest one. Repeatable after an interruption and safe while the site is
 * running: a value that changed in the meantime is left alone.
 */
export async function resealAll(db: Db, encryptionKeys: string): Promise<Resealed[]> {
  const newest = encryptionKeys.split(":")[0]?.trim() ?? "";
  const results: Resealed[] = [];
  for (const sealed of SEALED_COLUMNS) results.push(await resealColumn(db, encryptionKeys, newest, sealed));
  return results;
}

async function resealColumn(db: Db, keys: string, newest: string, sealed: Sealed): Promise<Resealed> {
  const { table, column } = sealed;
  const result: Resealed = { column: sealed.name, current: 0, resealed: 0, unreadable: 0 };
  for (let after = 0; ; ) {
    const rows = await db.all<Row>(
      sql`select rowid as at, ${column} as sealed, ${sealed.parts} as context from ${table}
          where rowid > ${after} and coalesce(${column}, '') <> '' order by rowid limit ${ROWS_PER_BATCH}`,
    );
    for (const row of rows) {
      if (row.sealed.split(".")[0] === newest) {
        result.current++;
        continue;
      }
      const context = sealed.context(JSON.parse(row.context) as string[]);
      const plain = await unseal(keys, context, row.sealed).catch(() => null);
      if (plain === null) {
        result.unreadable++;
        continue;
      }
      const fresh = await seal(keys, context, plain);
      await db.run(
        sql`update ${table} set ${sql.identifier(column.name)} = ${fresh} where rowid = ${row.at} and ${column} = ${row.sealed}`,
      );
      result.resealed++;
    }
    const last = rows.at(-1);
    if (!last) return result;
    after = last.at;
  }
}
