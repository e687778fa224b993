import { Link } from "@remix-run/react";
import { LANGUAGE_NAMES, LANGUAGES, type Language } from "./code-samples.ts";

/**
 * Links, so that they work before the scripts are there; the choice holds for the whole page. Without a transition: in
 * what `defer-paint` skipped it would begin at the blue of a browser's own links.
 */
export function LanguageLinks({ language, anchor }: { language: Language; anchor: string }) {
  return (
    // A group, not a landmark: the page has many.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div role="group" aria-label="Language of the samples" className="flex flex-wrap gap-1">
      {LANGUAGES.map((known) => (
        <Link
          key={known}
          to={`?lang=${known}#${anchor}`}
          replace
          preventScrollReset
          rel="nofollow"
          aria-current={known === language ? "true" : undefined}
          className="inline-flex h-11 items-center rounded-md px-3 text-sm text-muted hover:text-text aria-[current]:bg-raised aria-[current]:text-text sm:h-8"
        >
          {LANGUAGE_NAMES[known]}
        </Link>
      ))}
    </div>
  );
}
