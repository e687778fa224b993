import type { ReactNode } from "react";

/** Renders a heading with a link to itself. */
export function Anchored({ id, level, children }: { id: string; level: 2 | 3; children: ReactNode }) {
  const Heading = level === 2 ? "h2" : "h3";
  return (
    <Heading id={id} className={`scroll-mt-6 ${level === 2 ? "text-xl" : "text-base"}`}>
      <a href={`#${id}`} className="hover:underline hover:underline-offset-4">
        {children}
      </a>
    </Heading>
  );
}

export function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="border-t border-line py-10">
      <Anchored id={id} level={2}>
        {title}
      </Anchored>
      <div className="mt-3 flex flex-col gap-3 text-sm [&>p]:max-w-prose">{children}</div>
    </section>
  );
}
