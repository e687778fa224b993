import { Link } from "@remix-run/react";
import Check from "lucide-react/icons/check";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import type { UnreadKind } from "#app/db/schema.server.ts";
import type { Choice } from "./choices.server.ts";
import { RuleEffect } from "./rule-effect.tsx";
import type { RulePreview } from "./rule-preview.server.ts";
import type { TeachingResult } from "./teaching-form.server.ts";
import { PREVIEW_WORD, TEACH_WORD } from "./teaching-intents.ts";
import type { Teaching, UnreadRow } from "./teaching-page.server.ts";
import { KIND_NAMES } from "./word-kinds.ts";

const QUESTIONS: Record<Exclude<UnreadKind, "shape">, string> = {
  state: "What does it mean for the order?",
  refill_state: "What does it mean for the refill?",
  error: "Why is the order refused?",
};

/** The words, texts and answers of a provider that nobody knows yet, each with the form that teaches it. */
export function UnreadAnswersCard({ teaching, result }: { teaching: Teaching; result: TeachingResult | null }) {
  const { unread, hasMoreUnread, choices } = teaching;
  const { number } = useFormats();
  const isOfTeaching = result?.intent === PREVIEW_WORD || result?.intent === TEACH_WORD;
  // The row of what a colleague taught is gone.
  const isGone = isOfTeaching && !result.ok && !unread.some((row) => isAbout(result, row));
  return (
    <Card title="Answers we couldn't read" titleId="unread" flush>
      {isGone && (
        <div className="p-4 pb-0 sm:px-5">
          <Notice tone="bad">{result.message}</Notice>
        </div>
      )}
      {unread.length === 0 ? (
        <EmptyState icon={Check} title="Nothing unknown">
          Words and errors of this provider that we don't know appear here, and you say what they mean.
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line">
          {unread.map((row, at) => (
            <li key={`${row.kind} ${row.key}`} className="flex flex-col gap-3 px-4 py-4 sm:px-5">
              <UnreadItem
                row={row}
                formId={`word-${at}`}
                choices={row.kind === "shape" ? [] : choices[row.kind]}
                result={result && isOfTeaching && isAbout(result, row) ? result : null}
              />
            </li>
          ))}
        </ul>
      )}
      {hasMoreUnread && (
        <p className="border-t border-line px-4 py-3 text-sm text-muted sm:px-5">
          These are the {number(unread.length)} that were seen last. There are more.
        </p>
      )}
    </Card>
  );
}

function isAbout({ values }: TeachingResult, { kind, key }: UnreadRow): boolean {
  return values?.kind === kind && values.key === key;
}

function UnreadItem({
  row,
  formId,
  choices,
  result,
}: {
  row: UnreadRow;
  formId: string;
  choices: Choice[];
  result: TeachingResult | null;
}) {
  const { number } = useFormats();
  const { kind, key, word, orderId, seen, firstSeenAt, lastSeenAt, answer } = row;
  return (
    <>
      <div>
        <p className="font-mono text-sm break-words">{word}</p>
        <p className="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-sm text-muted">
          <span>{KIND_NAMES[kind]}</span>
          <span>
            {seen === 1 ? "seen once" : `seen ${number(seen)} times, first`} <RelativeDate at={firstSeenAt} />
          </span>
          {seen > 1 && (
            <span>
              last <RelativeDate at={lastSeenAt} />
            </span>
          )}
          {orderId !== null && (
            <Link to={`/admin/orders/${orderId}`} className="underline underline-offset-4">
              Order {orderId}
            </Link>
          )}
        </p>
      </div>
      {answer === null ? (
        <p className="text-sm text-muted">No answer is kept.</p>
      ) : (
        <code className="block max-h-40 overflow-y-auto rounded-md bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap">
          {answer || "(nothing)"}
        </code>
      )}
      {kind === "shape" ? (
        <p className="text-sm text-muted">
          This answer has neither a state nor an error, so there's nothing to teach. Decide on the order on its page.
        </p>
      ) : (
        <ActionForm
          id={formId}
          intent={PREVIEW_WORD}
          result={result}
          hidden={{ kind, key }}
          className="flex flex-wrap items-end gap-3"
        >
          <FormField name="meaning" label={QUESTIONS[kind]} className="w-full sm:w-96">
            {(control, value) => (
              <Select {...control} defaultValue={value} required>
                <option value="">Choose…</option>
                {choices.map(({ meaning, says }) => (
                  <option key={meaning} value={meaning}>
                    {says}
                  </option>
                ))}
              </Select>
            )}
          </FormField>
          <SubmitButton variant="secondary">Preview rule</SubmitButton>
        </ActionForm>
      )}
      {result?.rule && <SaveRule key={result.rule.digest} preview={result.rule} formId={formId} result={result} />}
    </>
  );
}

function SaveRule({ preview, formId, result }: { preview: RulePreview; formId: string; result: TeachingResult }) {
  const { rule, tryOn, digest } = preview;
  const { kind, key, meaning } = rule;
  return (
    <ActionForm
      id={`${formId}-save`}
      intent={TEACH_WORD}
      result={result}
      hidden={{ kind, key, meaning, digest }}
      asksIdentity={tryOn !== null}
      className="flex flex-col gap-3 rounded-md border border-line p-3"
    >
      <RuleEffect preview={preview} />
      {tryOn !== null && (
        <p className="text-sm">
          This is a large change, so it's tried on{" "}
          <Link to={`/admin/orders/${tryOn}`} className="underline underline-offset-4">
            order {tryOn}
          </Link>{" "}
          first. You then apply it to the rest.
        </p>
      )}
      <div>
        <SubmitButton>{tryOn === null ? "Save rule" : `Try rule on order ${tryOn}`}</SubmitButton>
      </div>
    </ActionForm>
  );
}
