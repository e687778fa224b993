/** Names and limits that the form of a note shares with its handler. */

export const NOTE_MAX_CHARS = 2000;
export const NOTE_INTENTS = { add: "note", delete: "delete-note" } as const;
/** The parameter of the URL with the note below which the list begins. */
export const NOTES_BEFORE = "notes-before";
