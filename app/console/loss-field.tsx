/** The field by which a person agrees to sell a service below cost. */
export const LOSS_FIELD = "loss";
export const AGREED = "on";

/** The box of a form that was refused because its service would sell below cost. Ticked for this one submission. */
export function LossField() {
  return (
    <label className="flex min-h-11 items-center gap-2 text-sm text-text sm:min-h-8">
      <input type="checkbox" name={LOSS_FIELD} value={AGREED} className="size-4 shrink-0 accent-accent" />
      Sell it below cost
    </label>
  );
}
