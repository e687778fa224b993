import type { MetaDescriptor } from "@remix-run/cloudflare";
import { PRODUCT_NAME } from "#app/product.ts";
import type { PublicPath } from "#app/public-pages.ts";

type Match = { id: string; data: unknown } | undefined;

/** Builds the tags of a public page for search engines and shared links. `path` is its canonical address. */
export function describePage(
  matches: Match[],
  { title, description, path }: { title: string; description: string; path: PublicPath },
): MetaDescriptor[] {
  const origin = originOf(matches);
  const url = origin + path;
  const image = `${origin}/og.png`;
  return [
    { title },
    { name: "description", content: description },
    { tagName: "link", rel: "canonical", href: url },
    { property: "og:type", content: "website" },
    { property: "og:site_name", content: PRODUCT_NAME },
    { property: "og:title", content: title },
    { property: "og:description", content: description },
    { property: "og:url", content: url },
    { property: "og:image", content: image },
    { property: "og:image:width", content: "1200" },
    { property: "og:image:height", content: "630" },
    { property: "og:image:alt", content: `${PRODUCT_NAME}: order growth by the number` },
    { name: "twitter:card", content: "summary_large_image" },
  ];
}

/** Returns the origin from the root's loader, or an empty text if that loader failed. */
export function originOf(matches: Match[]): string {
  const data = matches.find((match) => match?.id === "root")?.data as { origin?: string } | undefined;
  return data?.origin ?? "";
}
