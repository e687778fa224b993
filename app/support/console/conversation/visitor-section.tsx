import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { PRODUCT_NAME } from "#app/product.ts";
import type { SeenPage, VisitedPage } from "#app/support/protocol/console-frames.ts";
import { type Contact, ContactEmail } from "./contact-email.tsx";
import { languageName } from "./language-name.ts";

/** The visitor's address, language and page. What the browser sent is shown as text: a link could lead anywhere. */
export function VisitorSection({
  contact,
  page,
  language,
}: {
  contact: Contact;
  /** The page the visitor is on, null if they are not on the site. */
  page: VisitedPage | null;
  /** Tag of the browser's language, null if it is not known. */
  language: string | null;
}) {
  const { locale } = useFormats();
  return (
    <section aria-labelledby="visitor" className="flex flex-col gap-1.5">
      <h2 id="visitor" className="text-sm">
        Visitor
      </h2>
      <p className="flex flex-wrap gap-x-1">
        <ContactEmail contact={contact} />
      </p>
      {language !== null && (
        <p>
          <span className="text-muted">Language:</span> {languageName(language, locale)}
        </p>
      )}
      <p className="text-muted">{page ? <CurrentPage page={page} /> : "Not on the site"}</p>
    </section>
  );
}

/** The last pages that the visitor opened, newest first. */
export function SeenPages({ pages }: { pages: SeenPage[] }) {
  if (pages.length === 0) return null;
  return (
    <section aria-labelledby="seen-pages" className="flex flex-col gap-1.5">
      <h2 id="seen-pages" className="text-sm">
        Pages seen
      </h2>
      <ol className="flex flex-col gap-2">
        {pages.map(({ path, title, at }) => (
          <li key={`${at} ${path}`} className="flex justify-between gap-3">
            <span className="min-w-0">
              <span className="block truncate" title={title || path}>
                {shortTitle(title) || path}
              </span>
              {title && (
                <span className="block truncate text-xs text-muted" title={path}>
                  {path}
                </span>
              )}
            </span>
            <span className="shrink-0 text-xs leading-5 text-muted">
              <RelativeDate at={at} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function CurrentPage({ page }: { page: VisitedPage }) {
  return (
    <>
      On{" "}
      <span className="break-all text-text" title={page.title}>
        {page.path}
      </span>
      {page.title && <span className="block truncate">{shortTitle(page.title)}</span>}
    </>
  );
}

/** Leaves out the name of the site, which ends every title. */
function shortTitle(title: string): string {
  const end = ` · ${PRODUCT_NAME}`;
  return title.endsWith(end) ? title.slice(0, -end.length) : title;
}
