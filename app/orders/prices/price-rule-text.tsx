import { Money } from "#app/components/formats/money-amount.tsx";

/** Names what lowered a charge: "Gold: 10% off $2.00". `usual` is the charge without it, in micro-units. */
export function PriceRuleText({
  rule: { name, basisPoints },
  usual,
}: {
  rule: { name: string; basisPoints: number | null };
  usual: number;
}) {
  return (
    <>
      {name}: {basisPoints === null ? "instead of" : `${basisPoints / 100}% off`} <Money micro={usual} />
    </>
  );
}
