import { Link, useFetcher } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { RuleEffect } from "./rule-effect.tsx";
import { APPLY_WORD, UNDO_WORD } from "./teaching-intents.ts";
import type { TaughtWordRow, Teaching } from "./teaching-page.server.ts";
import { KIND_NAMES } from "./word-kinds.ts";

/** The words that staff taught for a provider, each with its undo. */
export function TaughtWordsCard({ teaching }: { teaching: Teaching }) {
  const { taught, hasMoreTaught } = teaching;
  const { number } = useFormats();
  return (
    <Card title="Taught words" titleId="taught" flush>
      <ul className="divide-y divide-line">
        {taught.map((row) => (
          <li key={row.id} className="px-4 py-3 sm:px-5">
            <TaughtItem row={row} />
          </li>
        ))}
      </ul>
      {hasMoreTaught && (
        <p className="border-t border-line px-4 py-3 text-sm text-muted sm:px-5">
          These are the newest {number(taught.length)}. There are more.
        </p>
      )}
    </Card>
  );
}

function TaughtItem({ row }: { row: TaughtWordRow }) {
  const fetcher = useFetcher<FormResult>();
  const { id, kind, word, says, createdAt, trial } = row;
  return (
    <>
      {fetcher.data?.ok === false && <Notice tone="bad">{fetcher.data.message}</Notice>}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 text-sm">
          <p className="break-words">
            <span className="font-mono">{word}</span> means {says}
          </p>
          <p className="text-muted">
            {KIND_NAMES[kind]}, taught <RelativeDate at={createdAt} />
          </p>
        </div>
        <ConfirmButton
          sender={fetcher}
          fields={{ intent: UNDO_WORD, word: String(id) }}
          button="Undo rule"
          label={`Undo rule: ${word}`}
          question={`Undo the rule for “${word}”?`}
          description="It's unknown from the next answer on. Orders that it ended stay ended, and money that was refunded stays refunded."
          confirm="Undo the rule"
        />
      </div>
      {trial && <TrialPart row={row} trial={trial} sender={fetcher} />}
    </>
  );
}

function TrialPart({
  row,
  trial,
  sender,
}: {
  row: TaughtWordRow;
  trial: NonNullable<TaughtWordRow["trial"]>;
  sender: ReturnType<typeof useFetcher<FormResult>>;
}) {
  const { money } = useFormats();
  const { orderId, outcome, status, refunded, rest } = trial;
  const outcomes = {
    waiting: "Its provider hasn't been asked about it since. That takes a few minutes.",
    ended: `It ended as ${status}, and ${refunded === 0 ? "nothing" : money(refunded)} was refunded.`,
    goes_on: `It goes on as ${status}.`,
    held: "It ended without saying what was delivered, and waits for your decision.",
  };
  return (
    <div className="mt-2 flex flex-col gap-3 rounded-md border border-line p-3 text-sm">
      <p>
        Tried on{" "}
        <Link to={`/admin/orders/${orderId}`} className="underline underline-offset-4">
          order {orderId}
        </Link>
        . {outcomes[outcome]}
      </p>
      {outcome !== "waiting" && (
        <>
          <p className="font-medium">If you apply it to the rest:</p>
          <RuleEffect preview={rest} />
          <div>
            <ConfirmButton
              sender={sender}
              fields={{ intent: APPLY_WORD, word: String(row.id), digest: rest.digest }}
              variant="secondary"
              button="Apply to the rest"
              label={`Apply to the rest: ${row.word}`}
              question={`Apply “${row.word}” to the rest?`}
              description={`By their kept answers, it ends ${rest.closes} more and refunds ${money(rest.refund)}. Undoing the rule doesn't take refunded money back.`}
              confirm="Apply to the rest"
              confirmVariant="primary"
              keep="Not yet"
              asksIdentity
            />
          </div>
        </>
      )}
    </div>
  );
}
