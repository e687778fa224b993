import { integer, text } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { exportedColumns } from "#app/db/exported-columns.server.ts";
import {
  exported,
  impersonalTable,
  internal,
  isPersonal,
  kept,
  meaningOf,
  money,
  personalTable,
  secret,
  shown,
  time,
} from "./column-types.server.ts";

test("a column tells what it means, whatever its builder was told after that", () => {
  const people = personalTable("people", {
    no: kept.exported(integer(), "person").primaryKey(),
    paid: exported(money("paid_so_far")).notNull().default(0),
    digest: shown(text()),
    seenAt: internal(time("seen_at")).$onUpdate(() => Date.now()),
  });
  expect(isPersonal(people)).toBe(true);
  expect(meaningOf(people.no)).toEqual({ whose: "exported", isKept: true, exportName: "person" });
  expect(meaningOf(people.paid)).toEqual({ kind: "money", whose: "exported", isKept: false });
  expect(meaningOf(people.seenAt)).toEqual({ kind: "time", whose: "internal", isKept: false });
  expect(Object.keys(exportedColumns(people))).toEqual(["person", "paid"]);
});

test("the compiler refuses a column that hides whose it is, and one whose name promises something else", () => {
  const id = () => internal(integer()).primaryKey();
  const tables = [
    // @ts-expect-error: it doesn't say whose it is.
    personalTable("people", { id: id(), name: text() }),
    // @ts-expect-error: it is named like a secret.
    personalTable("people", { id: id(), tokenDigest: exported(text()) }),
    // @ts-expect-error: it is named like a time.
    personalTable("people", { id: id(), seenAt: internal(integer()) }),
    // @ts-expect-error: the text doesn't say whether it is secret.
    impersonalTable("things", { id: integer().primaryKey(), name: text() }),
    // @ts-expect-error: it is named like a time.
    impersonalTable("things", { id: integer().primaryKey(), soldSince: integer() }),
    impersonalTable("things", { id: integer().primaryKey(), name: secret(text()), kind: text({ enum: ["a", "b"] }) }),
  ];
  expect(tables.filter(isPersonal)).toHaveLength(3);
});
