import { Link } from "@remix-run/react";
import { Rate } from "#app/components/formats/money-amount.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import type { QuarantineDecision } from "#app/db/schema.server.ts";
import { limitsText } from "#app/orders/providers/catalog-report.ts";
import { WAITING_REASONS } from "#app/orders/services/service-guard.ts";
import type { QuarantineResult } from "./quarantine-form.server.ts";
import { RateChange } from "./rate-change.tsx";
import type { LeftChange, ShownFigures } from "./shown-change.ts";

const ENDINGS: Record<QuarantineDecision, string> = {
  take: "the new price was taken",
  keep: "our rate was kept",
  off: "it was kept off sale",
  gone_by: "the provider took its change back",
};

const FIGURES: { label: string; of: (figures: ShownFigures) => number | null }[] = [
  { label: "Cost", of: ({ cost }) => cost },
  { label: "By the rule", of: ({ rateByRule }) => rateByRule },
  { label: "Our rate", of: ({ rate }) => rate },
];

/** The result of a decision. Names each change that was left alone, as it was shown and as it is. */
export function DecisionResult({
  message,
  ok,
  left,
}: {
  message: string;
  ok: boolean;
  left: QuarantineResult["left"];
}) {
  return (
    <div className="border-b border-line px-4 py-3 sm:px-5">
      <Notice tone={ok ? "good" : "bad"}>{message}</Notice>
      {left && (
        <>
          <ul aria-label="Left alone" className="mt-3 flex flex-col gap-2 text-sm">
            {left.listed.map((change) => (
              <li key={change.serviceId}>
                <Link to={`/admin/services/${change.serviceId}`} className="underline underline-offset-4">
                  {change.name}
                </Link>{" "}
                <span className="text-muted">
                  <Difference change={change} />
                </span>
              </li>
            ))}
          </ul>
          {left.count > left.listed.length && (
            <p className="mt-2 text-sm text-muted">And {left.count - left.listed.length} more.</p>
          )}
        </>
      )}
    </div>
  );
}

function Difference({ change: { shown, now, decision } }: { change: LeftChange }) {
  const ending = decision === null ? null : `What you saw was decided: ${ENDINGS[decision]}.`;
  if (now === null) return ending ?? "No longer waits.";
  const changed = FIGURES.filter(({ of }) => of(shown) !== of(now));
  const isNarrower = shown.min !== now.min || shown.max !== now.max;
  return (
    <>
      {ending && `${ending} `}
      {WAITING_REASONS[now.reason].title}
      {changed.map(({ label, of }) => (
        <span key={label}>
          {" · "}
          {label}: <Figure value={of(shown)} other={of(now)} />
        </span>
      ))}
      {isNarrower && ` · Quantity: ${limitsText(shown)} → ${limitsText(now)}`}
      {changed.length === 0 && !isNarrower && " · The service's other settings or the rule's changed"}
    </>
  );
}

function Figure({ value, other }: { value: number | null; other: number | null }) {
  if (value !== null && other !== null) return <RateChange before={value} after={other} />;
  return (
    <>
      {value === null ? "none" : <Rate micro={value} />} → {other === null ? "none" : <Rate micro={other} />}
    </>
  );
}
