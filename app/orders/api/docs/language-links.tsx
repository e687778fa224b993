import { Link } from "@remix-run/react";
import { LANGUAGE_NAMES } from "./code-samples.ts";

/**
 * Chooses the language of all samples on the page. Links work before hydration. They have no transition: inside a
 * section that `defer-paint` skipped, it would start from the browser's link blue.
 */
export function LanguageLinks({
  language,
  anchor,
  names = LANGUAGE_NAMES,
}: {
  language: string;
  anchor: string;
  names?: Record<string, string>;
}) {
  return (
    // A group, not a landmark: the page has many.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div role="group" aria-label="Sample language" className="flex flex-wrap gap-1">
      {Object.entries(names).map(([known, name]) => (
        <Link
          key={known}
          to={`?lang=${known}#${anchor}`}
          replace
          preventScrollReset
          rel="nofollow"
          aria-current={known === language ? "true" : undefined}
          className="inline-flex h-11 items-center rounded-md px-3 text-sm text-muted hover:text-text aria-[current]:bg-raised aria-[current]:text-text sm:h-8"
        >
          {name}
        </Link>
      ))}
    </div>
  );
}
