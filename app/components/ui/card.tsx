import type { ReactNode } from "react";

/** A titled part of a page. `flush` lets a table reach the border. As one of several with the same title it is an article. */
export function Card({
  as: Element = "section",
  title,
  titleId,
  aside,
  flush = false,
  className = "",
  children,
}: {
  as?: "section" | "article";
  title: string;
  titleId: string;
  aside?: ReactNode;
  flush?: boolean;
  className?: string;
  children: ReactNode;
}) {
  return (
    <Element
      aria-labelledby={titleId}
      className={`min-w-0 overflow-clip rounded-md border border-line bg-raised ${className}`}
    >
      <header className="flex min-h-12 items-center justify-between gap-4 border-b border-line px-4 sm:px-5">
        <h2 id={titleId} className="text-sm">
          {title}
        </h2>
        {aside}
      </header>
      <div className={flush ? "" : "p-4 sm:p-5"}>{children}</div>
    </Element>
  );
}
