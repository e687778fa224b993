import type { FieldTexts } from "#app/http/edits/edit-input.server.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { type Setting, type Settings, shownText } from "#app/settings/setting.ts";

/** The name of the checkbox beside a switched text. */
const BOX = "on";
/** Between the times of a span. */
const TO = "–";

/** A setting as its form shows it. `input` is the name of its input, and `texts` has what its inputs show. */
export type SettingCard = Pick<Setting<never>, "label" | "help" | "group" | "control"> & {
  name: string;
  input: string;
  texts: FieldTexts;
} & SettingFact;

/** What is said below a setting: its bounds, its default as its form shows it, and who changed it last (ms). */
export type SettingFact = {
  bounds: string;
  initial: string;
  isInitial: boolean;
  changed: { by: string; at: number } | null;
};

/** Returns a setting with this value as its form shows it. */
export function cardOf(
  setting: Setting<unknown>,
  of: { name: string; input: string; value: unknown; initial: unknown; changed: SettingFact["changed"] },
): SettingCard {
  const { label, help, group, control, bounds = "" } = setting;
  const { name, input, value, initial, changed } = of;
  const isInitial = setting.text(value) === setting.text(initial);
  const texts = inputTexts(setting, input, value);
  return {
    label,
    help,
    group,
    control,
    bounds,
    name,
    input,
    texts,
    initial: factText(setting, initial),
    isInitial,
    changed,
  };
}

/** Returns the texts of a setting's inputs. A box without its tick is missing. */
export function inputTexts(setting: Setting<unknown>, input: string, value: unknown): FieldTexts {
  const { control, text } = setting;
  switch (control.kind) {
    case "switch":
      return value === true ? { [input]: "on" } : {};
    case "switchedText": {
      const { on, text: typed } = value as { on: boolean; text: string };
      return { [input]: typed, ...(on && { [BOX]: "on" }) };
    }
    case "span": {
      const [from = "", to = ""] = text(value).split(TO);
      // An input for a time has no 24:00.
      return { [`from-${control.day}`]: from, [`to-${control.day}`]: to === "24:00" ? "00:00" : to };
    }
    default:
      return { [input]: text(value) };
  }
}

/** Reads a setting from its inputs. What it can't read becomes something that the setting's `value` refuses. */
export function readInputs({ control, parse }: Setting<unknown>, input: string, form: FormData): unknown {
  if (control.kind === "span") {
    const times = [`from-${control.day}`, `to-${control.day}`].map((name) => formText(form, name));
    return parse(times.every((time) => time === "") ? "" : times.join(TO), false);
  }
  return parse(formText(form, input), form.has(control.kind === "switchedText" ? BOX : input));
}

/** Returns the input that shows a setting's error. */
export function errorInput({ control }: Setting<unknown>, input: string): string {
  return control.kind === "span" ? `from-${control.day}` : input;
}

/** Returns what the inputs of a form are called. */
export function inputLabels(settings: Settings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, { label, control }]) =>
      control.kind === "span"
        ? [
            [`from-${control.day}`, `${label} from`],
            [`to-${control.day}`, `${label} to`],
          ]
        : [[name, label]],
    ),
  );
}

function factText(setting: Setting<unknown>, value: unknown): string {
  const text = shownText(setting, value);
  if (setting.control.kind === "money") return `$${text}`;
  return setting.control.kind === "text" && text !== "" ? `“${text}”` : text || "empty";
}
