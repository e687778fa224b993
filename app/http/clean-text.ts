/** Controls that turn the direction of what follows: a name with one of them can pose as another. */
const DIRECTION_OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g;
/** Tabs and line breaks, which become a space. */
const LINE_CONTROLS = /[\t-\r\u0085\u2028\u2029]+/g;
/** Marks and controls that names do not need. Joiners stay: Persian and some emoji do. */
const NAME_CONTROLS = /[\p{Cc}\p{Bidi_Control}\u200b\u2060-\u2065\ufeff]/gu;
/** Anything but spaces and what fonts do not draw, the empty Braille pattern among them. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Returns whether nothing of a text would be seen. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** Returns a message as it is stored. */
export function cleanMessage(text: string): string {
  return text.replaceAll(DIRECTION_OVERRIDES, "");
}

/**
 * Returns a name that somebody gave to a person, a file or a thing as one line without controls. Empty if nothing of it
 * would be seen.
 */
export function cleanName(name: string): string {
  const clean = name.toWellFormed().replaceAll(LINE_CONTROLS, " ").replaceAll(NAME_CONTROLS, "").trim();
  return isBlank(clean) ? "" : clean;
}
