/** A conflict with what someone else saved while a form was open. */
export type EditConflict = {
  /** Fields with another value than when the form was read. Where `isMine`, the person changed it too. */
  fields: { name: string; saved: string; typed: string; isMine: boolean }[];
  /** Newest first. */
  changedBy: string[];
  /** In ms. Null if it was no person, but an import. */
  changedAt: number | null;
};

/** The result of a form's action, which `ActionForm` shows. */
export type FormResult = {
  /** The form that was submitted. "" for a page with one form. */
  intent: string;
  ok: boolean;
  /** Confirms what was done, or says what is wrong with the form as a whole. */
  message?: string | undefined;
  /** The first error of each field, by its name. */
  fieldErrors?: Record<string, string> | undefined;
  /** The typed values, to show again. Must not contain secrets. A success without values resets the form. */
  values?: Record<string, string> | undefined;
  conflict?: EditConflict | undefined;
};

/** The outcome of a form: a toast after a reload of its page (or on the page `to`), or a result that the form shows. */
export type FormOutcome<Result extends FormResult = FormResult> =
  | { kind: "done"; message: string; to?: string }
  | { kind: "shown"; status: number; result: Result; headers?: HeadersInit };
