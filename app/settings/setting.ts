import { z } from "zod";
import { ownValue } from "#app/own-value.ts";
import { MICRO } from "#app/product.ts";
import type { FieldWord } from "#app/words/field-words.ts";

/**
 * What a setting is: its words, bounds and default, and how its value is written. Its form and the refusals of what is typed,
 * the audit log, undo and what its page says below it follow from that.
 */

/** The part of the environment that gives defaults. */
export type DefaultsEnv = Partial<Pick<Env, "CONVERSATIONS_KEPT_DAYS">>;

/** How a form shows a setting. `box`: the label of its checkbox, where it isn't the setting's. */
export type Control =
  | { kind: "money" | "days" | "line" | "zone" }
  | { kind: "text"; rows: number; maxLength?: number }
  | { kind: "number"; min: number; max: number }
  | { kind: "email"; maxLength: number }
  | { kind: "choice"; values: Record<string, string> }
  | { kind: "switch"; box?: string }
  /** A checkbox with a text for those it concerns. */
  | { kind: "switchedText"; box: string; label: string; rows: number; maxLength: number }
  /** A span of time of a day, whose inputs end in the day's number. */
  | { kind: "span"; day: number };

export type Setting<Value> = {
  /** Starts with a capital letter. Its form, the audit log and a plan to undo call it the same. */
  label: string;
  /** A description of what it does, and from when a change applies. */
  help: string;
  /** The card that it stands on. */
  group: string;
  /** Its bounds, in words. Without them, its card says them of all its settings. */
  bounds?: string;
  control: Control;
  initial: (env: DefaultsEnv) => Value;
  /** Accepts a stored value, within its bounds. */
  value: z.ZodType<Value>;
  /** Makes a value of what a form sends. What it can't read becomes something that `value` refuses. */
  parse: (typed: string, isOn: boolean) => unknown;
  /** Writes a value for the form and the audit log. */
  text: (value: Value) => string;
  /** What differs in the audit log: name, label, and how a value is written there and read for an undo. */
  logged?: { name?: string; label?: string; text?: (value: Value) => string; read?: (text: string) => unknown };
};

// biome-ignore lint/suspicious/noExplicitAny: each has its own value
export type Settings = Readonly<Record<string, Setting<any>>>;

/** Returns the settings for code that treats all alike. */
export function settingEntries(settings: Settings): [name: string, setting: Setting<unknown>][] {
  return Object.entries(settings);
}

export type ValuesOf<All extends Settings> = { [Name in keyof All]: z.output<All[Name]["value"]> };

/** Returns all values. One that is out of bounds, as after a change of the bounds, counts as none: the default. */
export function storedValues<All extends Settings>(
  settings: All,
  stored: Record<string, unknown>,
  env: DefaultsEnv,
): ValuesOf<All> {
  const values = Object.entries(settings).map(([name, { value, initial }]) => {
    const known = Object.hasOwn(stored, name) ? value.safeParse(ownValue(stored, name)) : null;
    return [name, known?.success ? known.data : initial(env)];
  });
  return Object.fromEntries(values);
}

/** Returns values as the audit log has them, by their names there. */
export function loggedTexts<All extends Settings>(settings: All, values: ValuesOf<All>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [
      loggedName(name, setting),
      loggedText(setting, ownValue<unknown>(values, name)),
    ]),
  );
}

/** Returns what differs between two states, as the audit log has it: from what to what. */
export function loggedChanges<All extends Settings>(settings: All, before: ValuesOf<All>, after: ValuesOf<All>) {
  const [old, now] = [loggedTexts(settings, before), loggedTexts(settings, after)];
  const changes = Object.entries(now).map(([name, text]) => [name, [ownValue(old, name) ?? "", text]] as const);
  return Object.fromEntries(changes.filter(([, [from, to]]) => from !== to));
}

export function loggedName(name: string, { logged }: { logged?: { name?: string } }): string {
  return logged?.name ?? name;
}

export function loggedText<Value>({ logged, text }: Setting<Value>, value: Value): string {
  return (logged?.text ?? text)(value);
}

/** Reads what `loggedText` wrote. What it can't read becomes something that the setting's `value` refuses. */
export function readLogged<Value>({ logged, parse }: Setting<Value>, text: string): unknown {
  return logged?.read ? logged.read(text) : parse(text, false);
}

/** Returns what the settings and their values are called in the audit log. */
export function settingWords(settings: Settings): Record<string, FieldWord> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]): [string, FieldWord] => {
      const { label, logged, control } = setting;
      const values = control.kind === "choice" && { values: control.values };
      const valueKind = control.kind === "money" && ({ valueKind: "money" } as const);
      return [loggedName(name, setting), { label: logged?.label ?? label, ...values, ...valueKind }];
    }),
  );
}

/** Returns a value as its form shows it: the name of a choice. */
export function shownText<Value>({ control, text }: Setting<Value>, value: Value): string {
  const written = text(value);
  return (control.kind === "choice" ? ownValue(control.values, written) : undefined) ?? written;
}

type Words = { label: string; help: string; group: string };

const CENT = MICRO / 100;

/** An amount in whole cents. `min` and `max` are in dollars, the value and `initial` in micro-units. */
export function moneySetting(given: Words & { min: number; max: number; initial: number }): Setting<number> {
  const { min, max, initial, ...words } = given;
  const bounds = `$${min.toLocaleString("en-US")} to $${max.toLocaleString("en-US")}`;
  const error = `Enter an amount from ${bounds}, in whole cents`;
  return {
    ...words,
    bounds,
    control: { kind: "money" },
    initial: () => initial,
    value: z
      .int(error)
      .min(min * MICRO, error)
      .max(max * MICRO, error)
      .multipleOf(CENT, error),
    parse: (typed) => {
      const [, whole, cents = ""] = /^\$?(\d{1,9})(?:\.(\d{1,2}))?$/.exec(typed) ?? [];
      return whole === undefined ? null : Number(whole) * MICRO + Number(cents.padEnd(2, "0")) * CENT;
    },
    text: (micro) => (micro / MICRO).toFixed(2),
  };
}

/** Days that something is kept, as a whole number within its bounds. */
export function keptDays(given: Words & { min: number; max: number; initial: number }): Setting<number> {
  const { min, max, initial, ...words } = given;
  const bounds = `${min} to ${max} days`;
  const error = `Enter ${bounds}`;
  return {
    ...words,
    bounds,
    control: { kind: "days" },
    initial: () => initial,
    value: z.int(error).min(min, error).max(max, error),
    parse: wholeNumber,
    text: String,
  };
}

/** The same, or forever. */
export function keptDaysOrForever(
  given: Words & { min: number; max: number; initial: (env: DefaultsEnv) => string | undefined },
): Setting<number | null> {
  const { min, max, initial, ...words } = given;
  const error = `Enter ${min} to ${max} days, or leave it empty`;
  return {
    ...words,
    bounds: `${min} to ${max} days, or empty`,
    control: { kind: "days" },
    initial: (env) => {
      const days = wholeNumber(initial(env) ?? "");
      return days !== null && days >= min && days <= max ? days : null;
    },
    value: z.int(error).min(min, error).max(max, error).nullable(),
    parse: (typed) => (typed === "" ? null : (wholeNumber(typed) ?? -1)),
    text: (days) => (days === null ? "" : String(days)),
  };
}

function wholeNumber(typed: string): number | null {
  return /^\d{1,9}$/.test(typed) ? Number(typed) : null;
}

export function choiceSetting<const Values extends Record<string, string>>(
  given: Words & { values: Values; initial: keyof Values & string },
): Setting<keyof Values & string> {
  const { values, initial, ...words } = given;
  return {
    ...words,
    bounds: "",
    control: { kind: "choice", values },
    initial: () => initial,
    value: z.enum(Object.keys(values) as (keyof Values & string)[], "Choose one"),
    parse: (typed) => typed,
    text: (choice) => choice,
  };
}

/** A line of text, which is empty at first. */
export function lineSetting(given: Words & { bounds: string; value: z.ZodType<string> }): Setting<string> {
  return { ...given, control: { kind: "line" }, initial: () => "", parse: (typed) => typed, text: (line) => line };
}

export function switchSetting(
  given: Words & { initial: boolean; bounds?: string; box?: string; logged?: { name: string } },
): Setting<boolean> {
  const { initial, box, logged, ...words } = given;
  return {
    ...words,
    control: { kind: "switch", ...(box !== undefined && { box }) },
    initial: () => initial,
    value: z.boolean(),
    parse: (_, isOn) => isOn,
    text: (isOn) => (isOn ? "on" : "off"),
    logged: { ...logged, read: (text) => text === "on" },
  };
}
