/** An amount that is already text, "$4.50". `direction` says how it moved the balance. */
export function Money({ text, direction }: { text: string; direction?: "in" | "out" }) {
  return (
    <span className={`tabular whitespace-nowrap ${direction === "in" ? "text-good" : ""}`}>
      {direction === "in" ? `+${text}` : text}
    </span>
  );
}
