import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { type CustomerFacts, signsOf } from "./customer-sign-text.ts";

/** Facts about a customer's payments that are worth a look. Nothing without one. */
export function CustomerSignsCard({ facts, now }: { facts: CustomerFacts; now: number }) {
  const { money } = useFormats();
  const signs = signsOf(facts, now, money);
  if (signs.length === 0) return null;
  return (
    <Card title="Worth knowing" titleId="signs">
      <ul className="flex flex-col gap-2 text-sm">
        {signs.map(({ name, text, when, at }) => (
          <li key={name}>
            {text}
            {at !== null && (
              <span className="text-muted">
                {" "}
                · {when} <RelativeDate at={at} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
