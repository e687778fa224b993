import type { ReactNode } from "react";

export function Section({
  id,
  title,
  lead,
  children,
}: {
  id: string;
  title: string;
  lead: string;
  children: ReactNode;
}) {
  return (
    <section
      aria-labelledby={id}
      className="grid gap-x-12 gap-y-8 border-t border-line py-14 sm:py-20 lg:grid-cols-[320px_1fr]"
    >
      <div>
        <h2 id={id} className="scroll-mt-6 text-2xl">
          {title}
        </h2>
        <p className="mt-3 max-w-prose text-muted">{lead}</p>
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
