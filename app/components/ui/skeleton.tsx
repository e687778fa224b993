/** A placeholder in the shape of the loading content: the size comes with `className`. */
export function Skeleton({ className }: { className: string }) {
  return <span aria-hidden className={`block animate-breathe rounded-md bg-line ${className}`} />;
}
