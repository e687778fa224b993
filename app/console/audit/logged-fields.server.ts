import { getTableColumns } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { meaningOf } from "#app/db/schema/column-types.server.ts";
import { checkouts, ledger, orders, priceRules, providers, services } from "#app/db/schema.server.ts";
import { MEANING_NAMES, MEANINGS } from "#app/orders/providers/conventions/error-meanings.ts";
import { ownValue } from "#app/own-value.ts";
import { settingWords } from "#app/settings/setting.ts";
import { SETTINGS } from "#app/settings/site-settings.ts";
import { SUPPORT_SETTINGS } from "#app/support/team/team-settings.ts";
import type { FieldWords } from "#app/words/field-words.ts";
import { PRICE_RULE_WORDS } from "#app/words/price-rule-words.ts";
import { PROVIDER_WORDS } from "#app/words/provider-words.ts";
import { SERVICE_WORDS } from "#app/words/service-words.ts";
import { loggedWords, type ResourceType } from "../resource/resource.ts";
import { resourceOf } from "../resources/all-resources.ts";
import { subjectOfTable } from "./audit-names.server.ts";
import type { LoggedFields } from "./audit-row.ts";
import type { SentenceArea } from "./audit-sentences.ts";

/** Describes the fields of entries whose actions share a first word. */
type Area = {
  /** Tables whose columns have the fields' names, and say what their numbers are and which rows they name. */
  tables?: SQLiteTable[];
  /** Labels of the fields, as in their form, and facts that no column states. */
  words?: FieldWords;
};

const ORDER: Area = { tables: [orders, ledger], words: { providerOrderId: "Provider order ID" } };
const SERVICE: Area = { tables: [services], words: SERVICE_WORDS };

const AREAS: Record<Exclude<SentenceArea, ResourceType>, Area> = {
  order: ORDER,
  orders: ORDER,
  service: SERVICE,
  services: SERVICE,
  provider: {
    tables: [providers],
    words: {
      ...PROVIDER_WORDS,
      provider: PROVIDER_WORDS.name,
      meaning: {
        label: "Meaning",
        values: Object.fromEntries(MEANING_NAMES.map((name) => [name, MEANINGS[name].says])),
        isQuoted: true,
      },
      closes: "Open orders it closes",
      onlyOrderId: "Order it is tried on",
      refund: { label: "Refund of these orders", valueKind: "money" },
      triedOn: "Order it was tried on",
    },
  },
  price_rule: { tables: [priceRules], words: PRICE_RULE_WORDS },
  quarantine: {},
  customer: { tables: [ledger, checkouts] },
  conversation: { words: { until: { label: "Until", valueKind: "time" } } },
  email: { words: { suppressed: { label: "Why it was suppressed", values: { complained: "reported as spam" } } } },
  setting: {
    words: settingWords(SETTINGS),
  },
  settings: { words: settingWords(SUPPORT_SETTINGS) },
};

const known = new Map<string, LoggedFields>();

/** Returns what all fields of an action's entries are. */
export function loggedFields(action: string): LoggedFields {
  const area = action.split(".", 1).join();
  const fields = known.get(area) ?? readArea(area);
  known.set(area, fields);
  return fields;
}

/** Returns what the fields of one entry are, with those words of values that it has. */
export function fieldsOf({ action, detail }: { action: string; detail: Record<string, unknown> }): LoggedFields {
  const fields = loggedFields(action);
  return Object.fromEntries(
    Object.entries(detail).flatMap(([name, value]) => {
      const field = ownValue(fields, name);
      if (!field) return [];
      const { values, ...rest } = field;
      const used = [value].flat().flatMap((one) => {
        const words = ownValue(values, String(one));
        return words === undefined ? [] : [[String(one), words]];
      });
      return [[name, used.length > 0 ? { ...rest, values: Object.fromEntries(used) } : rest]];
    }),
  );
}

function readArea(area: string): LoggedFields {
  const resource = resourceOf(area);
  const { tables = [], words = {} }: Area = resource
    ? { words: loggedWords(resource) }
    : (ownValue<Area>(AREAS, area) ?? {});
  const columns: LoggedFields = Object.assign({}, ...tables.map(columnFields));
  const named = Object.entries(words).map(([name, word]): [string, LoggedFields[string]] => [
    name,
    { ...ownValue(columns, name), ...(typeof word === "string" ? { label: word } : word) },
  ]);
  return { ...columns, ...Object.fromEntries(named) };
}

/** Returns what the columns of a table say about their values. */
function columnFields(table: SQLiteTable): LoggedFields {
  const referred = new Map(
    getTableConfig(table).foreignKeys.map((key): [SQLiteColumn | undefined, string | null] => {
      const { columns, foreignTable } = key.reference();
      return [columns[0], subjectOfTable(foreignTable)];
    }),
  );
  const fields = Object.entries<SQLiteColumn>(getTableColumns(table)).map(([name, column]) => {
    const { kind } = meaningOf(column);
    const names = referred.get(column);
    const valueKind = kind === "money" || kind === "time" || kind === "basisPoints" ? kind : null;
    return [name, { ...(valueKind && { valueKind }), ...(names && { names }) }] as const;
  });
  return Object.fromEntries(fields.filter(([, field]) => Object.keys(field).length > 0));
}
