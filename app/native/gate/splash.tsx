import { Mark } from "#app/components/ui/mark.tsx";

/** Covers the window while the gate decides which page an app may show. */
export function Splash() {
  return (
    <div role="status" className="fixed inset-0 z-60 grid place-items-center bg-surface">
      <Mark className="size-16 animate-breathe" />
      <span className="sr-only">Opening</span>
    </div>
  );
}
