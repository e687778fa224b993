/** A placeholder for loading content. `className` sets its size. */
export function Skeleton({ className }: { className: string }) {
  return <span aria-hidden className={`block animate-breathe rounded-md bg-line ${className}`} />;
}
