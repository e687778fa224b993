import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** Stands in for an empty list: says what it will contain, and offers one next step. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-start gap-3 px-4 py-8 sm:px-5">
      <Icon aria-hidden className="size-5 text-muted" />
      <div className="max-w-prose text-sm">
        <p className="font-medium">{title}</p>
        {children && <p className="mt-1 text-muted">{children}</p>}
      </div>
      {action}
    </div>
  );
}
