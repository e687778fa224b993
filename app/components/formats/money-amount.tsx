import { useFormats } from "./formats-provider.tsx";

/** An amount in cents, with the exact one on hover where it differs. `direction` is whether it was added or deducted. */
export function Money({ micro, direction }: { micro: number; direction?: "in" | "out" }) {
  const { money, exactMoney } = useFormats();
  const shown = money(micro);
  const exact = exactMoney(micro);
  return (
    <span
      title={exact === shown ? undefined : exact}
      className={`tabular whitespace-nowrap ${direction === "in" ? "text-good" : ""}`}
    >
      {direction === "in" ? `+${shown}` : shown}
    </span>
  );
}

/** A price per 1,000 or per order, with the digits it needs. */
export function Rate({ micro }: { micro: number }) {
  return <span className="tabular whitespace-nowrap">{useFormats().exactMoney(micro)}</span>;
}
