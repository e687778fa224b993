/** A place held for what is loading, in its shape: the size comes with `className`. */
export function Skeleton({ className }: { className: string }) {
  return <span aria-hidden className={`block animate-breathe rounded-md bg-line ${className}`} />;
}
