import { Link } from "@remix-run/react";
import { useCurrentInView } from "#app/components/navigation/use-current-in-view.ts";

/** Views of one list, as links; the chosen one is marked. */
export function ViewTabs({
  label,
  views,
}: {
  label: string;
  views: { to: string; label: string; current: boolean; count?: number | undefined }[];
}) {
  const box = useCurrentInView<HTMLElement>(views.findIndex(({ current }) => current));
  return (
    <nav ref={box} aria-label={label} className="overflow-x-auto">
      <ul className="flex gap-1.5 pb-1">
        {views.map((view) => (
          <li key={view.to}>
            <Link
              to={view.to}
              aria-current={view.current ? "page" : undefined}
              className="inline-flex h-11 items-center gap-1.5 rounded-md border border-line px-3 text-sm whitespace-nowrap text-muted transition-colors hover:border-line-strong hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-text sm:h-9"
            >
              {view.label}
              {view.count !== undefined && view.count > 0 && (
                <span className="tabular text-xs text-warn">{view.count > 99 ? "99+" : view.count}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
