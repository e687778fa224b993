/**
 * The words of the audit log, which app/console/audit/audit-vocabulary.ts adds, from where the words are: this floor knows
 * none. An action without a sentence can't be recorded.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled where the words are
export interface AuditVocabulary {}

type Word<Name extends string> = AuditVocabulary extends { [Key in Name]: infer Known extends string } ? Known : never;

/** "order.refund" */
export type AuditAction = Word<"action">;
/** The kind of row that an entry is about: "order". */
export type AuditSubject = Word<"subject">;

/** The subject id of a change of several rows at once, whose subjects `auditSubjectsOf` names. */
export const SEVERAL = "several";
