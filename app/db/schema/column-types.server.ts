import { type BuildColumns, getTableColumns, sql } from "drizzle-orm";
import {
  customType,
  integer,
  type SQLiteColumn,
  type SQLiteColumnBuilderBase,
  type SQLiteTable,
  type SQLiteTableExtraConfigValue,
  // biome-ignore lint/style/noRestrictedImports: the two that all others use are made of it.
  sqliteTable,
  text,
} from "drizzle-orm/sqlite-core";
import { ownValue } from "#app/own-value.ts";
import { MAX_INT32 } from "#app/product.ts";

/** The bound as a literal, because a CHECK cannot have parameters. */
export const MAX_INT32_SQL = sql.raw(String(MAX_INT32));

/** Text that compares ignoring ASCII case, so an email is unique in any spelling. */
export const caselessText = customType<{ data: string }>({ dataType: () => "text COLLATE NOCASE" });

export const flag = (name = "") => integer(name, { mode: "boolean" });
export const json = <Data>(name = "") => text(name, { mode: "json" }).$type<Data>();

export function oneOf(column: string, values: readonly string[]) {
  const list = values.map((value) => `'${value}'`).join(", ");
  return sql.raw(`"${column}" in (${list})`);
}

/** What a column says about itself: what its number means, and whose its value is. */
export type Meaning = { kind?: Kind; whose?: Whose; isKept?: boolean; exportName?: string };
export type Kind = "money" | "time" | "day" | "basisPoints" | "minorUnits" | "currency";
/** In "Export my data"; in no export; a digest or encrypted, which no loader returns; named like a secret, but shown. */
export type Whose = "exported" | "internal" | "secret" | "shown";

/** By builder, and by the column that its table makes of it. */
const meanings = new WeakMap<object, Meaning>();
const personal = new WeakSet<object>();

export function meaningOf(column: SQLiteColumn): Meaning {
  return meanings.get(column) ?? {};
}

/** Micro-units, 1/1,000,000 of the currency. */
export const money = (name = "") => withMeaning(integer(name), { kind: "money" });
/** Milliseconds since 1970. */
export const time = (name = "") => withMeaning(integer(name), { kind: "time" });
/** Days since 1970, UTC. */
export const day = (name = "") => withMeaning(integer(name), { kind: "day" });
/** Hundredths of a percent. */
export const basisPoints = (name = "") => withMeaning(integer(name), { kind: "basisPoints" });
/** An amount in a card's currency, as Stripe counts it: cents, or whole yen. */
export const minorUnits = (name = "") => withMeaning(integer(name), { kind: "minorUnits" });
/** ISO 4217 in Stripe's lower case. */
export const currency = (name = "") => withMeaning(text(name), { kind: "currency" });

/** Whose the value of a column is. Deleting the account deletes it, with its row or by overwriting it. */
export const { exported, internal, secret, shown } = classes(false);
/** The same for a column whose value stays when the account is deleted. */
export const kept = classes(true);

function classes(isKept: boolean) {
  return {
    /** `exportName`: the name of the column in the export, if it isn't its own. */
    exported: <Builder extends object, const Name extends string | undefined = undefined>(
      builder: Builder,
      exportName?: Name,
    ) => withMeaning(builder, { whose: "exported", isKept, exportName: exportName as Name }),
    internal: <Builder extends object>(builder: Builder) => withMeaning(builder, { whose: "internal", isKept }),
    secret: <Builder extends object>(builder: Builder) => withMeaning(builder, { whose: "secret", isKept }),
    shown: <Builder extends object>(builder: Builder) => withMeaning(builder, { whose: "shown", isKept }),
  };
}

/** Adds to what a column means, for the compiler and for `meaningOf`. */
function withMeaning<Builder extends object, const Added extends Meaning>(builder: Builder, added: Added) {
  meanings.set(builder, { ...meanings.get(builder), ...added });
  return builder as Builder & { _: Added };
}

type Builders = Record<string, SQLiteColumnBuilderBase>;
type Constraints<Name extends string, Columns extends Builders> = (
  table: BuildColumns<Name, Columns, "sqlite">,
) => SQLiteTableExtraConfigValue[];

/** A table that names a person. A column that doesn't say whose it is, is a compile error. */
export function personalTable<Name extends string, Columns extends Builders>(
  name: Name,
  columns: Columns & { [Key in keyof Columns]: { _: { whose: WhoseOf<Key> } } & KindOf<Key, Columns[Key]["_"]> },
  constraints?: Constraints<Name, Columns>,
) {
  const table = carryMeanings(sqliteTable<Name, Columns>(name, columns, constraints), columns);
  personal.add(table);
  return table;
}

/** A table that names nobody. A column of free text that doesn't say whether it is secret or shown, is a compile error. */
export function impersonalTable<Name extends string, Columns extends Builders>(
  name: Name,
  columns: Columns & { [Key in keyof Columns]: TextClass<Columns[Key]["_"]> & KindOf<Key, Columns[Key]["_"]> },
  constraints?: Constraints<Name, Columns>,
) {
  return carryMeanings(sqliteTable<Name, Columns>(name, columns, constraints), columns);
}

export function isPersonal(table: SQLiteTable): boolean {
  return personal.has(table);
}

function carryMeanings<Table extends SQLiteTable>(table: Table, builders: Builders): Table {
  for (const [key, column] of Object.entries(getTableColumns(table))) {
    meanings.set(column, meanings.get(ownValue(builders, key) ?? column) ?? {});
  }
  return table;
}

/** A column whose name promises a secret is one, unless it says that it is shown. */
type WhoseOf<Key> = Key extends string
  ? Lowercase<Key> extends
      | `${string}${"digest" | "hash" | "secret" | "token" | "password" | "verifier"}`
      | `${"sealed" | "encrypted"}${string}`
    ? "secret" | "shown"
    : Exclude<Whose, "shown">
  : never;

/** A number whose name promises a time is one. */
type KindOf<Key, Config extends SQLiteColumnBuilderBase["_"]> = Key extends `${string}${"At" | "Until" | "Since"}`
  ? number extends DataOf<Config>
    ? { _: { kind: "time" } }
    : unknown
  : unknown;

type TextClass<Config extends SQLiteColumnBuilderBase["_"]> =
  string extends DataOf<Config> ? { _: { whose: "secret" | "shown" } } : unknown;

type DataOf<Config extends SQLiteColumnBuilderBase["_"]> = Config extends { $type: infer Data } ? Data : Config["data"];
