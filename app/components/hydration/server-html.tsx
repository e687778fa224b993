import { type ComponentType, Suspense, useState } from "react";

/**
 * Renders a part of a page that nothing changes. Hydration keeps the HTML that the server sent, so the code of the part
 * isn't among the page's scripts. After a navigation in the browser there is no such HTML, and `later` loads the code.
 */
export function ServerHtml<Props extends object>({
  id,
  now: Now,
  later: Later,
  props,
}: {
  id: string;
  /** The component on the server. Null in browsers. */
  now: ComponentType<Props> | null;
  /** The same, by `lazy`. */
  later: ComponentType<Props>;
  props: Props;
}) {
  const [html] = useState(() => (import.meta.env.SSR ? null : (document.getElementById(id)?.innerHTML ?? null)));
  if (Now) {
    return (
      <div id={id}>
        <Now {...props} />
      </div>
    );
  }
  // biome-ignore lint/security/noDangerouslySetInnerHtml: it is what our server rendered there
  if (html !== null) return <div id={id} dangerouslySetInnerHTML={{ __html: html }} />;
  return (
    <div id={id}>
      <Suspense>
        <Later {...props} />
      </Suspense>
    </div>
  );
}
