/** The checkbox that orders with a doubtful link anyway. `value` says with which. */
export function AgreedLink({ value }: { value: string }) {
  return (
    <label className="flex min-h-11 items-center gap-2.5 text-sm sm:min-h-0">
      <input key={value} type="checkbox" name="agreedLink" value={value} className="size-4 shrink-0 accent-accent" />
      Order with this link anyway
    </label>
  );
}
