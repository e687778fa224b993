import type { DocOperation } from "./reference.server.ts";

const BEFORE = [
  ["authentication", "Authentication"],
  ["test-key", "Test keys"],
  ["idempotency", "Idempotency"],
  ["limits", "Limits"],
  ["statuses", "Statuses"],
];
const AFTER = [
  ["webhooks", "Webhooks"],
  ["order-types", "Service types"],
  ["errors", "Errors"],
  ["changelog", "Changelog"],
];

/** Shows the table of contents beside the page on wide screens; `compact` collapses it on narrow ones. */
export function Contents({ operations, compact = false }: { operations: DocOperation[]; compact?: boolean }) {
  if (compact) {
    return (
      <details className="mb-8 rounded-md border border-line lg:hidden">
        <summary className="flex min-h-11 items-center px-4 text-sm font-medium">Contents</summary>
        <nav aria-label="Page contents" className="border-t border-line px-4 py-2">
          <Links operations={operations} />
        </nav>
      </details>
    );
  }
  return (
    <nav
      aria-label="Contents"
      className="sticky top-0 hidden max-h-dvh w-44 shrink-0 self-start overflow-y-auto py-10 lg:block"
    >
      <Links operations={operations} />
    </nav>
  );
}

function Links({ operations }: { operations: DocOperation[] }) {
  const groups = [...new Set(operations.map(({ group }) => group))];
  return (
    <div className="flex flex-col gap-5 text-sm">
      <List links={BEFORE} />
      {groups.map((group) => (
        <div key={group}>
          <p className="font-medium">{group}</p>
          <List
            links={operations.filter((operation) => operation.group === group).map(({ id, title }) => [id, title])}
          />
        </div>
      ))}
      <List links={AFTER} />
    </div>
  );
}

function List({ links }: { links: string[][] }) {
  return (
    <ul>
      {links.map(([id, title]) => (
        <li key={id}>
          <a href={`#${id}`} className="flex min-h-11 items-center text-muted hover:text-text lg:min-h-7">
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}
